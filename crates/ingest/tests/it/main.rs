//! The integration tests of this crate, one program.
#![allow(missing_docs)]

mod common;
mod content;
mod front;
mod inputs;
mod labels;
mod layouts;
mod mutants;
mod nasty;
mod ocr;
mod passwords;
mod pool;
mod structure;
mod view;
