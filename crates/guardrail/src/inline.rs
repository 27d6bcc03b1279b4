//! Rewriting the inline marks `(source_id, chunk_id)` of an answer.

use evidence::support::{Mark, marks, rewrite_marks};
use std::collections::BTreeSet;
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

/// The answer with each mark edited; byte for byte the same when every mark is kept. Marks side by side that name the same
/// chunk after the edit become one.
pub(crate) fn rewrite(answer: &str, edit: impl FnMut(&Mark) -> Edit) -> String {
    let marks = marks(answer);
    let edits: Vec<Edit> = marks.iter().map(edit).collect();
    if edits.iter().all(|e| matches!(e, Edit::Keep)) {
        return answer.to_owned();
    }
    let mut written = Vec::new();
    let mut side_by_side: Vec<(String, String)> = Vec::new();
    let mut end = 0;
    for (mark, edit) in marks.iter().zip(edits) {
        if !answer[end..mark.span.start].trim().is_empty() {
            side_by_side.clear();
        }
        end = mark.span.end;
        let named = match edit {
            Edit::Replace(source, chunk) => Some((source.to_string(), chunk.to_string())),
            Edit::Drop => None,
            Edit::Keep => Some((mark.source.clone(), mark.chunk.clone())),
        };
        let new = named.filter(|named| !side_by_side.contains(named));
        side_by_side.extend(new.clone());
        written.push(new);
    }
    let mut written = written.into_iter();
    rewrite_marks(answer, |_| written.next().flatten())
}

/// The chunks that an answer's marks name.
pub(crate) fn marked_chunks(answer: &str) -> BTreeSet<String> {
    marks(answer).into_iter().map(|m| m.chunk.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_side_by_side_that_come_to_name_one_chunk_become_one() {
        let check = |answer: &str, want: &str| {
            let moved = |mark: &Mark| match mark.chunk.as_str() {
                "a__body__000" => Edit::Replace("a".into(), "a__body__001".into()),
                _ => Edit::Keep,
            };
            assert_eq!(rewrite(answer, moved), want, "{answer}");
        };
        let one = "It rose (a, a__body__001).";
        check("It rose (a, a__body__000) (a, a__body__001).", one);
        check("It rose (a, a__body__001) (a, a__body__000).", one);
        check("It rose (a, a__body__000; a, a__body__001).", one);
        check(
            "It rose (a, a__body__000) (b, b__body__000) (a, a__body__001).",
            "It rose (a, a__body__001) (b, b__body__000).",
        );
        // In another sentence, or within one, the mark has its own place.
        check(
            "It rose (a, a__body__000). It fell (a, a__body__001).",
            "It rose (a, a__body__001). It fell (a, a__body__001).",
        );
        // Nothing to edit: as the model wrote it.
        let twice = "It rose (b, b__body__000) (b, b__body__000).";
        check(twice, twice);
    }
}
