//! Plants an error in a single sentence.

use super::ErrorKind;
use crate::stats::Draws;
use std::ops::Range;
use text::entities::{EntityKind, entities};
use text::numbers::quantities;

/// Words that say that something rises, each with one that says that it falls.
const DIRECTIONS: [(&str, &str); 22] = [
    ("increased", "decreased"),
    ("increases", "decreases"),
    ("increase", "decrease"),
    ("increasing", "decreasing"),
    ("higher", "lower"),
    ("greater", "smaller"),
    ("more", "less"),
    ("raised", "lowered"),
    ("raises", "lowers"),
    ("rose", "fell"),
    ("improved", "worsened"),
    ("improves", "worsens"),
    ("improvement", "deterioration"),
    ("longer", "shorter"),
    ("stronger", "weaker"),
    ("enhanced", "reduced"),
    ("gain", "loss"),
    ("elevated", "reduced"),
    ("upregulated", "downregulated"),
    ("positively", "negatively"),
    ("positive", "negative"),
    ("above", "below"),
];

/// Units, each with another that measures the same kind of thing.
const UNITS: [(&str, &str); 16] = [
    ("mg", "g"),
    ("g", "kg"),
    ("kg", "g"),
    ("ml", "l"),
    ("mL", "L"),
    ("weeks", "months"),
    ("months", "weeks"),
    ("days", "weeks"),
    ("years", "months"),
    ("hours", "minutes"),
    ("minutes", "hours"),
    ("min", "h"),
    ("h", "min"),
    ("mm", "cm"),
    ("cm", "m"),
    ("m", "km"),
];

/// Auxiliaries after which "not" can stand.
const AUXILIARIES: [&str; 12] = [
    "is", "are", "was", "were", "can", "could", "did", "does", "do", "has", "have", "had",
];

/// Hedges, each with the certain wording that replaces it.
const HEDGES: [(&str, &str); 12] = [
    ("may have", "has"),
    ("might have", "has"),
    ("may be", "is"),
    ("might be", "is"),
    ("could be", "is"),
    ("suggests that", "proves that"),
    ("suggest that", "prove that"),
    ("appears to be", "is"),
    ("seems to be", "is"),
    ("may ", "will "),
    ("might ", "will "),
    ("possibly ", "certainly "),
];

/// Returns the sentence with this error; `None` if it has nothing that can be changed in this way. `passage` contains the
/// sentence: a new number or name does not occur in it. `foreign` is text of another paper; new names come from it.
pub(super) fn alter(
    kind: ErrorKind,
    sentence: &str,
    passage: &str,
    foreign: &str,
    draws: &mut Draws,
) -> Option<String> {
    match kind {
        ErrorKind::Number => number(sentence, passage, draws),
        ErrorKind::Unit => unit(sentence, passage),
        ErrorKind::Direction => exchange(sentence, &both_ways(&DIRECTIONS), draws),
        ErrorKind::Negation => negation(sentence, draws),
        ErrorKind::Entity => entity(sentence, passage, foreign, draws),
        ErrorKind::Hedging => HEDGES
            .iter()
            .find_map(|(hedge, sure)| replaced(sentence, &place(sentence, hedge)?, sure)),
        ErrorKind::Author | ErrorKind::Source | ErrorKind::Quote | ErrorKind::Merged => None,
    }
}

fn number(sentence: &str, passage: &str, draws: &mut Draws) -> Option<String> {
    let held = quantities(passage);
    let mut found = quantities(sentence);
    found.retain(|q| {
        !q.spelled
            && sentence[q.number.clone()]
                .chars()
                .all(|c| c.is_ascii_digit() || c == '.')
    });
    let chosen = pick(&found, draws)?;
    let decimals = sentence[chosen.number.clone()]
        .split_once('.')
        .map_or(0, |(_, d)| d.len());
    [1.5, 0.5, 2.0, 3.0, 1.2].iter().find_map(|factor| {
        let printed = format!("{:.decimals$}", chosen.value * factor);
        let value: f64 = printed.parse().ok()?;
        let new = held.iter().all(|q| (q.value - value).abs() > 1e-9);
        new.then(|| replaced(sentence, &chosen.number, &printed))
            .flatten()
    })
}

fn unit(sentence: &str, passage: &str) -> Option<String> {
    let held = quantities(passage);
    quantities(sentence).into_iter().find_map(|q| {
        let behind = q.number.end..q.span.end;
        let printed = sentence.get(behind.clone())?.trim();
        let (_, other) = UNITS.iter().find(|(unit, _)| *unit == printed)?;
        // "12 weeks" and "12 months" may both stand in the passage.
        let taken = held
            .iter()
            .any(|h| (h.value - q.value).abs() < 1e-9 && passage[h.number.end..h.span.end].trim() == *other);
        let start = behind.end - printed.len();
        (!taken)
            .then(|| replaced(sentence, &(start..behind.end), other))
            .flatten()
    })
}

fn negation(sentence: &str, draws: &mut Draws) -> Option<String> {
    if let Some(at) = place(sentence, "not ") {
        return replaced(sentence, &at, "");
    }
    let places: Vec<Range<usize>> = AUXILIARIES
        .iter()
        .filter_map(|word| place(sentence, &format!("{word} ")))
        .collect();
    let at = pick(&places, draws)?;
    replaced(sentence, &(at.end..at.end), "not ")
}

fn entity(sentence: &str, passage: &str, foreign: &str, draws: &mut Draws) -> Option<String> {
    let named = |text: &str| {
        let mut found = entities(text);
        found.retain(|e| e.kind != EntityKind::Number && e.text.chars().count() > 2);
        found
    };
    let here = named(sentence);
    let chosen = pick(&here, draws)?;
    let others: Vec<_> = named(foreign)
        .into_iter()
        .filter(|e| e.kind == chosen.kind && !passage.contains(&e.text))
        .collect();
    replaced(sentence, &chosen.span, &pick(&others, draws)?.text)
}

/// Returns each pair in both directions, longest first, so that "increased" is not read as "increase".
fn both_ways(pairs: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    let mut all: Vec<_> = pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]).collect();
    all.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    all
}

/// Exchanges one word of the sentence for the other word of its pair.
fn exchange(sentence: &str, pairs: &[(&str, &str)], draws: &mut Draws) -> Option<String> {
    let found: Vec<(Range<usize>, &str)> = pairs
        .iter()
        .filter_map(|(word, other)| Some((place(sentence, word)?, *other)))
        .collect();
    let (at, other) = pick(&found, draws)?;
    replaced(sentence, at, other)
}

/// Finds the first occurrence of `words` as whole words. Case must match.
pub(super) fn place(sentence: &str, words: &str) -> Option<Range<usize>> {
    let whole = |at: usize| {
        let before = sentence[..at].chars().next_back();
        let after = sentence[at + words.len()..].chars().next();
        let ended = words.ends_with(' ') || after.is_none_or(|c| !c.is_alphanumeric() && c != '-');
        before.is_none_or(|c| !c.is_alphanumeric() && c != '-') && ended
    };
    sentence
        .match_indices(words)
        .find(|(at, _)| whole(*at))
        .map(|(at, found)| at..at + found.len())
}

/// Replaces a range of the text; returns `None` if that changes nothing.
pub(super) fn replaced(text: &str, at: &Range<usize>, with: &str) -> Option<String> {
    let out = format!("{}{with}{}", &text[..at.start], &text[at.end..]);
    (out != text).then_some(out)
}

fn pick<'a, T>(all: &'a [T], draws: &mut Draws) -> Option<&'a T> {
    all.get(draws.below(all.len()))
}
