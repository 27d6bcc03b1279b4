//! Where the pipeline gets its store from.

use crate::error::EngineError;
use retrieve::{Index, IndexRetriever, SearchSettings};
use std::{path::Path, sync::Arc};
use types::Retriever;

/// Opens one store under different search settings.
pub trait StoreProvider: Send + Sync {
    /// The store under these search settings.
    fn store(&self, search: SearchSettings) -> Arc<dyn Retriever>;

    /// Whether calls to the store are CPU-bound, so that the pool for computations must run them.
    fn computes(&self) -> bool;
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
    fn store(&self, search: SearchSettings) -> Arc<dyn Retriever> {
        Arc::new(IndexRetriever::new(Arc::clone(&self.0), search))
    }

    fn computes(&self) -> bool {
        true
    }
}
