//! What the steps of one run share.

use super::build_plan::BuildSettings;
use crate::{
    IndexerError,
    indexer::{IndexerSettings, Unavailable},
};
use ingest::{OcrSettings, Password, WorkerCommand};
use std::{collections::BTreeMap, path::PathBuf};
use types::{Embedder, MadeBy, Reporter, Stop};

/// What to ingest.
#[derive(Clone, Debug, Default)]
pub struct IngestRequest {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Passwords to try on encrypted files.
    pub passwords: Vec<Password>,
    /// Follow links that lead out of the paths.
    pub follow_links: bool,
    /// Try files again that failed before.
    pub retry_failed: bool,
    /// Remove papers from the index even when no paper is left below a path.
    pub prune_all: bool,
    /// Stops the run; what was finished is kept.
    pub stop: Stop,
}

/// One run.
pub(super) struct Run<'a> {
    pub(super) settings: &'a IndexerSettings,
    /// How a worker process that reads PDFs is started.
    pub(super) worker: &'a dyn Fn() -> Result<WorkerCommand, Unavailable>,
    pub(super) request: &'a IngestRequest,
    pub(super) reporter: &'a dyn Reporter,
    pub(super) embedder: &'a dyn Embedder,
    pub(super) build: BuildSettings,
    pub(super) ocr: Option<OcrSettings>,
    /// When the run began, RFC 3339 in UTC.
    pub(super) now: String,
}

impl Run<'_> {
    /// How the sources of the next version are made.
    pub(super) fn made_by(&self) -> MadeBy {
        let chunking = &self.settings.chunking;
        let config = BTreeMap::from([
            ("chunk.max_tokens".to_owned(), chunking.max_tokens.to_string()),
            ("chunk.overlap_tokens".to_owned(), chunking.overlap_tokens.to_string()),
            ("chunk.count_prefix".to_owned(), chunking.count_prefix.to_string()),
        ]);
        MadeBy {
            embedder_id: self.embedder.id().to_owned(),
            dimension: self.embedder.dimension(),
            parser: ingest::PARSER_VERSION.to_owned(),
            chunker: ingest::chunk::CHUNKER_VERSION.to_owned(),
            config,
        }
    }

    /// An error once the caller has set the request's flag.
    pub(super) fn check_stop(&self) -> Result<(), IndexerError> {
        if self.request.stop.is_requested() { Err(IndexerError::Stopped) } else { Ok(()) }
    }
}
