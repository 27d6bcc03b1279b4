//! A folder that is empty or missing is more often a disk that is not mounted than a collection that was deleted.

use super::plan::IngestPlan;
use crate::{IndexerError, indexed::IndexedSource};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use types::SourceId;

/// Refuses a plan that would remove every paper that was read from below one of `roots`, where no paper lies any more.
pub(super) fn refuse_emptied_roots(
    roots: &[PathBuf],
    indexed: &[IndexedSource],
    plan: &IngestPlan,
) -> Result<(), IndexerError> {
    let removed: BTreeSet<&SourceId> = plan.removed.iter().collect();
    let papers = plan.papers.iter().map(|paper| paper.path.as_path());
    let unread = [&plan.unreadable, &plan.failed_before].into_iter().flatten();
    let found: Vec<&Path> = papers.chain(unread.map(|left| left.path.as_path())).collect();
    for root in roots {
        let held = indexed
            .iter()
            .filter(|source| source.is_below(std::slice::from_ref(root)));
        let gone = held.filter(|source| removed.contains(&source.source_id)).count();
        if gone > 0 && !found.iter().any(|path| path.starts_with(root)) {
            return Err(IndexerError::EmptiedRoot {
                path: root.clone(),
                state: if root.exists() {
                    "holds no paper"
                } else {
                    "is missing"
                },
                papers: gone,
            });
        }
    }
    Ok(())
}
