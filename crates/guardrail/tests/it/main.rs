//! The integration tests of this crate, one program.
#![allow(missing_docs)]

mod citations;
mod common;
mod entities;
mod injection;
mod properties;
mod support;
mod topic;
