//! Code, value and hint of each [`IndexerError`].

use super::IndexerError;
use types::{Explain, path_text};

pub(super) const NAME_A_PAPER: &str = "name a paper (PDF, Markdown, text, JATS, BEIR) or a folder of papers";
pub(super) const EMPTIED_ROOT: &str =
    "mount or restore the folder, or pass --prune-all to remove them from the index";
pub(super) const DOCUMENT_GONE: &str = "run again";
pub(super) const EXCLUDED_DAMAGED: &str =
    "it lists the papers removed with `pipeline sources remove`: delete it to add them all again";
pub(super) const MANIFEST_EXISTS: &str = "name another file, or pass --force to replace it";
pub(super) const STOPPED: &str = "run the same command again to continue";

impl IndexerError {
    /// The error of a stage that this one wraps.
    fn inner(&self) -> Option<&dyn Explain> {
        match self {
            Self::Index(error) => Some(error),
            Self::Store(error) => Some(error),
            Self::Resource(error) => Some(&**error),
            _ => None,
        }
    }
}

impl Explain for IndexerError {
    fn code(&self) -> &'static str {
        match self {
            Self::Index(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Resource(error) => error.code(),
            Self::Model(_) => "model_failed",
            Self::NoSuchPath { .. } => "no_such_path",
            Self::NothingFound { .. } => "no_papers_found",
            Self::EmptiedRoot { .. } => "emptied_folder",
            Self::UnknownSource { .. } => "unknown_source",
            Self::DocumentGone { .. } => "document_gone",
            Self::ExcludedDamaged { .. } => "excluded_damaged",
            Self::NoManifestFolder { .. } => "no_manifest_folder",
            Self::ManifestExists { .. } => "manifest_exists",
            Self::Io { .. } => "io",
            Self::Stopped => "stopped",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::NoSuchPath { path }
            | Self::EmptiedRoot { path, .. }
            | Self::ExcludedDamaged { path, .. }
            | Self::NoManifestFolder { path }
            | Self::ManifestExists { path }
            | Self::Io { path, .. } => Some(path_text::shown(path)),
            Self::NothingFound { paths, .. } => Some(paths.clone()),
            Self::Model(error) => Some(error.model.clone()),
            Self::UnknownSource { id, .. } | Self::DocumentGone { id } => Some(id.to_string()),
            Self::Index(_) | Self::Store(_) | Self::Resource(_) | Self::Stopped => {
                self.inner().and_then(Explain::value)
            }
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoSuchPath { .. } | Self::NothingFound { .. } => NAME_A_PAPER,
            Self::EmptiedRoot { .. } => EMPTIED_ROOT,
            Self::UnknownSource { hint, .. } => hint,
            Self::DocumentGone { .. } => DOCUMENT_GONE,
            Self::ExcludedDamaged { .. } => EXCLUDED_DAMAGED,
            Self::ManifestExists { .. } => MANIFEST_EXISTS,
            Self::Stopped => STOPPED,
            Self::Index(_)
            | Self::Store(_)
            | Self::Resource(_)
            | Self::Model(_)
            | Self::NoManifestFolder { .. }
            | Self::Io { .. } => return self.inner().and_then(Explain::hint),
        };
        Some(hint.to_owned())
    }
}
