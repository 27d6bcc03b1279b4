//! The native libraries and models of an installation: where they lie, whether they may be loaded, and how set-up gets them.
//!
//! [`Natives`] finds the files that settings name and checks each before its path is given; [`setup`](setup()) downloads or
//! makes those that are missing, from a package index ([`setup`]) or a model hub ([`hub`]).
//!
//! It computes no vectors (`models` does) and reads no papers. Only set-up uses a network.

mod files;
pub mod hub;
mod setup;

pub use files::{NATIVES_VARIABLE, Natives, NativesError, Pinned, forget_checks, pinned_files};
pub use hub::HubError;
pub use models::catalogue::{HubModel, ModelKind, models};
pub use setup::{SetupError, SetupReport, interpreter, run_for_parent, setup};
