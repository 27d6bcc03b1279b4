//! The integration tests of this crate, one program.
#![allow(missing_docs)]

mod download;
