//! Rewriting the inline marks `(source_id, chunk_id)` of an answer.

use std::collections::BTreeSet;
use support::{Mark, marks, rewrite_marks};
use types::{ChunkId, SourceId};

/// What becomes of a mark.
pub(crate) enum Edit {
    /// It stays as written.
    Keep,
    /// It goes.
    Drop,
    /// It names another chunk.
    Replace(SourceId, ChunkId),
}

/// The answer with each mark edited; byte for byte the same when every mark is kept.
pub(crate) fn rewrite(answer: &str, edit: impl FnMut(&Mark) -> Edit) -> String {
    let edits: Vec<Edit> = marks(answer).iter().map(edit).collect();
    if edits.iter().all(|e| matches!(e, Edit::Keep)) {
        return answer.to_owned();
    }
    let mut edits = edits.into_iter();
    rewrite_marks(answer, |mark| match edits.next() {
        Some(Edit::Replace(source, chunk)) => Some((source.to_string(), chunk.to_string())),
        Some(Edit::Drop) => None,
        Some(Edit::Keep) | None => Some((mark.source.clone(), mark.chunk.clone())),
    })
}

/// The chunks that an answer's marks name.
pub(crate) fn marked_chunks(answer: &str) -> BTreeSet<String> {
    marks(answer)
        .into_iter()
        .map(|m| m.chunk.trim().to_owned())
        .collect()
}
