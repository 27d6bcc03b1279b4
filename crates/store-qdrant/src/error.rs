//! What can go wrong with the store.

use types::{Explain, FailureKind, SourceId, StoreError};

/// The store could not be read or written.
#[derive(Debug, Clone, thiserror::Error, Explain)]
#[explain(prefix = "index", values(url, collection, asked, source_id))]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum QdrantError {
    /// Nobody answers.
    #[error("cannot reach Qdrant at {url}: {reason}; start it, or name its gRPC address with store.url")]
    Unreachable { url: String, reason: String },
    /// The answer takes too long.
    #[error(
        "Qdrant at {url} did not answer ({what}) within {seconds} s; see whether it is overloaded, or raise store.timeout_seconds"
    )]
    Late { url: String, what: &'static str, seconds: u64 },
    /// The key is missing or wrong.
    #[error(
        "Qdrant at {url} does not accept the API key; put the right one into the environment variable that store.api_key_env names"
    )]
    Key { url: String },
    /// The server refuses a call.
    #[error("Qdrant at {url} refused a call ({what}): {reason}; see its log")]
    Refused { url: String, what: &'static str, reason: String },
    /// The address is none.
    #[error("{url} is no address of a server: {reason}; store.url is like http://localhost:6334")]
    Address { url: String, reason: String },
    /// Nothing was ever committed.
    #[error("no index in collection {collection} at {url}; run `pipeline ingest FOLDER` first")]
    Missing { collection: String, url: String },
    /// The collections are of another program or version.
    #[error(
        "the collection {collection} at {url} is not an index of this version: {reason}; name another one with store.collection"
    )]
    Format { collection: String, url: String, reason: String },
    /// Another writer is at work.
    #[error("collection {collection} is being written by {owner}; wait until it ends, or stop it")]
    Locked { collection: String, owner: String },
    /// The lease went to another writer.
    #[error(
        "another writer took over collection {collection}, because this one did not answer for a while; run it again"
    )]
    Lost { collection: String },
    /// A point is not what was written.
    #[error("{what} is damaged: {reason}; run `pipeline ingest FOLDER` on your papers to write it again")]
    Damaged { what: String, reason: String },
    /// The reader is too old.
    #[error("generation {generation} of collection {collection} is no longer kept; open the index again")]
    Gone { collection: String, generation: u64 },
    /// Weights are for another weight of titles.
    #[error(
        "collection {collection} was written with other settings: it counts words of titles {stored} times, not {asked} times; use the settings of its ingest, or run `pipeline ingest FOLDER` with these"
    )]
    Titles { collection: String, stored: f32, asked: f32 },
    /// Words are not compared as they are written.
    #[error(
        "words as they are written (phase2.rules = true) are compared by the embedded store alone; set store.kind = \"embedded\", or phase2.rules = false"
    )]
    Whitespace,
    /// Vectors of two embedders cannot be in one index.
    #[error(
        "the index holds vectors of {stored}, not of {asked}; ingest every source again, or use the first model"
    )]
    Embedder { stored: String, asked: String },
    /// Parts of another division.
    #[error("part {asked} does not fit: the index is being loaded in {of} parts; name one of these")]
    Parts { asked: String, of: u32 },
    /// A source contradicts itself, came before, or is to be kept and not there.
    #[error("source {source_id} cannot be indexed: {reason}")]
    Source { source_id: SourceId, reason: String },
    /// A source was written in part.
    #[error("generation {generation} holds a source that could not be written whole; begin again")]
    Broken { generation: u64 },
}

/// What the crate's functions return.
pub(crate) type Result<T> = std::result::Result<T, QdrantError>;

impl QdrantError {
    pub(crate) fn damaged(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Damaged { what: what.into(), reason: reason.into() }
    }

    pub(crate) fn source(source_id: &SourceId, reason: impl Into<String>) -> Self {
        Self::Source { source_id: source_id.clone(), reason: reason.into() }
    }

    fn kind(&self) -> FailureKind {
        match self {
            Self::Unreachable { .. } | Self::Late { .. } | Self::Locked { .. } => FailureKind::Transient,
            Self::Key { .. } | Self::Address { .. } | Self::Titles { .. } | Self::Whitespace => {
                FailureKind::Fatal
            }
            _ => FailureKind::Permanent,
        }
    }
}

impl From<QdrantError> for StoreError {
    fn from(error: QdrantError) -> Self {
        Self::from_error(&error, error.kind())
    }
}
