//! The sources that the index holds already, and the paths that a run is asked to look at.

use crate::IndexerError;
use std::path::{Path, PathBuf};
use types::{SourceId, SourceMeta, path_text};

/// What the index holds of a source.
#[derive(Clone, Debug)]
pub(crate) struct IndexedSource {
    pub(crate) source_id: SourceId,
    pub(crate) path: PathBuf,
    /// Further paths at which its content lies.
    pub(crate) copies: Vec<PathBuf>,
    pub(crate) record: Option<String>,
    pub(crate) root: PathBuf,
    pub(crate) key: String,
    pub(crate) meta: SourceMeta,
}

impl IndexedSource {
    /// The hash of the content that the index holds.
    pub(crate) fn content_hash(&self) -> &str {
        content_hash(&self.key)
    }

    /// All its paths, the first one first.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.path)
            .chain(&self.copies)
            .map(PathBuf::as_path)
    }

    /// Its files, each with the record of that file.
    pub(crate) fn places(&self) -> impl Iterator<Item = (&Path, Option<&str>)> {
        self.paths().map(|path| (path, self.record.as_deref()))
    }

    /// Whether it lies below one of these folders, by any of its paths.
    pub(crate) fn is_below(&self, roots: &[PathBuf]) -> bool {
        self.paths().any(|path| is_below(path, roots))
    }
}

/// The hash of the content in a source's key: the part before the first `-`. Keys of other versions have it too.
pub(crate) fn content_hash(key: &str) -> &str {
    key.split('-').next().unwrap_or(key)
}

/// The sources of a generation.
pub(crate) fn indexed_sources(manifest: Option<&retrieve::Manifest>) -> Vec<IndexedSource> {
    let Some(manifest) = manifest else {
        return Vec::new();
    };
    let each = |record: &retrieve::SourceRecord| IndexedSource {
        source_id: record.source_id().clone(),
        path: path_text::decode(&record.path),
        copies: record.copies.iter().map(|path| path_text::decode(path)).collect(),
        record: record.record.clone(),
        root: path_text::decode(&record.root),
        key: record.key.clone(),
        meta: record.meta.clone(),
    };
    manifest.sources.iter().map(each).collect()
}

/// Absolute paths of what was asked for. A path that is gone counts when the index holds something from below it.
pub(crate) fn absolute_roots(
    paths: &[PathBuf],
    indexed: &[IndexedSource],
) -> Result<Vec<PathBuf>, IndexerError> {
    let one = |path: &PathBuf| {
        path.canonicalize().or_else(|_| {
            let absent = std::path::absolute(path).map_err(IndexerError::io("find", path))?;
            if indexed
                .iter()
                .any(|source| source.is_below(std::slice::from_ref(&absent)))
            {
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

/// A file as messages name it, with its record after a `#`.
pub(crate) fn shown_place(path: &Path, record: Option<&str>) -> String {
    match record {
        Some(record) => format!("{}#{record}", path_text::shown(path)),
        None => path_text::shown(path),
    }
}
