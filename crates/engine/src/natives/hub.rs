//! Downloads files from a model hub: `https://huggingface.co`, or a server with the same addresses that the variable
//! [`ENDPOINT_VARIABLE`] names.
//!
//! Only `pipeline setup` uses it; papers are ingested and questions answered without it. A file is at
//! `ENDPOINT/REPOSITORY/resolve/REVISION/PATH`, often behind a redirect. A download that is cut off continues where it
//! stopped, a few times. An incomplete file, or one whose SHA-256 differs from what the hub announces, is an error and is
//! removed.
//!
//! It does not know what a model is, keeps no cache, and sends no key.

mod client;
mod error;
mod partial;

pub use client::{ENDPOINT_VARIABLE, Hub};
pub use error::HubError;
pub use partial::Downloaded;
