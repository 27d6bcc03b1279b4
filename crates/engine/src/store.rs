//! Where the pipeline gets its store from.

use crate::error::EngineError;
use crate::settings::Settings;
use index::{EmbeddedStore, HnswSettings, Index, IndexStore};
use retrieve::{SearchSettings, Searcher, VectorIndex};
use std::{path::Path, sync::Arc};
use types::ManagedStore;

/// Opens one store under different search settings.
pub trait StoreProvider: Send + Sync {
    /// A search of the store under these settings.
    fn searcher(&self, search: SearchSettings) -> Searcher;

    /// Whether calls to the store are CPU-bound, so that the pool for computations must run them.
    fn computes(&self) -> bool;

    /// Whether what is searched is still what the store holds.
    ///
    /// # Errors
    /// When that cannot be told.
    fn is_current(&self) -> Result<bool, EngineError>;
}

/// An index on this machine.
pub struct LocalIndex(Arc<Index>);

impl LocalIndex {
    /// Opens the index in a folder.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn open(dir: &Path) -> Result<Self, EngineError> {
        Ok(Self(Arc::new(Index::open(dir)?)))
    }
}

impl StoreProvider for LocalIndex {
    fn searcher(&self, search: SearchSettings) -> Searcher {
        let graph_ef = (search.vector_index == VectorIndex::Hnsw).then_some(search.hnsw.ef);
        let store = Arc::new(IndexStore::new(Arc::clone(&self.0), graph_ef));
        let vocabulary = Arc::clone(&store);
        Searcher::new(store, vocabulary, search)
    }

    fn computes(&self) -> bool {
        true
    }

    fn is_current(&self) -> Result<bool, EngineError> {
        Ok(self.0.is_current()?)
    }
}

/// The store that the settings name, to fill and maintain it.
pub fn managed_store(settings: &Settings) -> impl ManagedStore + use<> {
    let search = settings.retrieve.search;
    let graph = (search.vector_index == VectorIndex::Hnsw).then_some(HnswSettings {
        connections: search.hnsw.connections,
        ef_construction: search.hnsw.ef_construction,
    });
    EmbeddedStore::new(&settings.index.dir, graph)
}
