//! Cutting a sentence down to the words that answer a question.

use crate::{numbers::quantities, terms};
use std::ops::Range;

/// What a window of a sentence should show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowTerms {
    /// Stems (as [`crate::terms`] makes them), each once, with their weights; above 0.
    pub stems: Vec<(String, f32)>,
    /// Whether a number is asked for.
    pub numbers: bool,
}

impl WindowTerms {
    /// Stems that count alike.
    pub fn stems(stems: impl IntoIterator<Item = String>) -> Self {
        Self { stems: stems.into_iter().map(|stem| (stem, 1.0)).collect(), numbers: false }
    }
}

/// Part of the weight of all stems that a window gains by its first number, where one is asked for, and by each of
/// two more.
const FIRST_NUMBER: f32 = 0.5;
const MORE_NUMBERS: f32 = 0.05;
/// Words between what is wanted and a cut end from which on more words add little.
const MARGIN: usize = 4;

/// The contiguous run of at most `max_words` words of `sentence` that shows most of what is wanted: the highest
/// weight of different stems, and a number where one is asked for. Of equals the one whose cut ends are furthest
/// from what is wanted, up to four words; then the one that begins or ends where the sentence or one of its
/// clauses does; then the earliest. The whole sentence, trimmed, when it is short enough. Bytes into `sentence`.
pub fn best_window(sentence: &str, wanted: &WindowTerms, max_words: usize) -> Range<usize> {
    let words = word_spans(sentence);
    let width = max_words.min(words.len());
    let Some(first) = words.first().filter(|_| width > 0) else {
        let start = sentence.len() - sentence.trim_start().len();
        return start..start;
    };
    if words.len() <= max_words {
        return first.start..words[words.len() - 1].end;
    }
    let held = WordContents::new(sentence, &words, wanted);
    let mut seen = WindowContents::new(wanted);
    let mut best: Option<(Rank, usize)> = None;
    for end in 0..words.len() {
        seen.add(&held.words[end]);
        if let Some(left) = end.checked_sub(width) {
            seen.remove(&held.words[left]);
        }
        let Some(start) = (end + 1).checked_sub(width) else {
            continue;
        };
        let margin = held.margin(sentence, &words, start, end);
        let rank = Rank {
            shown: seen.shown(),
            margin: margin.min(MARGIN),
            edges: edges(sentence, &words, start, end),
        };
        // Strictly better only: of equals the earliest stays.
        if best.as_ref().is_none_or(|(top, _)| rank > *top) {
            best = Some((rank, start));
        }
    }
    let start = best.map_or(0, |(_, start)| start);
    words[start].start..words[start + width - 1].end
}

/// What windows are compared by, the most important first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Weight shown, in thousandths of the whole.
    shown: u32,
    margin: usize,
    edges: u32,
}

/// What each word of the sentence holds.
struct WordContents {
    words: Vec<Word>,
    /// The nearest word at or after each that holds something, and at or before each.
    next: Vec<usize>,
    previous: Vec<usize>,
}

#[derive(Clone, Default)]
struct Word {
    /// Positions in [`WindowTerms::stems`].
    stems: Vec<usize>,
    /// Numbers that begin here.
    numbers: usize,
}

impl Word {
    fn is_empty(&self) -> bool {
        self.stems.is_empty() && self.numbers == 0
    }
}

/// No such word.
const NONE: usize = usize::MAX;

impl WordContents {
    fn new(sentence: &str, spans: &[Range<usize>], wanted: &WindowTerms) -> Self {
        let mut words = vec![Word::default(); spans.len()];
        let at = |byte: usize| spans.partition_point(|w| w.end <= byte);
        for term in terms(sentence) {
            let stem = wanted.stems.iter().position(|(stem, _)| *stem == term.stem);
            if let (Some(stem), Some(word)) = (stem, words.get_mut(at(term.span.start))) {
                word.stems.push(stem);
            }
        }
        if wanted.numbers {
            for q in quantities(sentence) {
                let year = q.unit.is_none() && q.value.fract() == 0.0 && (1900.0..2100.0).contains(&q.value);
                if let Some(word) = words.get_mut(at(q.number.start)).filter(|_| !year) {
                    word.numbers += 1;
                }
            }
        }
        let mut next = vec![NONE; words.len()];
        let mut previous = vec![NONE; words.len()];
        let mut last = NONE;
        for (i, word) in words.iter().enumerate() {
            last = if word.is_empty() { last } else { i };
            previous[i] = last;
        }
        last = NONE;
        for (i, word) in words.iter().enumerate().rev() {
            last = if word.is_empty() { last } else { i };
            next[i] = last;
        }
        Self { words, next, previous }
    }

    /// Words between a cut end of the window and the first or last word that holds something; the end of a sentence is
    /// no cut.
    fn margin(&self, sentence: &str, spans: &[Range<usize>], start: usize, end: usize) -> usize {
        let stops = |word: usize| sentence[spans[word].clone()].ends_with(['.', '!', '?', ';']);
        let (first, last) = (self.next[start], self.previous[end]);
        let before = if start == 0 || stops(start - 1) || first > end { NONE } else { first - start };
        let after = if end + 1 == spans.len() || stops(end) || last < start || last == NONE {
            NONE
        } else {
            end - last
        };
        before.min(after)
    }
}

/// What the words of a window hold together.
struct WindowContents<'w> {
    wanted: &'w WindowTerms,
    counts: Vec<usize>,
    numbers: usize,
    total: f32,
}

impl<'w> WindowContents<'w> {
    fn new(wanted: &'w WindowTerms) -> Self {
        let weights = wanted.stems.iter().map(|(_, weight)| weight);
        let total: f32 = weights.filter(|w| w.is_finite()).sum();
        Self {
            counts: vec![0; wanted.stems.len()],
            numbers: 0,
            total: if total > 0.0 { total } else { 1.0 },
            wanted,
        }
    }

    fn add(&mut self, word: &Word) {
        word.stems.iter().for_each(|stem| self.counts[*stem] += 1);
        self.numbers += word.numbers;
    }

    fn remove(&mut self, word: &Word) {
        word.stems.iter().for_each(|stem| self.counts[*stem] -= 1);
        self.numbers -= word.numbers;
    }

    fn shown(&self) -> u32 {
        let stems = self.wanted.stems.iter().zip(&self.counts);
        let found: f32 = stems
            .filter(|((_, weight), count)| **count > 0 && weight.is_finite())
            .map(|((_, weight), _)| weight)
            .sum();
        let numbers = match self.numbers {
            0 => 0.0,
            n => FIRST_NUMBER + MORE_NUMBERS * (n - 1).min(2) as f32,
        };
        (1000.0 * (found / self.total + numbers)).round() as u32
    }
}

/// How many ends of the window are ends of the sentence (2 each) or of a clause (1 each).
fn edges(sentence: &str, words: &[Range<usize>], start: usize, end: usize) -> u32 {
    let closes = |word: usize| sentence[words[word].clone()].ends_with([',', ';', ':', '—', '–', '.']);
    let left = match start {
        0 => 2,
        _ => u32::from(closes(start - 1)),
    };
    let right = if end + 1 == words.len() { 2 } else { u32::from(closes(end)) };
    left + right
}

fn word_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (c.is_whitespace(), start) {
            (false, None) => start = Some(at),
            (true, Some(from)) => {
                spans.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    spans.extend(start.map(|from| from..text.len()));
    spans
}
