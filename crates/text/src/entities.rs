//! Entities: what an answer must not bring from elsewhere.
//!
//! Three kinds are cheap to recognise and costly to invent: numbers with their units, symbols (genes,
//! proteins, acronyms), and names. Recognition is by shape, not by dictionary, and errs towards silence: a
//! capital that only marks the start of a sentence or a heading is no name. Compounds (`NRF1/TFAM`) and
//! ranges give one entity for each part, so that each is looked up by itself.

mod ground;
mod names;

pub use ground::{Ground, lookup_stems, stem_forms};

use crate::numbers::{Quantity, quantities};
use crate::{sentences, terms::words};
use std::ops::Range;

/// What an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    /// A number, with its unit where it has one. Bare whole numbers below ten are left out: writers count.
    Number,
    /// A gene, a protein, an acronym, a strain: letters with digits, several capitals, Greek letters.
    Symbol,
    /// A proper noun: a surname, a place, a named study; of several words where they stand together.
    Name,
}

/// An entity of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// What it is.
    pub kind: EntityKind,
    /// As printed.
    pub text: String,
    /// Bytes into the text that it was found in.
    pub span: Range<usize>,
}

/// The entities of a text, in order, not overlapping.
pub fn entities(text: &str) -> Vec<Entity> {
    let numbers = quantities(text);
    let checkable = numbers.iter().enumerate().filter(|(_, q)| is_checkable(q));
    let mut out: Vec<Entity> = checkable.map(|(i, q)| number_entity(text, q, &numbers[i + 1..])).collect();
    for sentence in sentences(text) {
        if !is_heading(&text[sentence.clone()]) {
            out.extend(names::names(text, sentence));
        }
    }
    out.sort_by_key(|e| (e.span.start, e.kind, e.span.end));
    let mut end = 0;
    out.retain(|e| {
        let free = e.span.start >= end;
        end = end.max(e.span.end);
        free
    });
    out
}

/// Whether the entity stands in `haystack`; see [`Ground::holds`]. To look up many, make one [`Ground`].
pub fn grounded(entity: &Entity, haystack: &str) -> bool {
    Ground::new(haystack).holds(entity)
}

fn is_checkable(q: &Quantity) -> bool {
    !q.spelled && (q.unit.is_some() || q.value.fract() != 0.0 || q.value.abs() >= 10.0)
}

/// Numbers further ahead than this do not share a unit in any sentence that people write.
const LONGEST_LIST: usize = 16;

/// The number as printed; where it shares the unit of a later number, that unit is written behind it.
fn number_entity(text: &str, q: &Quantity, later: &[Quantity]) -> Entity {
    let mut printed = text[q.span.clone()].to_owned();
    if q.span == q.number
        && let Some(unit) = &q.unit
    {
        // As the later number prints it, so that nothing is shown that is not in the text.
        let shared = later.iter().take(LONGEST_LIST).find(|o| o.unit == q.unit && o.span.end > o.number.end);
        printed.push_str(shared.map_or(unit.as_str(), |o| &text[o.number.end..o.span.end]));
    }
    Entity { kind: EntityKind::Number, text: printed, span: q.span.clone() }
}

/// Whether a line is a heading: no full stop, and most of its words in capitals or capitalised.
fn is_heading(sentence: &str) -> bool {
    if sentence.ends_with(['.', '!', '?', ';', ')']) {
        return false;
    }
    let words: Vec<&str> =
        words(sentence).into_iter().map(|span| &sentence[span]).filter(|w| w.len() > 3).collect();
    let capitals = words.iter().filter(|w| w.starts_with(char::is_uppercase)).count();
    let shouted = words.iter().filter(|w| w.len() > 5 && w.chars().all(char::is_uppercase)).count();
    (2..=12).contains(&words.len()) && (capitals == words.len() || 2 * shouted > words.len())
}
