//! The integration tests of this crate, one program.
#![allow(missing_docs)]

mod entities;
mod prompt_data;
mod properties;
mod quotes;
mod sentences;
