//! Where the pipeline gets its store from.

use crate::error::EngineError;
use crate::settings::{QuantisationChoice, Settings, StoreKind};
use index::{EmbeddedStore, HnswSettings, Index, IndexStore};
use retrieve::{SearchSettings, Searcher, VectorIndex};
use std::{path::Path, sync::Arc, time::Duration};
use store_qdrant::{QdrantSettings, QdrantStore, Quantisation, Reader};
use types::{ManagedStore, StoreError};

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

/// An index at a Qdrant server.
struct RemoteIndex(Reader);

impl StoreProvider for RemoteIndex {
    fn searcher(&self, search: SearchSettings) -> Searcher {
        let store = Arc::new(self.0.clone());
        let vocabulary = Arc::clone(&store);
        Searcher::new(store, vocabulary, search)
    }

    fn computes(&self) -> bool {
        false
    }

    fn is_current(&self) -> Result<bool, EngineError> {
        Ok(pollster::block_on(self.0.is_current()).map_err(StoreError::from)?)
    }
}

/// Opens the store that the settings name, for reading.
///
/// # Errors
/// When it has no index, or cannot be read.
pub async fn open_store(settings: &Settings) -> Result<Arc<dyn StoreProvider>, EngineError> {
    Ok(match settings.store.kind {
        StoreKind::Embedded => Arc::new(LocalIndex::open(&settings.index.dir)?),
        StoreKind::Qdrant => {
            Arc::new(RemoteIndex(qdrant(settings).reader().await.map_err(StoreError::from)?))
        }
    })
}

/// The store at a server.
pub(crate) fn qdrant(settings: &Settings) -> QdrantStore {
    let section = &settings.store;
    let key = std::env::var(&section.api_key_env).ok().filter(|key| !key.is_empty());
    QdrantStore::new(QdrantSettings {
        url: section.url.clone(),
        api_key: key,
        collection: section.collection.clone(),
        shards: section.shards,
        replicas: section.replicas,
        on_disk: section.on_disk,
        quantisation: match section.quantisation {
            QuantisationChoice::None => Quantisation::None,
            QuantisationChoice::Scalar => Quantisation::Scalar,
            QuantisationChoice::Binary => Quantisation::Binary,
        },
        timeout: Duration::from_secs(section.timeout_seconds),
        title_weight: settings.retrieve.search.title_weight,
    })
}

/// The store that the settings name, to fill and maintain it.
pub fn managed_store(settings: &Settings) -> Box<dyn ManagedStore> {
    if settings.store.kind == StoreKind::Qdrant {
        return Box::new(qdrant(settings));
    }
    let search = settings.retrieve.search;
    let graph = (search.vector_index == VectorIndex::Hnsw).then_some(HnswSettings {
        connections: search.hnsw.connections,
        ef_construction: search.hnsw.ef_construction,
    });
    Box::new(EmbeddedStore::new(&settings.index.dir, graph))
}
