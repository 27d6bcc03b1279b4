//! What every store of passages must guarantee: one test suite for all implementations of [`types::Retriever`].

mod contract;
mod sources;

pub use contract::{PROPERTIES, check};
pub use sources::{DIMENSION, Library, at_cosine, sixty_sources, three_sources};

use std::sync::Arc;
use types::{Retriever, SourceEntry};

/// Makes a store of exactly these sources, with similarity threshold -1 and a depth of at least ten.
pub type MakeStore<'a> = &'a (dyn Fn(Vec<SourceEntry>) -> Arc<dyn Retriever> + Sync);
