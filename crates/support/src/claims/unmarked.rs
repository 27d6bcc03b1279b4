//! The answer without its marks.

use crate::marks::{Mark, at_line_start, is_joint, marks};
use std::ops::Range;

/// The answer without its marks; positions can be converted back to the answer.
pub(super) struct UnmarkedText {
    pub(super) text: String,
    /// Where each kept piece begins: `(byte of text, byte of the answer)`.
    pieces: Vec<(usize, usize)>,
    /// Each mark with its position in `text`, in bytes.
    marks: Vec<(usize, Mark)>,
}

impl UnmarkedText {
    pub(super) fn new(answer: &str) -> Self {
        let mut bare = Self {
            text: String::with_capacity(answer.len()),
            pieces: Vec::new(),
            marks: Vec::new(),
        };
        let mut from = 0;
        for mark in marks(answer) {
            let between = &answer[from..mark.span.start];
            if from == 0 || !is_joint(between) {
                bare.push(between, from);
                // "mice (a, b)." must read "mice.", for the sentence rules as for people.
                let follows = answer[mark.span.end..].chars().next();
                if follows.is_none_or(|c| !c.is_alphanumeric()) && !at_line_start(&bare.text) {
                    bare.text.truncate(bare.text.trim_end_matches(' ').len());
                }
            }
            from = mark.span.end;
            bare.marks.push((bare.text.len(), mark));
        }
        bare.push(&answer[from..], from);
        bare
    }

    fn push(&mut self, piece: &str, at: usize) {
        if !piece.is_empty() {
            self.pieces.push((self.text.len(), at));
            self.text.push_str(piece);
        }
    }

    pub(super) fn original(&self, at: usize) -> usize {
        // Pieces begin in order, and a piece cut short is followed by the next one.
        let next = self.pieces.partition_point(|(start, _)| *start <= at);
        next.checked_sub(1)
            .map_or(0, |i| self.pieces[i].1 + (at - self.pieces[i].0))
    }

    /// Returns the marks inside the sentence, after it, or before its first word on the same line. `previous` is
    /// the end of the previous sentence.
    pub(super) fn marks_of(&self, sentence: &Range<usize>, previous: usize) -> impl Iterator<Item = &Mark> {
        let next = |from: usize| {
            let rest = &self.text[from..];
            self.text.len() - rest.trim_start().len()
        };
        let limit = next(sentence.end);
        // Whether a mark stands before the first word of a line.
        let opens_line = |at: usize| {
            let ahead = self.text[at..].trim_start_matches([' ', '\t']);
            at_line_start(&self.text[..at]) && !ahead.is_empty() && !ahead.starts_with(['\n', '\r'])
        };
        let first = previous == 0;
        let from = self.marks.partition_point(|(at, _)| *at < previous);
        let to = self.marks.partition_point(|(at, _)| *at <= limit);
        let (start, end) = (sentence.start, sentence.end);
        let mine = self.marks[from..to].iter().filter(move |(at, _)| match *at {
            at if at > start && at < end => true,
            at if at >= end => !opens_line(at),
            at => first || opens_line(at),
        });
        mine.map(|(_, mark)| mark)
    }
}
