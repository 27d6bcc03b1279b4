//! What can go wrong with an index.

use crate::disk::FORMAT;
use std::{io, path::PathBuf};
use types::{Damage, Explain, FailureKind, SourceId};

/// An index could not be opened, written or searched.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "index", values(path, asked, value, source_id))]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum IndexError {
    /// Nothing was ever indexed there.
    #[error("no index at {path}; run `pipeline ingest FOLDER` first")]
    Missing { path: PathBuf },
    /// A command that writes an index was given a folder of something else.
    #[error("{path} is not an index: it holds {holds} and no {marker} file, so nothing was changed; name a new or empty folder with --index", marker = types::INDEX_MARKER)]
    NotAnIndex { path: PathBuf, holds: String },
    /// A link in the folder of an index leads elsewhere.
    #[error(
        "{path} is a symbolic link, so nothing was changed; remove the link: an index is written only in its own folder"
    )]
    Link { path: PathBuf },
    /// A file operation failed.
    #[error("cannot {action} {path}: {source}")]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// Another writer is at work.
    #[error(
        "the index at {path} is being written by process {pid} since {since}; wait until it ends, or stop it"
    )]
    Locked { path: PathBuf, pid: String, since: String },
    /// A file is not what the manifest says.
    #[error(
        "{path} is damaged: {reason}; run `pipeline ingest FOLDER` on your papers to build the index again from its cache"
    )]
    Damaged { path: PathBuf, reason: String },
    /// The index was written by another version of this program.
    #[explain(no_hint)]
    #[error(
        "the index at {path} has format {found}, this program reads format {expected}; {}",
        remedy(*found, *expected)
    )]
    Format { path: PathBuf, found: u64, expected: u32 },
    /// Vectors of two embedders cannot stand in one index.
    #[error(
        "the index holds vectors of {index}, not of {asked}; ingest every source again, or use the first model"
    )]
    Embedder { index: String, asked: String },
    /// A vector is unusable.
    #[error("{what}: {reason}; make it with the embedder of the index")]
    Vector { what: String, reason: String },
    /// A setting lies outside its range.
    #[error("{name} must be {allowed}, got {value}")]
    Setting { name: &'static str, value: String, allowed: &'static str },
    /// Approximate search was asked of an index without a graph.
    #[error("the index at {path} holds no hnsw graph; ingest with the graph switched on, or search exactly")]
    NoGraph { path: PathBuf },
    /// A source handed to the writer contradicts itself, came before, or is to be kept and not there.
    #[error("source {source_id} cannot be indexed: {reason}")]
    Source { source_id: SourceId, reason: String },
    /// More than the format can count.
    #[error("{count} {what} are more than one index can hold ({limit}); split the corpus", limit = u32::MAX)]
    TooLarge { what: &'static str, count: usize },
    /// The inverted index failed.
    #[error("cannot {action} the text index at {path}: {source}")]
    Text { action: &'static str, path: PathBuf, source: Box<tantivy::TantivyError> },
    /// The approximate vector index failed.
    #[error("cannot {action} the hnsw graph at {path}: {reason}")]
    Graph { action: &'static str, path: PathBuf, reason: String },
    /// A source was written in part.
    #[error("generation {generation} holds a source that could not be written whole; begin again")]
    Broken { generation: u64 },
    /// The caller stopped the writer; the index is as it was, or already new when the last steps were reached.
    #[error("writing stopped before {step}: {source}")]
    Stopped { step: &'static str, source: io::Error },
}

impl IndexError {
    /// Whether the error of a read shows that what was to be read is gone or damaged. Any other (too many open files, a
    /// disk that does not answer, a newer format) says nothing of it: the file may be whole.
    pub(crate) fn shows_loss(&self) -> bool {
        use io::ErrorKind as Kind;
        match self {
            Self::Io { source, .. } => matches!(
                source.kind(),
                Kind::NotFound
                    | Kind::IsADirectory
                    | Kind::NotADirectory
                    | Kind::InvalidData
                    | Kind::UnexpectedEof
            ),
            Self::Format { .. } => false,
            _ => true,
        }
    }

    /// What the error says of a file.
    pub(crate) fn damage(self, file: &str) -> Damage {
        Damage {
            file: file.to_owned(),
            reason: match self {
                Self::Damaged { reason, .. } => reason,
                other => other.to_string(),
            },
            hint: None,
        }
    }

    /// Whether trying again can help.
    pub(crate) fn kind(&self) -> FailureKind {
        match self {
            Self::Io { .. } | Self::Locked { .. } => FailureKind::Transient,
            Self::Embedder { .. } | Self::Setting { .. } | Self::NoGraph { .. } => FailureKind::Fatal,
            _ => FailureKind::Permanent,
        }
    }

    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    pub(crate) fn text<E: Into<tantivy::TantivyError>>(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(E) -> Self {
        let path = path.into();
        move |source| Self::Text { action, path, source: Box::new(source.into()) }
    }

    /// The index in this folder has the format `found`.
    pub(crate) fn other_format(path: PathBuf, found: u64) -> Self {
        let expected = FORMAT;
        Self::Format { path, found, expected }
    }

    pub(crate) fn damaged(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.into(), reason: reason.into() }
    }
}

/// What to do about an index of another format.
fn remedy(found: u64, expected: u32) -> &'static str {
    if found < u64::from(expected) {
        "run `pipeline ingest FOLDER` on your papers to rebuild it from the parsed papers and the vectors in its cache"
    } else {
        "a newer version wrote it: update this program, or name another folder with --index"
    }
}

/// `count` as the format stores it.
pub(crate) fn narrow(what: &'static str, count: usize) -> Result<u32, IndexError> {
    u32::try_from(count).map_err(|_| IndexError::TooLarge { what, count })
}
