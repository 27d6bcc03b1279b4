//! What every store of passages must guarantee: one test suite for all implementations of [`types::Retriever`] and
//! [`types::IndexSink`].

mod abbreviations;
mod asking;
mod contract;
mod reading;
mod sources;
mod writing;

pub use contract::check;
pub use sources::{DIMENSION, Library, at_cosine, sixty_sources, three_sources};

use std::sync::Arc;
use types::{IndexSink, Retriever, SourceEntry};

/// A store that the suite writes and reads.
pub trait TestStore: Send {
    /// The next version of the store.
    fn sink(&mut self) -> Box<dyn IndexSink + '_>;

    /// Opens the current version whenever it is called, also while a sink is in use: with similarity threshold -1, lists
    /// of [`DEPTH`] entries, and BM25 over the text of chunks alone.
    fn opener(&self) -> Box<dyn Fn() -> Arc<dyn Retriever> + Send + Sync>;

    /// Opens the current version.
    fn open(&self) -> Arc<dyn Retriever> {
        self.opener()()
    }
}

/// The length of each list of a store under test, unless a plan asks for more hits.
pub const DEPTH: usize = 10;

/// Makes an empty store for vectors of [`DIMENSION`] numbers, in which one version without sources is committed.
pub type MakeStore<'a> = &'a (dyn Fn() -> Box<dyn TestStore> + Sync);

/// A new store of exactly these sources.
pub async fn filled(make: MakeStore<'_>, sources: Vec<SourceEntry>) -> Box<dyn TestStore> {
    let mut store = make();
    let mut sink = store.sink();
    for source in sources {
        sink.add(source).await.expect("a sound source");
    }
    sink.commit().await.expect("the store can be written");
    store
}
