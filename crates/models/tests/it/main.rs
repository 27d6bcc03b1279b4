//! The integration tests of this crate, one program.
#![allow(missing_docs)]

mod common;
mod cross_encoder;
mod embedder;
mod reader;
