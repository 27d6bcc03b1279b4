//! Errors of building and maintaining an index.

use std::path::PathBuf;
use types::{Explain, SourceId, path_text, words::first_of};

/// Why a job of the indexer could not be done.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(values(path, paths, id))]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum IndexerError {
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] types::StoreError),
    /// The embedding model failed.
    #[explain(code = "model_failed", value = inner.model)]
    #[error(transparent)]
    Model(#[from] types::ModelError),
    /// Something that the caller provides is missing: see [`crate::indexer::Resources`].
    #[explain(from = inner)]
    #[error("{0}")]
    Resource(Box<dyn Explain + Send + Sync>),
    /// No such file or folder.
    #[error(
        "{path} does not exist; name a paper (PDF, HTML, DOCX, Markdown, text, JATS, BEIR, zip) or a folder of papers"
    )]
    NoSuchPath { path: PathBuf },
    /// Nothing to do.
    #[explain(code = "no_papers_found")]
    #[error(
        "no paper was found in {paths}{}; name a paper (PDF, HTML, DOCX, Markdown, text, JATS, BEIR, zip) or a folder of papers",
        skipped_list(skipped)
    )]
    NothingFound { paths: String, skipped: Vec<String> },
    /// A folder whose papers are in the index is empty or missing.
    #[explain(code = "emptied_folder")]
    #[error(
        "{path} {state}, but the index holds {papers} {} from there; nothing was changed, the papers are kept; mount or restore the folder, or pass --prune-all to remove them from the index",
        if *papers == 1 { "paper" } else { "papers" })]
    EmptiedRoot { path: PathBuf, state: &'static str, papers: usize },
    /// The index holds no such paper.
    #[error("no paper {:?} is in the index; {hint}", id.as_str())]
    UnknownSource { id: SourceId, hint: String },
    /// A document was in the cache when the run began, and is not now.
    #[error("the parsed text of {id} is gone from the cache; run again")]
    DocumentGone { id: SourceId },
    /// The list of removed papers cannot be read.
    #[error(
        "{path} is damaged ({reason}); it lists the papers removed with `pipeline papers remove`: delete it to add them all again"
    )]
    ExcludedDamaged { path: PathBuf, reason: serde_json::Error },
    /// The folder of a manifest that is to be written does not exist.
    #[error("cannot write {}: its folder does not exist", path_text::shown(path))]
    NoManifestFolder { path: PathBuf },
    /// A manifest that is to be written exists already.
    #[error("{} exists already; name another file, or pass --force to replace it", path_text::shown(path))]
    ManifestExists { path: PathBuf },
    /// The manifest of a paper cannot be corrected.
    #[error(
        "cannot write the metadata to {path}: {reason}; put that right, or correct the file by hand and ingest again"
    )]
    ManifestNotWritten { path: PathBuf, reason: String },
    /// A value of the metadata cannot be used.
    #[error("the metadata cannot be used: {reason}")]
    BadMetadata { reason: String },
    /// The file of a paper is not where it was.
    #[error("the file of {id} is not where it was ingested from; ingest its folder again")]
    PaperGone { id: SourceId },
    /// A file could not be read or written.
    #[error("cannot {action} {path}: {source}")]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    /// The user stopped the work.
    #[error("stopped; run the same command again to continue")]
    Stopped,
}

impl IndexerError {
    /// Wraps an I/O error with what was tried.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

/// What was skipped, shortened.
fn skipped_list(skipped: &[String]) -> String {
    const SHOWN: usize = 5;
    match skipped {
        [] => String::new(),
        _ => format!("; skipped {}", first_of(skipped, SHOWN)),
    }
}
