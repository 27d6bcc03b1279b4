//! Removes whole sentences from an answer.

mod dependents;

use crate::{
    inline::marked_chunks,
    sentences::{rejoin, sentences},
};
use std::ops::Range;
use support::strip_marks;
use text::word_count;
use types::{Citation, RagResponse};

/// The sentences of an answer.
pub(crate) struct Sentences {
    /// Where they are, marks included.
    pub(crate) spans: Vec<Range<usize>>,
    /// Their words, without marks.
    pub(crate) plain: Vec<String>,
}

impl Sentences {
    pub(crate) fn of(answer: &str) -> Self {
        let spans = sentences(answer);
        let plain = spans
            .iter()
            .map(|span| strip_marks(&answer[span.clone()]).trim().to_owned())
            .collect();
        Self { spans, plain }
    }

    /// The sentences that go when those marked in `own` go: they and those that depend on them.
    pub(crate) fn with_dependents(&self, answer: &str, own: &[bool]) -> Vec<bool> {
        dependents::with_dependents(answer, &self.spans, &self.plain, own)
    }

    /// Whether at least this share of the answer's words is left.
    pub(crate) fn survive(&self, removed: &[bool], min_survival: f32) -> bool {
        let words = |wanted: bool| {
            let counted = self
                .plain
                .iter()
                .zip(removed)
                .filter(|(_, removed)| wanted || !**removed);
            counted.map(|(s, _)| word_count(s)).sum::<usize>()
        };
        let (left, all) = (words(false), words(true));
        left > 0 && left as f32 >= min_survival * all as f32
    }

    /// Removes the marked sentences, and returns the citations that no sentence cites any more.
    pub(crate) fn remove(&self, response: &mut RagResponse, removed: &[bool]) -> Vec<Citation> {
        let before = marked_chunks(&response.answer);
        let keep: Vec<bool> = removed.iter().map(|gone| !gone).collect();
        response.answer = rejoin(&response.answer, &self.spans, &keep);
        let after = marked_chunks(&response.answer);
        let lost = |id: &str| before.contains(id) && !after.contains(id);
        let (left, dropped) = response
            .citations
            .drain(..)
            .partition(|c| !lost(c.chunk_id.as_str()));
        response.citations = left;
        dropped
    }
}
