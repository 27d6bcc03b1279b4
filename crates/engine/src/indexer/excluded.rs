//! Papers that the user removed from the index. A later run skips them until their file is named.

use crate::indexer::IndexerError;
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use types::{SourceId, files::write_atomic};

/// Name of the list in the index folder.
const FILE: &str = "removed.json";

/// One removed paper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Excluded {
    /// Its id in the index that it was removed from.
    pub(crate) source_id: SourceId,
    /// Its file.
    #[serde(with = "types::path_text")]
    pub(crate) path: PathBuf,
    /// The record, where the file holds many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<String>,
    /// Names its content, so that a renamed or copied file is recognised.
    pub(crate) hash: String,
    /// When it was removed, RFC 3339 in UTC.
    pub(crate) at: String,
}

/// The papers that were removed from one index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExcludedList {
    papers: Vec<Excluded>,
}

impl ExcludedList {
    /// The list of an index folder.
    ///
    /// # Errors
    /// When it cannot be read: to take it for empty would add removed papers again.
    pub(crate) fn load(index: &Path) -> Result<Self, IndexerError> {
        let path = index.join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(IndexerError::io("read", path)(error)),
        };
        match serde_json::from_slice(&bytes) {
            Ok(papers) => Ok(Self { papers }),
            Err(reason) => Err(IndexerError::ExcludedDamaged { path, reason }),
        }
    }

    /// Writes the list atomically; no file for an empty one.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(crate) fn save(&self, index: &Path) -> Result<(), IndexerError> {
        let path = index.join(FILE);
        let done = if self.papers.is_empty() {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        } else {
            serde_json::to_vec_pretty(&self.papers)
                .map_err(io::Error::from)
                .and_then(|bytes| write_atomic(&path, &[&bytes]))
        };
        done.map_err(IndexerError::io("write", path))
    }

    /// Adds papers.
    pub(crate) fn extend(&mut self, papers: impl IntoIterator<Item = Excluded>) {
        self.papers.extend(papers);
    }

    /// Whether the list holds this paper, by its place or its content.
    pub(crate) fn holds(&self, path: &Path, record: Option<&str>, hash: &str) -> bool {
        self.papers.iter().any(|excluded| excluded.matches(path, record, hash))
    }

    /// Removes what was added again from the list; returns whether that is anything.
    pub(crate) fn forget(&mut self, added: impl Fn(&Excluded) -> bool) -> bool {
        let before = self.papers.len();
        self.papers.retain(|excluded| !added(excluded));
        self.papers.len() != before
    }
}

impl Excluded {
    /// Whether this is the paper at a place or with a content.
    pub(crate) fn matches(&self, path: &Path, record: Option<&str>, hash: &str) -> bool {
        let same_place = self.path == path && self.record.as_deref() == record;
        same_place || self.hash == hash
    }
}
