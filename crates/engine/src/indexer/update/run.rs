//! What the steps of one run share.

use super::planner::{IngestRequest, Planner};
use crate::indexer::{
    IndexerError,
    keys::ReaderKeys,
    resources::{IndexerSettings, Unavailable, reader_key},
};
use ingest::{OcrSettings, WorkerCommand};
use std::collections::BTreeMap;
use types::{Embedder, MadeBy, Reporter, digest::sha256_of_parts};

/// One run.
pub(super) struct Run<'a> {
    pub(super) planner: Planner<'a>,
    /// How a worker process that reads PDFs is started.
    pub(super) worker: &'a dyn Fn() -> Result<WorkerCommand, Unavailable>,
    pub(super) reporter: &'a dyn Reporter,
    pub(super) embedder: &'a dyn Embedder,
    pub(super) ocr: Option<OcrSettings>,
    /// When the run began, RFC 3339 in UTC.
    pub(super) now: String,
}

impl Run<'_> {
    /// An error once the caller has set the request's flag.
    pub(super) fn check_stop(&self) -> Result<(), IndexerError> {
        if self.planner.request.stop.is_requested() { Err(IndexerError::Stopped) } else { Ok(()) }
    }
}

/// How the sources of the next version are made.
pub(super) fn made_by(embedder: &dyn Embedder, settings: &IndexerSettings) -> MadeBy {
    let chunking = &settings.chunking;
    let config = BTreeMap::from([
        ("chunk.max_tokens".to_owned(), chunking.max_tokens.to_string()),
        ("chunk.overlap_tokens".to_owned(), chunking.overlap_tokens.to_string()),
        ("chunk.count_prefix".to_owned(), chunking.count_prefix.to_string()),
    ]);
    MadeBy {
        embedder_id: embedder.id().to_owned(),
        dimension: embedder.dimension(),
        parser: ingest::PARSER_VERSION.to_owned(),
        chunker: ingest::chunk::CHUNKER_VERSION.to_owned(),
        config,
    }
}

/// What reading a file depends on beside the file.
pub(super) fn reader_keys(
    settings: &IndexerSettings,
    request: &IngestRequest,
    ocr: Option<&OcrSettings>,
) -> ReaderKeys {
    let limits = serde_json::to_string(&settings.limits).unwrap_or_default();
    // Passwords themselves are never written down.
    let password = if request.passwords.is_empty() { "" } else { "with a password" };
    let version = reader_key(ocr);
    let settings = sha256_of_parts(&[version.as_str(), &limits, password].map(str::as_bytes));
    ReaderKeys { version, settings }
}
