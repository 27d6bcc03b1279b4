//! The integration tests of this crate, one program.
#![allow(missing_docs)]

mod common;
mod content;
mod front;
mod labels;
mod layouts;
mod nasty;
mod ocr;
mod passwords;
mod pool;
mod view;
