//! The indexer: its settings, and the resources that its caller provides.

use crate::indexer::{IndexerError, cache::Cache, keys::ReaderKeys};
use ingest::{Limits, OcrSettings, Output, WorkerCommand, chunk::ChunkSettings};
use std::{path::PathBuf, sync::Arc};
use types::{Embedder, Explain, ManagedStore};

/// Why a resource of the caller is not available.
pub type Unavailable = Box<dyn Explain + Send + Sync>;

/// How an index is built.
#[derive(Clone, Debug)]
pub struct IndexerSettings {
    /// The folder of the cache and of the list of removed papers. The embedded store is there too.
    pub index_dir: PathBuf,
    /// The limits for reading one file.
    pub limits: Limits,
    /// How documents are cut into chunks.
    pub chunking: ChunkSettings,
    /// Worker processes that read PDFs at the same time, at least 1.
    pub workers: usize,
    /// The program's own output, which is never read as papers.
    pub outputs: Vec<Output>,
}

/// What the indexer needs besides its settings. Each resource is requested only when a command uses it: a model takes
/// seconds to load, and `stats` works without its files.
pub trait Resources: Send + Sync {
    /// The embedding model, loaded.
    ///
    /// # Errors
    /// When a file is missing or cannot be loaded.
    fn embedder(&self) -> Result<Arc<dyn Embedder>, Unavailable>;

    /// The id of the embedding model, without loading it.
    ///
    /// # Errors
    /// When a file of the model is missing.
    fn embedder_id(&self) -> Result<String, Unavailable>;

    /// The OCR settings for pages without text; `None` if OCR is switched off.
    ///
    /// # Errors
    /// When OCR is required but the program or a language is not installed.
    fn ocr(&self) -> Result<Option<OcrSettings>, Unavailable>;

    /// How a worker process that reads PDFs is started.
    ///
    /// # Errors
    /// When the PDF library is missing.
    fn worker(&self) -> Result<WorkerCommand, Unavailable>;
}

/// Fills one store and maintains it.
pub struct Indexer {
    pub(crate) store: Box<dyn ManagedStore>,
    pub(crate) settings: IndexerSettings,
    pub(crate) resources: Box<dyn Resources>,
}

impl Indexer {
    /// An indexer of a store with these settings. Nothing is read, loaded or written yet.
    pub fn new(
        store: Box<dyn ManagedStore>,
        settings: IndexerSettings,
        resources: Box<dyn Resources>,
    ) -> Self {
        Self { store, settings, resources }
    }

    /// The cache as it is, for the OCR that is installed.
    pub(crate) fn cache(&self) -> Result<Cache, IndexerError> {
        let version = reader_key(self.resources.ocr().unwrap_or_default().as_ref());
        Cache::existing(&self.settings.index_dir, ReaderKeys { version, ..ReaderKeys::default() })
    }
}

/// What the text of a document depends on besides its file: the reader's version, and the OCR settings.
pub(crate) fn reader_key(ocr: Option<&OcrSettings>) -> String {
    match ocr {
        Some(ocr) => format!("{}, {}", ingest::PARSER_VERSION, ocr.key()),
        None => ingest::PARSER_VERSION.to_owned(),
    }
}
