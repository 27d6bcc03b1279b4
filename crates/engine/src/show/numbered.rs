//! An answer as people read it: numbers in place of marks, and a list of sources with the places that are cited.

use super::{Reference, flat};
use evidence::support::marks;
use std::ops::Range;
use types::{Citation, Confidence, ContextRecord, ResponseRecord, SectionKind, SourceId};

/// An answer and its sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbered {
    /// The answer.
    pub blocks: Vec<Block>,
    /// The sources; source number 1 comes first.
    pub sources: Vec<Cited>,
}

/// A part of an answer that stands on its own lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Text of the answer.
    Prose {
        /// Its text and its numbers.
        pieces: Vec<Piece>,
        /// Whether an empty line stands before it.
        apart: bool,
    },
    /// Sentences that stand in their source word for word, one after the other.
    Quote {
        /// The sentences, without quotation marks.
        text: String,
        /// Of a passage that may answer, the sentence that most likely does, which is cited first: bytes of `text`.
        first: Option<Range<usize>>,
        /// The numbers of its sources.
        sources: Vec<usize>,
    },
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words.
    Text(String),
    /// The number of a source, from 1.
    Mark(usize),
}

/// A source of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cited {
    /// The source.
    pub reference: Reference,
    /// The places that are cited, in the order in which the answer cites them.
    pub places: Vec<Place>,
}

/// A place in a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its section.
    pub section: Option<SectionKind>,
    /// First and last page.
    pub pages: Option<(u32, u32)>,
    /// What is quoted from it.
    pub quotes: Vec<ShownQuote>,
}

/// A quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownQuote {
    /// The quote on one line, with "…" where its sentence goes on.
    pub text: String,
    /// Whether the answer holds it word for word, so that it need not be printed again.
    pub in_answer: bool,
}

/// Numbers the sources of a response in the order in which its answer cites them. `context` is what the answer was
/// written from. An answer of which every cited sentence stands word for word in a chunk that it cites becomes
/// quotes; any other stays prose.
pub(super) fn number(
    response: &ResponseRecord,
    context: &[ContextRecord],
    reference: impl Fn(&SourceId) -> Reference,
) -> Numbered {
    let answer = response.answer.trim();
    let mut order: Vec<SourceId> = Vec::new();
    let sentences = cut(answer, response, context, &mut order);
    let whole = flat(&evidence::support::strip_marks(answer));
    let mut sources: Vec<Cited> = Vec::new();
    let rest = response.citations.iter().map(|c| c.source_id.clone());
    for id in rest {
        place_of(&mut order, &id);
    }
    for id in &order {
        let own: Vec<&Citation> = response.citations.iter().filter(|c| c.source_id == *id).collect();
        sources.push(Cited { reference: reference(id), places: places(&own, &whole) });
    }
    Numbered { blocks: quotes(&sentences, response, context).unwrap_or_else(|| prose(&sentences)), sources }
}

/// A part of an answer with what it cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedText {
    /// Its text, line breaks included.
    pub text: String,
    /// The places of its quotes in the citations of the answer, from 0.
    pub citations: Vec<usize>,
}

/// The parts of an answer, each with the citations of the passages that it cites: the quotes that it holds word for word, else
/// all quotes of the passage.
pub fn cited_texts(answer: &str, citations: &[Citation]) -> Vec<CitedText> {
    let response = ResponseRecord {
        answer: answer.to_owned(),
        citations: citations.to_vec(),
        ..ResponseRecord::default()
    };
    let quotes: Vec<String> = citations.iter().map(|citation| flat(&citation.relevant_quote)).collect();
    let cited = |sentence: &Sentence| {
        let own = flat(after_stop(&sentence.text));
        let mut out = Vec::new();
        for chunk in &sentence.chunks {
            let of_chunk = |at: &usize| citations[*at].chunk_id.as_str() == chunk;
            let all: Vec<usize> = (0..citations.len()).filter(of_chunk).collect();
            let is_held =
                |at: &usize| own.contains(&quotes[*at]) || !own.is_empty() && quotes[*at].contains(&own);
            let held: Vec<usize> = all.iter().copied().filter(is_held).collect();
            out.extend(if held.is_empty() { all } else { held });
        }
        let mut seen = std::collections::BTreeSet::new();
        out.retain(|at| seen.insert(*at));
        out
    };
    let sentences = cut(answer.trim(), &response, &[], &mut Vec::new());
    sentences.into_iter().map(|one| CitedText { citations: cited(&one), text: one.text }).collect()
}

/// What stands before a group of marks, and the group.
struct Sentence {
    text: String,
    sources: Vec<usize>,
    chunks: Vec<String>,
}

/// Cuts an answer behind each group of marks; `order` gets the sources in the order of their marks.
fn cut(
    answer: &str,
    response: &ResponseRecord,
    context: &[ContextRecord],
    order: &mut Vec<SourceId>,
) -> Vec<Sentence> {
    let mut out: Vec<Sentence> = Vec::new();
    let mut from = 0;
    for mark in marks(answer) {
        let between = answer.get(from..mark.span.start).unwrap_or_default();
        let cited = response.citations.iter().find(|c| c.chunk_id.as_str() == mark.chunk);
        let seen = context.iter().find(|c| c.chunk_id.as_str() == mark.chunk);
        let id = cited
            .map(|c| c.source_id.clone())
            .or_else(|| seen.map(|c| c.source_id.clone()))
            .unwrap_or_else(|| SourceId::from(mark.source.as_str()));
        let number = place_of(order, &id);
        match out.last_mut() {
            Some(last) if is_joint(between) => {
                if !last.sources.contains(&number) {
                    last.sources.push(number);
                }
                last.chunks.push(mark.chunk);
            }
            _ => out.push(Sentence {
                text: between.to_owned(),
                sources: vec![number],
                chunks: vec![mark.chunk],
            }),
        }
        from = mark.span.end;
    }
    let rest = answer.get(from..).unwrap_or_default();
    if !rest.is_empty() {
        out.push(Sentence { text: rest.to_owned(), sources: Vec::new(), chunks: Vec::new() });
    }
    out
}

/// The number of a source, from 1; one that is new comes last.
fn place_of(order: &mut Vec<SourceId>, id: &SourceId) -> usize {
    if let Some(at) = order.iter().position(|known| known == id) {
        return at + 1;
    }
    order.push(id.clone());
    order.len()
}

/// Whether text between two marks only joins them.
fn is_joint(between: &str) -> bool {
    !between.contains('\n') && matches!(between.trim(), "" | "," | ";" | "and" | ", and" | "&")
}

/// The answer as quotes, with the lines that are not cited and what rows of tables say between them; `None` when another cited
/// sentence is not verbatim in every chunk that it cites.
fn quotes(
    sentences: &[Sentence],
    response: &ResponseRecord,
    context: &[ContextRecord],
) -> Option<Vec<Block>> {
    let mut blocks = Vec::new();
    let is_unsure = response.confidence == Confidence::Low.as_str();
    for (i, sentence) in sentences.iter().enumerate() {
        // The full stop of a sentence follows its marks, so it is at the start of the next piece.
        let own = if i == 0 { sentence.text.as_str() } else { after_stop(&sentence.text) };
        let (before, last) = own.rsplit_once('\n').unwrap_or(("", own));
        let (lines, quoted) = if sentence.sources.is_empty() { (own, "") } else { (before, last) };
        for line in lines.lines().map(flat).filter(|line| !line.is_empty()) {
            blocks.push(Block::Prose { pieces: vec![Piece::Text(line)], apart: true });
        }
        if sentence.sources.is_empty() {
            continue;
        }
        let text = flat(quoted);
        let verbatim = |chunk: &String| {
            let chunk = context.iter().find(|c| c.chunk_id.as_str() == *chunk);
            chunk.is_some_and(|c| flat(&c.text).contains(&text))
        };
        let is_verbatim = sentence.chunks.iter().all(verbatim);
        let mut of_row = response.citations.iter().filter(|c| c.relevant_quote.contains(" | "));
        if text.is_empty()
            || !is_verbatim && !of_row.any(|c| sentence.chunks.contains(&c.chunk_id.to_string()))
        {
            return None;
        }
        let sources = sentence.sources.clone();
        let cited = |text: &str| {
            let mut quotes = response.citations.iter().map(|c| flat(&c.relevant_quote));
            quotes.position(|quote| text.contains(&quote)).unwrap_or(usize::MAX)
        };
        let runs_on = !own.contains('\n') && is_verbatim;
        if let Some(Block::Quote { text: before, first, sources: earlier }) =
            blocks.last_mut().filter(|_| runs_on)
        {
            let in_all = |joined: &String| {
                sentence.chunks.iter().all(|chunk| {
                    let mut own = context.iter().filter(|c| c.chunk_id.as_str() == *chunk);
                    own.any(|c| flat(&c.text).contains(joined))
                })
            };
            // Chinese and Japanese set no space between sentences.
            let both = [" ", ""].map(|space| format!("{before}{space}{text}"));
            if let Some(joined) = both.into_iter().find(in_all).filter(|_| *earlier == sources) {
                let known = first.clone().unwrap_or(0..before.len());
                let new = joined.len() - text.len()..joined.len();
                let comes_first = cited(&text) < cited(&before[known.clone()]);
                *first = is_unsure.then_some(if comes_first { new } else { known });
                *before = joined;
                continue;
            }
        }
        blocks.push(if is_verbatim {
            Block::Quote { text, first: None, sources }
        } else {
            let marks = sources.into_iter().map(Piece::Mark);
            let pieces = std::iter::once(Piece::Text(text + " ")).chain(marks).collect();
            Block::Prose { pieces, apart: true }
        });
    }
    sentences.iter().any(|one| !one.sources.is_empty()).then_some(blocks)
}

fn after_stop(text: &str) -> &str {
    text.trim_start_matches(['.', ',', ';', ':', ' '])
}

/// The answer line by line.
fn prose(sentences: &[Sentence]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut apart = false;
    let close = |pieces: &mut Vec<Piece>, apart: &mut bool, blocks: &mut Vec<Block>| {
        if pieces.is_empty() {
            *apart = true;
        } else {
            blocks.push(Block::Prose { pieces: std::mem::take(pieces), apart: *apart && !blocks.is_empty() });
            *apart = false;
        }
    };
    for sentence in sentences {
        for (i, line) in sentence.text.split('\n').enumerate() {
            if i > 0 {
                close(&mut pieces, &mut apart, &mut blocks);
            }
            let indented = if pieces.is_empty() { line.trim_start() } else { line };
            if !indented.is_empty() {
                pieces.push(Piece::Text(indented.to_owned()));
            }
        }
        pieces.extend(sentence.sources.iter().map(|n| Piece::Mark(*n)));
    }
    close(&mut pieces, &mut apart, &mut blocks);
    blocks
}

/// The citations of one source by place.
fn places(citations: &[&Citation], answer: &str) -> Vec<Place> {
    let mut out: Vec<Place> = Vec::new();
    for citation in citations {
        let bare = flat(&citation.relevant_quote);
        let pages = citation.page_start.map(|first| (first, citation.page_end.unwrap_or(first)));
        let quote = ShownQuote { in_answer: answer.contains(&bare), text: flat(&citation.shown_quote()) };
        let known = out.iter_mut().find(|p| p.section == citation.section && p.pages == pages);
        match known {
            Some(place) if place.quotes.contains(&quote) => {}
            Some(place) => place.quotes.push(quote),
            None => out.push(Place { section: citation.section, pages, quotes: vec![quote] }),
        }
    }
    out
}

#[cfg(test)]
#[path = "numbered_tests.rs"]
mod tests;
