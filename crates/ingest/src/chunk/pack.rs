//! Packing the sentences of one section into overlapping chunks.

use super::{prefix::Prefix, units::Unit};
use crate::tokens::{self, Counted};
use std::ops::Range;

/// A chunk before it has a name.
pub(super) struct Packed {
    /// Its units, as positions in the section's list.
    pub(super) units: Range<usize>,
    /// First and last page.
    pub(super) pages: (u32, u32),
    /// Its prefix.
    pub(super) prefix: String,
    /// Tokens of prefix, line feed and text.
    pub(super) tokens: usize,
    /// Those of the text alone.
    text_tokens: usize,
}

/// What a chunk may hold.
#[derive(Clone, Copy)]
pub(super) struct Budget {
    /// Tokens of a chunk.
    pub(super) chunk: usize,
    /// Tokens shared by neighbours.
    pub(super) overlap: usize,
    /// Whether prefix and line feed count towards `chunk`.
    pub(super) count_prefix: bool,
}

/// Packs `units` greedily: each chunk takes as many as fit, and begins with the last whole units of its
/// predecessor that keep within the overlap. Sizes are estimated by adding up units; each chunk is then
/// counted once as it is, and gives units back in the rare case that the sum was too low.
pub(super) fn pack(text: &Counted<'_>, units: &[Unit], prefix: &Prefix, budget: Budget) -> Vec<Packed> {
    let mut chunks: Vec<Packed> = Vec::new();
    let mut start = 0;
    let mut covered = 0;
    while covered < units.len() {
        // The prefix depends on the pages, of which only the first is known yet.
        let page = units[covered].page_end;
        let before_text = if budget.count_prefix {
            tokens::count(&prefix.with_pages((page, page.saturating_add(1)))) + 1
        } else {
            0
        };
        let room = budget.chunk.saturating_sub(before_text);
        let mut sum = estimate(&units[start..=covered]);
        while start < covered && sum > room {
            start += 1;
            sum = estimate(&units[start..=covered]);
        }
        let mut end = covered + 1;
        while let Some(unit) = units.get(end)
            && sum + unit.tokens <= room
        {
            sum += unit.tokens;
            end += 1;
        }
        let packed = loop {
            let packed = measure(text, units, start..end, prefix);
            let counted = if budget.count_prefix {
                packed.tokens
            } else {
                packed.text_tokens
            };
            if counted <= budget.chunk {
                break packed;
            }
            if end > covered + 1 {
                end -= 1;
            } else if start < covered {
                start += 1;
            } else {
                // One unit alone: the limits of units and prefix keep it within the budget.
                break packed;
            }
        };
        covered = packed.units.end;
        start = overlap_start(text, units, &packed.units, budget.overlap);
        chunks.push(packed);
    }
    chunks
}

/// Where the chunk behind `previous` begins: never at the same unit, or it would hold all of it again.
fn overlap_start(text: &Counted<'_>, units: &[Unit], previous: &Range<usize>, limit: usize) -> usize {
    let mut start = previous.end;
    let mut sum = 0;
    while start > previous.start + 1 && sum + units[start - 1].tokens <= limit {
        start -= 1;
        sum += units[start].tokens;
    }
    while start < previous.end && text.count(extent(units, start..previous.end)) > limit {
        start += 1;
    }
    start
}

fn measure(text: &Counted<'_>, units: &[Unit], range: Range<usize>, prefix: &Prefix) -> Packed {
    let inside = &units[range.clone()];
    let first = inside.iter().map(|u| u.page_start).min().unwrap_or_default();
    let last = inside.iter().map(|u| u.page_end).max().unwrap_or_default();
    let prefix = prefix.with_pages((first, last));
    let body = text.count(extent(units, range.clone()));
    // A line feed ends a piece, and a unit never begins with white space: the sum is the count of both together.
    let tokens = match prefix.as_str() {
        "" => body,
        prefix => tokens::count(&format!("{prefix}\n")) + body,
    };
    Packed {
        units: range,
        pages: (first, last),
        prefix,
        tokens,
        text_tokens: body,
    }
}

/// From the first to the last of these units, white space between them included.
fn extent(units: &[Unit], range: Range<usize>) -> Range<usize> {
    match &units[range] {
        [] => 0..0,
        [only] => only.span.range(),
        [first, .., last] => first.span.start..last.span.end,
    }
}

/// Tokens of consecutive units together, nearly: white space before the first is left out.
fn estimate(units: &[Unit]) -> usize {
    match units {
        [] => 0,
        [first, rest @ ..] => first.tokens_first + rest.iter().map(|u| u.tokens).sum::<usize>(),
    }
}
