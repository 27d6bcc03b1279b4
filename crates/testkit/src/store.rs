//! What every store of passages must guarantee: one test suite for all implementations of [`types::Store`],
//! [`types::Vocabulary`] and [`types::NewVersion`], searched by `retrieve`.

mod abbreviations;
mod asking;
mod contract;
mod reading;
mod sources;
mod writing;

pub use contract::check;
pub use sources::{DIMENSION, Library, at_cosine, sixty_sources, three_sources};

use retrieve::{SearchSettings, Searcher};
use std::sync::Arc;
use types::{NewVersion, SourceEntry, Store, Vocabulary};

/// A version of a store, opened for reading.
pub type Opened = (Arc<dyn Store>, Arc<dyn Vocabulary>);

/// A store that the suite writes and reads.
pub trait TestStore: Send {
    /// The next version of the store.
    fn version(&mut self) -> Box<dyn NewVersion + '_>;

    /// Opens the current version whenever it is called, also while the next one is written.
    fn opener(&self) -> Box<dyn Fn() -> Opened + Send + Sync>;

    /// Whether the store looks up words and abbreviations.
    fn has_vocabulary(&self) -> bool {
        true
    }

    /// Opens the current version.
    fn open(&self) -> Searcher {
        searcher(self.opener()())
    }
}

/// The length of each list of a search, unless a plan asks for more hits.
pub const DEPTH: usize = 10;

/// Searches a store without a threshold, with lists of [`DEPTH`] entries, and BM25 over the text of chunks alone.
pub fn searcher((store, vocabulary): Opened) -> Searcher {
    let settings = SearchSettings {
        min_similarity: -1.0,
        depth: DEPTH,
        vector_k: DEPTH,
        bm25_k: DEPTH,
        title_weight: 0.0,
        ..SearchSettings::default()
    };
    Searcher::new(store, vocabulary, settings)
}

/// Makes an empty store for vectors of [`DIMENSION`] numbers, in which one version without sources is committed.
pub type MakeStore<'a> = &'a (dyn Fn() -> Box<dyn TestStore> + Sync);

/// A new store of exactly these sources.
pub async fn filled(make: MakeStore<'_>, sources: Vec<SourceEntry>) -> Box<dyn TestStore> {
    let mut store = make();
    let mut version = store.version();
    for source in sources {
        version.add(source).expect("a sound source");
    }
    version.commit().expect("the store can be written");
    store
}
