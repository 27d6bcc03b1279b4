//! The integration tests of this crate, one program.
#![allow(missing_docs)]

mod citations;
mod common;
mod entities;
mod injection;
mod injection_real;
mod properties;
mod real_questions;
mod support;
mod topic;
