//! The sentences of a section: the smallest pieces that chunks are made of.

use crate::tokens::Counted;
use std::ops::Range;
use types::{Block, BlockKind, Document, Section, Span};

/// A sentence, or what counts as one: a caption, a table row, an equation, a piece of an over-long sentence.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// Bytes into the document's text; trimmed, never empty.
    pub(super) span: Span,
    /// Page of its first byte.
    pub(super) page_start: u32,
    /// Page of its last byte.
    pub(super) page_end: u32,
    /// Tokens of its text with the white space before it: its share of a chunk that it does not begin.
    /// Counting white space with what follows comes closest to additive in `cl100k_base`, whose tokens carry
    /// their space in front.
    pub(super) tokens: usize,
    /// Tokens of its text when it begins a chunk, at most one too many.
    pub(super) tokens_first: usize,
}

/// The units of `section`, in order, together covering every character of it that is not white space. None
/// spans two blocks; none has more than `limit` tokens.
///
/// Text of the section that lies in no block is treated as a paragraph, and spans that are out of bounds or
/// overlap are narrowed, so that no text is lost or doubled whatever the parser reports.
/// `counted` is the document's text.
pub(super) fn units(
    document: &Document,
    section: &Section,
    limit: usize,
    counted: &Counted<'_>,
) -> Vec<Unit> {
    let text = document.text.as_str();
    let end = text.floor_char_boundary(section.span.end.min(text.len()));
    let mut at = text.floor_char_boundary(section.span.start.min(end));
    let mut collector = Collector { text, counted, limit, reached: at, units: Vec::new() };
    let mut page = section.page_start;
    for block in &section.blocks {
        let from = text.floor_char_boundary(block.span.start.min(end)).max(at);
        let to = text.floor_char_boundary(block.span.end.min(end)).max(from);
        collector.prose(at..from, |_| page);
        collector.block(block, from..to);
        at = to;
        page = block.page_at(to.saturating_sub(1));
    }
    collector.prose(at..end, |_| page);
    collector.units
}

struct Collector<'a> {
    text: &'a str,
    counted: &'a Counted<'a>,
    limit: usize,
    /// End of the last unit.
    reached: usize,
    units: Vec<Unit>,
}

impl Collector<'_> {
    fn block(&mut self, block: &Block, range: Range<usize>) {
        let page_of = |at| block.page_at(at);
        let whole = matches!(block.kind, BlockKind::TableRow | BlockKind::Caption | BlockKind::Equation);
        let trimmed = trim(self.text, range.clone());
        if whole && self.count(&trimmed) <= self.limit {
            self.push(trimmed, page_of);
        } else {
            self.prose(range, page_of);
        }
    }

    /// Running text: one unit for each sentence.
    fn prose(&mut self, range: Range<usize>, page_of: impl Fn(usize) -> u32 + Copy) {
        for sentence in text::sentences(&self.text[range.clone()]) {
            self.sentence(range.start + sentence.start..range.start + sentence.end, page_of);
        }
    }

    /// One sentence, in pieces when it is too long.
    fn sentence(&mut self, range: Range<usize>, page_of: impl Fn(usize) -> u32 + Copy) {
        let mut rest = trim(self.text, range);
        while !rest.is_empty() {
            let piece = self.fitting(&rest);
            self.push(trim(self.text, piece.clone()), page_of);
            rest = trim(self.text, piece.end..rest.end);
        }
    }

    /// The longest head of `range` that is found to keep within the limit: all of it, or cut behind white
    /// space where the latter half of the piece has some.
    fn fitting(&self, range: &Range<usize>) -> Range<usize> {
        // A token has at least one byte, so a short text needs no counting.
        if range.len() <= self.limit {
            return range.clone();
        }
        // Few tokens are longer than eight bytes; a longer head would only be cut back.
        let widest = range.start.saturating_add(self.limit.saturating_mul(8));
        let mut end = self.text.floor_char_boundary(widest.min(range.end));
        loop {
            let count = self.count(&(range.start..end));
            if count <= self.limit {
                break;
            }
            let shorter = range.start + (end - range.start) * self.limit / count;
            let first = range.start + self.text[range.start..].chars().next().map_or(1, char::len_utf8);
            if shorter <= first {
                end = first;
                break;
            }
            end = self.text.floor_char_boundary(shorter).min(end - 1);
            end = self.text.floor_char_boundary(end).max(first);
        }
        if end < range.end {
            end = end_of_word(self.text, range.start, end);
        }
        range.start..end
    }

    fn push(&mut self, range: Range<usize>, page_of: impl Fn(usize) -> u32) {
        if range.is_empty() {
            return;
        }
        let with_gap = self.reached.min(range.start)..range.end;
        let tokens = self.count(&with_gap);
        // Usually the gap is one character and does not change the count: then one count serves for both.
        let tokens_first = if range.start - with_gap.start <= 1 { tokens } else { self.count(&range) };
        self.reached = range.end;
        self.units.push(Unit {
            page_start: page_of(range.start),
            page_end: page_of(range.end - 1),
            span: Span::from(range),
            tokens,
            tokens_first,
        });
    }

    fn count(&self, range: &Range<usize>) -> usize {
        self.counted.count(range.clone())
    }
}

/// `range` without white space at either end.
fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let start = range.start + (inside.len() - inside.trim_start().len());
    start..(range.start + inside.trim_end().len()).max(start)
}

/// Moves `at` back to the end of the last white space in the latter half of `start..at`, if `at` lies inside a word.
fn end_of_word(text: &str, start: usize, at: usize) -> usize {
    if text[at..].starts_with(char::is_whitespace) {
        return at;
    }
    let half = start + (at - start) / 2;
    text[start..at]
        .char_indices()
        .rev()
        .map(|(i, c)| (start + i, c))
        .take_while(|&(i, _)| i >= half)
        .find(|&(_, c)| c.is_whitespace())
        .map_or(at, |(i, c)| i + c.len_utf8())
}
