//! The part of a passage that shows best why it was found.

use std::{collections::BTreeSet, ops::Range};
use types::{Chunk, QuestionTerm, Span};

/// Words of a preview.
const WORDS: usize = 45;

/// A part of a passage, ready to be shown on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// The text in parts; between two parts stands what their texts hold.
    pub parts: Vec<Part>,
    /// Whether the passage begins before it.
    pub cut_start: bool,
    /// Whether the passage goes on after it.
    pub cut_end: bool,
    /// The page on which it begins.
    pub page: u32,
}

/// A run of a preview's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Text, with single spaces.
    pub text: String,
    /// Whether it is a word of the question.
    pub matched: bool,
}

/// The sentence that holds most of the question's terms and is most similar to it, with the sentences after it as far
/// as there is room; of a longer sentence the part around the terms. `similarities` are those of the chunk's
/// sentences, in order, or empty.
pub(super) fn preview(terms: &[&QuestionTerm], chunk: &Chunk, similarities: &[f32]) -> Preview {
    let text = chunk.text.as_str();
    let mut sentences: Vec<Range<usize>> = chunk
        .sentences
        .iter()
        .map(|s| s.span.start..s.span.end)
        .filter(|range| text.get(range.clone()).is_some())
        .collect();
    if sentences.is_empty() {
        sentences.push(0..text.len());
    }
    let asked: Vec<(Range<usize>, &str)> = text::terms(text)
        .into_iter()
        .filter_map(|term| {
            let wanted = terms.iter().find(|t| t.stem == term.stem)?;
            Some((term.span, wanted.stem.as_str()))
        })
        .collect();
    let score = |at: usize| {
        let inside = asked.iter().filter(|(span, _)| within(span, &sentences[at]));
        let held: BTreeSet<&str> = inside.map(|(_, stem)| *stem).collect();
        let coverage = held.len() as f32 / terms.len().max(1) as f32;
        coverage + similarities.get(at).copied().unwrap_or(0.0).max(0.0)
    };
    let mut best = 0;
    for at in 1..sentences.len() {
        if score(at) > score(best) {
            best = at;
        }
    }
    let matched: Vec<Range<usize>> = asked.into_iter().map(|(span, _)| span).collect();
    let shown = window(text, &sentences, best, &matched);
    let outside = |part: Option<&str>| part.is_some_and(|p| p.contains(char::is_alphanumeric));
    Preview {
        cut_start: outside(text.get(..shown.start)),
        cut_end: outside(text.get(shown.end..)),
        page: chunk.pages_of(Span::new(shown.start, shown.end)).0,
        parts: parts(text, &shown, &matched),
    }
}

fn within(span: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= span.start && span.end <= outer.end
}

/// Where the preview begins and ends.
fn window(text: &str, sentences: &[Range<usize>], best: usize, matched: &[Range<usize>]) -> Range<usize> {
    let first = sentences[best].clone();
    let words = words(text, &first);
    if words.len() <= WORDS {
        let mut end = first.end;
        let mut room = WORDS - words.len();
        for next in &sentences[best + 1..] {
            let more = self::words(text, next).len();
            if more > room || next.start < end {
                break;
            }
            room -= more;
            end = next.end;
        }
        return first.start..end;
    }
    // The window with most matches; among equal ones the matches stand in its middle.
    let hits: Vec<bool> =
        words.iter().map(|word| matched.iter().any(|m| m.start < word.end && word.start < m.end)).collect();
    let count = |from: usize| hits[from..from + WORDS].iter().filter(|hit| **hit).count();
    let best = (0..=words.len() - WORDS).max_by_key(|from| (count(*from), usize::MAX - from));
    let mut from = best.unwrap_or(0);
    let inside = &hits[from..from + WORDS];
    if let (Some(head), Some(tail)) = (inside.iter().position(|h| *h), inside.iter().rposition(|h| *h)) {
        let (head, tail) = (from + head, from + tail);
        let centred = (head + tail + 1).saturating_sub(WORDS) / 2;
        from = centred.min(words.len() - WORDS).min(head);
    }
    words[from].start..words[from + WORDS - 1].end
}

/// The words of a range, by white space.
fn words(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut open = None;
    for (at, c) in text.get(range.clone()).unwrap_or_default().char_indices() {
        let at = range.start + at;
        match (c.is_whitespace(), open) {
            (false, None) => open = Some(at),
            (true, Some(from)) => {
                out.push(from..at);
                open = None;
            }
            _ => {}
        }
    }
    out.extend(open.map(|from| from..range.end));
    out
}

/// The text of a range in parts: matched terms, and what stands between them.
fn parts(text: &str, shown: &Range<usize>, matched: &[Range<usize>]) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    let mut push = |range: Range<usize>, matched: bool| {
        let mut one = String::new();
        for c in text.get(range).unwrap_or_default().chars() {
            let c = if c.is_whitespace() || c.is_control() { ' ' } else { c };
            if c != ' ' || !one.ends_with(' ') {
                one.push(c);
            }
        }
        if !one.is_empty() {
            out.push(Part { text: one, matched });
        }
    };
    let mut from = shown.start;
    for term in matched.iter().filter(|m| within(m, shown)) {
        if term.start >= from {
            push(from..term.start, false);
            push(term.clone(), true);
            from = term.end;
        }
    }
    push(from..shown.end, false);
    if let Some(first) = out.first_mut() {
        first.text = first.text.trim_start().to_owned();
    }
    if let Some(last) = out.last_mut() {
        last.text = last.text.trim_end().to_owned();
    }
    out.retain(|part| !part.text.is_empty());
    out
}

#[cfg(test)]
#[path = "preview_tests.rs"]
mod tests;
