//! Code, value and hint of each [`IndexError`].

use super::IndexError;
use types::Explain;

pub(super) const NO_POINTER: &str =
    "run `pipeline ingest FOLDER` on your papers to take that generation over";
pub(super) const NO_GENERATION: &str = "run `pipeline ingest FOLDER` on your papers to rebuild the index";
pub(super) const MISSING: &str = "run `pipeline ingest FOLDER` first";
pub(super) const NOT_AN_INDEX: &str = "name a new or empty folder with --index";
pub(super) const LINK: &str = "remove the link: an index is written only in its own folder";
pub(super) const LOCKED: &str = "wait until it ends, or stop it";
pub(super) const DAMAGED: &str =
    "run `pipeline ingest FOLDER` on your papers to rebuild what is damaged from the cache";
pub(super) const EMBEDDER: &str = "ingest every source again, or use the first model";
pub(super) const VECTOR: &str = "make it with the embedder of the index";
pub(super) const NO_QUERY_VECTOR: &str = "give one, or search in mode bm25";
pub(super) const NO_GRAPH: &str = "ingest with the graph switched on, or search exactly";
pub(super) const TOO_LARGE: &str = "split the corpus";
pub(super) const BROKEN: &str = "begin again";

impl Explain for IndexError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoPointer { .. } => "index_no_pointer",
            Self::NoGeneration { .. } => "index_no_generation",
            Self::Missing { .. } => "index_missing",
            Self::NotAnIndex { .. } => "index_not_an_index",
            Self::Link { .. } => "index_link",
            Self::Io { .. } => "index_io",
            Self::Locked { .. } => "index_locked",
            Self::Damaged { .. } => "index_damaged",
            Self::Format { .. } => "index_format",
            Self::Embedder { .. } => "index_embedder",
            Self::Vector { .. } => "index_vector",
            Self::Setting { .. } => "index_setting",
            Self::NoQueryVector { .. } => "index_no_query_vector",
            Self::NoGraph { .. } => "index_no_graph",
            Self::Source { .. } => "index_source",
            Self::TooLarge { .. } => "index_too_large",
            Self::Text { .. } => "index_text",
            Self::Graph { .. } => "index_graph",
            Self::Broken { .. } => "index_broken",
            Self::Stopped { .. } => "index_stopped",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::NoPointer { path, .. }
            | Self::NoGeneration { path, .. }
            | Self::Missing { path }
            | Self::NotAnIndex { path, .. }
            | Self::Link { path }
            | Self::Io { path, .. }
            | Self::Locked { path, .. }
            | Self::Damaged { path, .. }
            | Self::Format { path, .. }
            | Self::NoGraph { path }
            | Self::Text { path, .. }
            | Self::Graph { path, .. } => Some(path.display().to_string()),
            Self::Embedder { asked, .. } => Some(asked.clone()),
            Self::Setting { value, .. } => Some(value.clone()),
            Self::NoQueryVector { mode } => Some(mode.to_string()),
            Self::Source { source_id, .. } => Some(source_id.to_string()),
            Self::Vector { .. } | Self::TooLarge { .. } | Self::Broken { .. } | Self::Stopped { .. } => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoPointer { .. } => Some(NO_POINTER.to_owned()),
            Self::NoGeneration { .. } => Some(NO_GENERATION.to_owned()),
            Self::Missing { .. } => Some(MISSING.to_owned()),
            Self::NotAnIndex { .. } => Some(NOT_AN_INDEX.to_owned()),
            Self::Link { .. } => Some(LINK.to_owned()),
            Self::Locked { .. } => Some(LOCKED.to_owned()),
            Self::Damaged { .. } => Some(DAMAGED.to_owned()),
            Self::Embedder { .. } => Some(EMBEDDER.to_owned()),
            Self::Vector { .. } => Some(VECTOR.to_owned()),
            Self::NoQueryVector { .. } => Some(NO_QUERY_VECTOR.to_owned()),
            Self::NoGraph { .. } => Some(NO_GRAPH.to_owned()),
            Self::TooLarge { .. } => Some(TOO_LARGE.to_owned()),
            Self::Broken { .. } => Some(BROKEN.to_owned()),
            Self::Io { .. }
            | Self::Format { .. }
            | Self::Setting { .. }
            | Self::Source { .. }
            | Self::Text { .. }
            | Self::Graph { .. }
            | Self::Stopped { .. } => None,
        }
    }
}
