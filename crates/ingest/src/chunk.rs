//! Chunks: overlapping runs of whole sentences of one section, small enough to be retrieved and cited.
//!
//! Neighbouring sections of one label ("2.1 Participants" and "2.2 Outcomes", both methods) are cut together: their sentences are
//! packed greedily into chunks of at most 768 `cl100k_base` tokens, prefix included, neighbours sharing up to 100 tokens of whole
//! sentences. Reference lists are left out ([`types::SectionKind::indexed`]).
//!
//! What holds of the result, and is tested: the text of a chunk is a slice of the document's text; every
//! character of an indexed section that is not white space lies in a sentence, and every sentence in a
//! chunk; headings are no sentences; a sentence never spans two blocks; no chunk exceeds its limit; the chunks of a document depend on
//! that document and the settings alone.

use crate::tokens::{self, Counted};
use prefix::Prefix;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, ops::Range};
use types::{Chunk, ChunkId, Document, Section, SectionKind, SentenceSpan, Span, table_head};
use units::Unit;

mod prefix;
#[cfg(test)]
mod tests;
mod units;

/// Changes whenever the same document and settings may give other chunks, or other terms of them; part of cache keys.
pub const CHUNKER_VERSION: &str = "7";

/// Sizes in `cl100k_base` tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChunkSettings {
    /// Largest chunk, at least 64; the prefix is included where `count_prefix` says so.
    pub max_tokens: usize,
    /// Largest text that two neighbours of a section share; 0 for none. At most half of `max_tokens`.
    pub overlap_tokens: usize,
    /// Longest sentence; what is longer (run-on lists, broken tables) is cut between words. The default lets
    /// a sentence of common prose fit an embedding model of 256 word pieces.
    pub max_sentence_tokens: usize,
    /// Whether the tokens of the prefix count towards `max_tokens`; the earlier system did not count them.
    pub count_prefix: bool,
    /// Longest prefix; a longer one is left away. At most half of `max_tokens`.
    pub prefix_tokens: usize,
}

impl Default for ChunkSettings {
    /// The values of the settings; a test compares them.
    fn default() -> Self {
        Self {
            max_tokens: 768,
            overlap_tokens: 100,
            max_sentence_tokens: 200,
            prefix_tokens: 60,
            count_prefix: true,
        }
    }
}

impl ChunkSettings {
    /// The nearest settings that can be kept to: a unit and the prefix always fit a chunk together.
    #[must_use]
    pub fn clamped(self) -> Self {
        /// A line feed between prefix and text, and what tokens may differ by where they are joined.
        const JOIN: usize = 8;
        let max_tokens = self.max_tokens.max(64);
        let prefix_tokens = self.prefix_tokens.min(max_tokens / 2);
        Self {
            max_tokens,
            overlap_tokens: self.overlap_tokens.min(max_tokens / 2),
            max_sentence_tokens: self.max_sentence_tokens.clamp(8, max_tokens - prefix_tokens - JOIN),
            prefix_tokens,
            count_prefix: self.count_prefix,
        }
    }
}

/// A sentence of a source, apart from the chunks that hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSentence {
    /// Bytes into [`Document::text`].
    pub span: Span,
    /// Page on which it starts.
    pub page: u32,
    /// Its section.
    pub section: SectionKind,
}

/// A document cut into chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunked {
    /// The chunks, in reading order.
    pub chunks: Vec<Chunk>,
    /// The sentences that the chunks share, in reading order; [`SentenceSpan::number`] counts in this list.
    pub sentences: Vec<SourceSentence>,
}

/// Cuts the indexed sections of `document` into chunks. Settings that cannot be kept to are moved to the
/// nearest that can ([`ChunkSettings::clamped`]). A section of white space gives no chunk.
///
/// ```
/// use types::{Document, Section, SectionKind, Span};
///
/// let text = "Ten adults took part. All gave consent.".to_owned();
/// let methods = Section {
///     name: SectionKind::Methods,
///     heading: "2.1. Participants".to_owned(),
///     level: 2,
///     page_start: 3,
///     page_end: 3,
///     span: Span::new(0, text.len()),
///     blocks: Vec::new(),
/// };
/// let mut paper = Document { text, sections: vec![methods], ..Document::default() };
/// paper.meta.source_id = "lee_2020".into();
///
/// let cut = ingest::chunk::chunk(&paper, &Default::default());
/// assert_eq!(cut.chunks[0].chunk_id.as_str(), "lee_2020__methods__000");
/// assert_eq!(cut.chunks[0].prefix, "[Source: lee_2020 | Section: methods | Pages: 3]");
/// assert_eq!(cut.sentences.len(), 2);
/// ```
pub fn chunk(document: &Document, settings: &ChunkSettings) -> Chunked {
    let settings = settings.clamped();
    let budget = Budget {
        chunk: settings.max_tokens,
        overlap: settings.overlap_tokens,
        count_prefix: settings.count_prefix,
    };
    let mut out = Chunked::default();
    let mut numbers: BTreeMap<SectionKind, usize> = BTreeMap::new();
    let together = |a: &Section, b: &Section| a.name == b.name && a.span.end <= b.span.start;
    for run in document.sections.chunk_by(together) {
        let section = &run[0];
        if !section.name.indexed() {
            continue;
        }
        let end = run.last().map_or(section.span.end, |last| last.span.end);
        let counted = Counted::new(&document.text, section.span.start..end);
        let (mut units, mut owners) = (Vec::new(), Vec::new());
        for (at, section) in run.iter().enumerate() {
            units.extend(units::units(document, section, settings.max_sentence_tokens, &counted));
            owners.resize(units.len(), at);
        }
        let first_sentence = out.sentences.len();
        out.sentences.extend(units.iter().map(|u| SourceSentence {
            span: u.span,
            page: u.page_start,
            section: section.name,
        }));
        let prefix = Prefix::new(&document.meta.source_id, section.name, settings.prefix_tokens);
        for packed in pack(&counted, &units, &prefix, budget) {
            let number = numbers.entry(section.name).or_default();
            let chunk_id = ChunkId::from_parts(&document.meta.source_id, section.name, *number);
            *number += 1;
            let inside = &units[packed.units.clone()];
            let (Some(first), Some(last)) = (inside.first(), inside.last()) else {
                continue;
            };
            let span = Span::new(first.span.start, last.span.end);
            let line = |unit: &Unit| &document.text[unit.span.range()];
            let before = units[..packed.units.start].iter().rev().map(line);
            let sentences = inside.iter().enumerate().map(|(i, unit)| SentenceSpan {
                span: unit.span.shifted_left(span.start),
                number: u32::try_from(first_sentence + packed.units.start + i).unwrap_or(u32::MAX),
                page: unit.page_start,
            });
            out.chunks.push(Chunk {
                chunk_id,
                source_id: document.meta.source_id.clone(),
                section: section.name,
                heading: headings(&run[owners[packed.units.start]..=owners[packed.units.end - 1]]),
                ordinal: u32::try_from(out.chunks.len()).unwrap_or(u32::MAX),
                page_start: packed.pages.0,
                page_end: packed.pages.1,
                span,
                prefix: packed.prefix,
                text: document.text[span.range()].to_owned(),
                tokens: u32::try_from(packed.tokens).unwrap_or(u32::MAX),
                sentences: sentences.collect(),
                table_head: table_head(before, inside.iter().map(line)),
            });
        }
    }
    out
}

/// The headings of these sections in one line.
fn headings(sections: &[Section]) -> String {
    let printed = sections.iter().map(|section| section.heading.trim());
    let known: Vec<&str> = printed.filter(|heading| !heading.is_empty()).collect();
    known.join("; ")
}

/// A chunk before it has a name.
struct Packed {
    /// Its units, as positions in the section's list.
    units: Range<usize>,
    /// First and last page.
    pages: (u32, u32),
    /// Its prefix.
    prefix: String,
    /// Tokens of prefix, line feed and text.
    tokens: usize,
    /// Those of the text alone.
    text_tokens: usize,
}

/// What a chunk may hold.
#[derive(Clone, Copy)]
struct Budget {
    /// Tokens of a chunk.
    chunk: usize,
    /// Tokens shared by neighbours.
    overlap: usize,
    /// Whether prefix and line feed count towards `chunk`.
    count_prefix: bool,
}

/// Packs `units` greedily: each chunk takes as many as fit, and begins with the last whole units of its
/// predecessor that keep within the overlap. Sizes are estimated by adding up units; each chunk is then
/// counted once as it is, and gives units back in the rare case that the sum was too low.
fn pack(text: &Counted<'_>, units: &[Unit], prefix: &Prefix, budget: Budget) -> Vec<Packed> {
    let of_prefix = |tokens: usize| if budget.count_prefix { tokens } else { 0 };
    let mut chunks: Vec<Packed> = Vec::new();
    let mut start = 0;
    let mut covered = 0;
    while covered < units.len() {
        // The prefix depends on the pages, of which only the first is known yet.
        let page = units[covered].page_end;
        let widest = prefix.with_pages((page, page.saturating_add(1)));
        let before_text = of_prefix(tokens::count(&widest) + 1);
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
            let counted = packed.text_tokens + of_prefix(packed.tokens - packed.text_tokens);
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
    Packed { units: range, pages: (first, last), prefix, tokens, text_tokens: body }
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
