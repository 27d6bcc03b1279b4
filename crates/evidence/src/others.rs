//! Sentences about another thing of the kind that is asked for: shark L5242 instead of L2910, the row "No" instead of "Yes",
//! the row "2.75-3.39" instead of "> 3.39".

use crate::Measured;
use regex::Regex;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};
use text::WordList;
use types::{Context, Question};

/// What is left of the probability of such a sentence, where another one is about what is asked.
const SHARE: f32 = 0.1;

/// What the name of a group begins with that is everybody.
static ALL: WordList = WordList::new("all overall total whole entire");

/// A row of numbers names no mechanism.
static MECHANISM: WordList = WordList::new("mechanism mechanisms");

/// Lowers the probability of sentences about another thing of the kind that is asked for, if any is about the right one.
pub(crate) fn demote(question: &Question, context: &Context, all: &mut [Measured]) {
    let mut of_other = BTreeSet::new();
    let codes = codes(question);
    let bound = bound(&question.text);
    let asks_how = question.words.iter().any(|word| MECHANISM.contains(&word.folded));
    let asks_for_all = question.words.iter().any(|word| word.folded == "all");
    let asks_for_both = [" and without ", " or without "]
        .iter()
        .any(|both| question.folded.contains(both));
    let mut by_kind: BTreeMap<String, Vec<(usize, bool)>> = BTreeMap::new();
    let mut note =
        |kind: String, at: usize, is_asked: bool| by_kind.entry(kind).or_default().push((at, is_asked));
    for (at, measured) in all.iter().enumerate() {
        let place = &context.chunks[measured.chunk];
        let row = place.chunk.table_row(measured.sentence);
        if !codes.is_empty() {
            let of_row = row.as_ref().map(|row| text::stems(&row.with_context()));
            let stems = of_row
                .as_ref()
                .unwrap_or(&place.sentence_stems()[measured.sentence]);
            for (shape, asked) in &codes {
                if stems.iter().any(|stem| asked.contains(stem)) {
                    note(format!("code {shape}"), at, true);
                } else if stems.iter().any(|stem| code(stem).as_ref() == Some(shape)) {
                    note(format!("code {shape}"), at, false);
                }
            }
        }
        let is_number = |cell: &str| cell.contains(|c: char| c.is_ascii_digit());
        let of_numbers = row
            .as_ref()
            .is_some_and(|row| row.cells.iter().skip(1).all(|cell| is_number(cell)));
        if asks_how && (of_numbers || measured.features.table_row == 0.0) {
            note("mechanism".to_owned(), at, !of_numbers);
        }
        let Some(row) = row else { continue };
        let label = row.cells.first().copied().unwrap_or_default();
        if let answer @ ("yes" | "no") = label.trim().to_lowercase().as_str() {
            let wanted = if negates(question, row.group) { "no" } else { "yes" };
            let group = format!("answer {} {} {}", place.chunk.source_id, row.caption, row.group);
            if !asks_for_both {
                note(group, at, answer == wanted);
            }
        }
        // "All children" is a group of rows beside others with the same labels.
        if asks_for_all {
            let same = format!("all {} {} {label}", place.chunk.source_id, row.caption);
            let first = row.group.split_whitespace().next().map(str::to_lowercase);
            note(same, at, first.is_some_and(|first| ALL.contains(&first)));
        }
        if let Some(bound) = &bound
            && let Some(is_asked) = bound.is_in(label)
        {
            note(
                format!("bound {} {}", place.chunk.source_id, row.caption),
                at,
                is_asked,
            );
        }
    }
    for verdicts in by_kind.into_values() {
        if verdicts.iter().any(|(_, is_asked)| *is_asked) {
            of_other.extend(
                verdicts
                    .into_iter()
                    .filter(|(_, is_asked)| !is_asked)
                    .map(|(at, _)| at),
            );
        }
    }
    for at in of_other {
        all[at].probability *= SHARE;
    }
}

/// The shape of a code, a word of letters and then digits, which stand as "#": `l#` for "l2910". `None` for other words.
fn code(stem: &str) -> Option<String> {
    let begins = stem.starts_with(char::is_alphabetic) && stem.contains(|c: char| c.is_ascii_digit());
    begins.then(|| {
        let mut shape = String::new();
        for c in stem.chars() {
            match c {
                '0'..='9' | '.' if shape.ends_with('#') => {}
                '0'..='9' => shape.push('#'),
                other => shape.push(other),
            }
        }
        shape
    })
}

/// The codes of the question by their shape.
fn codes(question: &Question) -> BTreeMap<String, BTreeSet<String>> {
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for term in &question.terms {
        if let Some(shape) = code(&term.stem) {
            out.entry(shape).or_default().insert(term.stem.clone());
        }
    }
    out
}

/// Whether a question negates what a group of rows is about: "without diabetes".
fn negates(question: &Question, group: &str) -> bool {
    let group = text::stems(group);
    let mut words = question
        .words
        .windows(2)
        .map(|pair| (&pair[0].folded, &pair[1].folded));
    words.any(|(word, next)| (text::is_negation(word) || word == "non") && group.contains(&text::stem(next)))
}

/// "Above 3.39", "9 hours or more".
struct Bound {
    number: String,
    is_lower: bool,
}

const NUMBER: &str = r"(\d+(?:[.,]\d+)?)";
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)(?:\b(above|over|more than|greater than|higher than|older than|longer than|exceeding|at least)|([>≥])|\b(below|under|less than|fewer than|lower than|younger than|shorter than|at most|up to)|([<≤]))=?\s*{NUMBER}"
    ))
});
static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i){NUMBER}\s*(?:\w+\s+)?(?:or|and)\s+(?:(more|older|above|longer|over|higher|greater)|(less|fewer|younger|below|shorter|under|lower))\b"
    ))
});

fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("the patterns above are valid")
}

/// The bound that a text names first.
fn bound(text: &str) -> Option<Bound> {
    if let Some(found) = BEFORE.captures(text) {
        return Some(Bound {
            number: found[5].to_owned(),
            is_lower: found.get(1).or(found.get(2)).is_some(),
        });
    }
    AFTER.captures(text).map(|found| Bound {
        number: found[1].to_owned(),
        is_lower: found.get(2).is_some(),
    })
}

impl Bound {
    /// Whether the label of a row has this bound; `None` if it does not have its number.
    fn is_in(&self, label: &str) -> Option<bool> {
        let mut numbers = NUMBERS.find_iter(label);
        numbers.any(|number| number.as_str() == self.number).then(|| {
            bound(label).is_some_and(|own| own.number == self.number && own.is_lower == self.is_lower)
        })
    }
}

static NUMBERS: LazyLock<Regex> = LazyLock::new(|| pattern(NUMBER));
