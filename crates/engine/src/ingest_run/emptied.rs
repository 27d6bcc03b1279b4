//! A folder that is empty or missing is more often a disk that is not mounted than a library that was thrown away.

use super::plan::{Known, Plan};
use crate::error::EngineError;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use types::SourceId;

/// Refuses a plan that would remove every paper that was read from below one of `roots`, where no paper lies any more.
pub(super) fn check(roots: &[PathBuf], known: &[Known], plan: &Plan) -> Result<(), EngineError> {
    let removed: BTreeSet<&SourceId> = plan.removed.iter().collect();
    let papers = plan.papers.iter().map(|paper| paper.path.as_path());
    let unread = [&plan.unreadable, &plan.failed_before].into_iter().flatten();
    let seen: Vec<&Path> = papers.chain(unread.map(|left| left.path.as_path())).collect();
    for root in roots {
        let held: Vec<&Known> = known
            .iter()
            .filter(|source| source.path.starts_with(root))
            .collect();
        let all_gone = !held.is_empty() && held.iter().all(|source| removed.contains(&source.source_id));
        if all_gone && !seen.iter().any(|path| path.starts_with(root)) {
            return Err(EngineError::EmptiedRoot {
                path: root.clone(),
                state: if root.exists() {
                    "holds no paper"
                } else {
                    "is missing"
                },
                papers: held.len(),
            });
        }
    }
    Ok(())
}
