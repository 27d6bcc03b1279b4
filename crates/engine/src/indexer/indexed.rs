//! The sources that the index holds already, and the paths that a run is asked to look at.

use crate::indexer::IndexerError;
use std::path::{Path, PathBuf};
use types::{HeldSource, path_text};

/// The hash of the content in a source's key: the part before the first `-`. Keys of other versions have it too.
pub(crate) fn content_hash(key: &str) -> &str {
    key.split('-').next().unwrap_or(key)
}

/// Absolute paths of what was asked for. A path that is gone counts when the index holds something from below it.
pub(crate) fn absolute_roots(
    paths: &[PathBuf],
    indexed: &[HeldSource],
) -> Result<Vec<PathBuf>, IndexerError> {
    let one = |path: &PathBuf| {
        path.canonicalize().or_else(|_| {
            let absent = std::path::absolute(path).map_err(IndexerError::io("find", path))?;
            if indexed.iter().any(|source| holds(std::slice::from_ref(&absent), source)) {
                Ok(absent)
            } else {
                Err(IndexerError::NoSuchPath { path: path.clone() })
            }
        })
    };
    paths.iter().map(one).collect()
}

/// Whether a path is one of these, or lies below one.
pub(crate) fn is_below(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| path.starts_with(root))
}

/// Whether a source lies below one of these, by any of its paths.
pub(crate) fn holds(roots: &[PathBuf], source: &HeldSource) -> bool {
    source.paths().any(|path| is_below(path, roots))
}

/// A file as messages name it, with its record after a `#`.
pub(crate) fn shown_place(path: &Path, record: Option<&str>) -> String {
    match record {
        Some(record) => format!("{}#{record}", path_text::shown(path)),
        None => path_text::shown(path),
    }
}
