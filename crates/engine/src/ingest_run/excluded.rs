//! Papers that the user removed from the index. A later run skips them until their file is named.

use super::plan::{Known, LeftOut, Paper, Plan};
use crate::{cache, error::EngineError};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};
use types::SourceId;

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
    pub(crate) fn load(index: &Path) -> Result<Self, EngineError> {
        let path = index.join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(EngineError::io("read", path)(error)),
        };
        let papers = serde_json::from_slice(&bytes).map_err(|error| {
            let what = format!("{} is damaged ({error})", path.display());
            EngineError::Message(format!(
                "{what}; it lists the papers removed with `pipeline sources remove`: delete it to add them all again"
            ))
        })?;
        Ok(Self { papers })
    }

    /// Writes the list, whole or not at all; no file for an empty one.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(crate) fn save(&self, index: &Path) -> Result<(), EngineError> {
        let path = index.join(FILE);
        let done = if self.papers.is_empty() {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        } else {
            serde_json::to_vec_pretty(&self.papers)
                .map_err(io::Error::from)
                .and_then(|bytes| cache::write_whole(&path, &[&bytes]))
        };
        done.map_err(EngineError::io("write", path))
    }

    /// Adds papers.
    pub(crate) fn extend(&mut self, papers: impl IntoIterator<Item = Excluded>) {
        self.papers.extend(papers);
    }

    /// Moves the removed papers of a plan to what is skipped, but not one whose file the user named, nor a copy
    /// that the index still holds.
    pub(super) fn apply(&self, plan: &mut Plan, known: &[Known]) {
        if self.papers.is_empty() {
            return;
        }
        let held: BTreeSet<&SourceId> = known.iter().map(|known| &known.source_id).collect();
        let papers = std::mem::take(&mut plan.papers);
        for paper in papers {
            let named = paper.root == paper.path;
            if self.holds(&paper) && !named && !held.contains(&paper.source_id) {
                plan.skipped.push(LeftOut {
                    path: paper.path,
                    reason: "removed with `pipeline sources remove`; name the file to add it again"
                        .to_owned(),
                });
            } else {
                plan.papers.push(paper);
            }
        }
    }

    /// Forgets what was added again.
    pub(super) fn forget(&mut self, added: &[Paper]) -> bool {
        let before = self.papers.len();
        self.papers
            .retain(|excluded| !added.iter().any(|paper| excluded.is(paper)));
        self.papers.len() != before
    }

    fn holds(&self, paper: &Paper) -> bool {
        self.papers.iter().any(|excluded| excluded.is(paper))
    }
}

impl Excluded {
    fn is(&self, paper: &Paper) -> bool {
        let place = self.path == paper.path && self.record == paper.record;
        place || self.hash == paper.hash
    }
}
