//! The abbreviations of a store.

use std::{cmp::Reverse, collections::BTreeSet};
use text::definitions::{Definition, definitions};
use types::{Abbreviation, Chunk};

/// The abbreviations that the sentences of a chunk define, each once.
pub fn defined_in(chunk: &Chunk) -> BTreeSet<Definition> {
    let sentences = chunk.sentences.iter().map(|sentence| chunk.sentence(sentence));
    sentences.flat_map(definitions).collect()
}

/// Puts those of the most sources first, then orders by long form, then by short form.
pub fn in_order(abbreviations: &mut [Abbreviation]) {
    abbreviations.sort_by(|one, other| {
        let rank = |a: &Abbreviation| Reverse(a.sources);
        rank(one).cmp(&rank(other)).then_with(|| (&one.long, &one.short).cmp(&(&other.long, &other.short)))
    });
}
