//! Why a passage is worth a question.

use regex::Regex;
use std::{collections::BTreeSet, ops::Range, sync::LazyLock};
use text::entities::{EntityKind, entities};

/// What a question can be about.
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// It compares: groups, conditions, times.
    Comparison,
    /// It has numbers.
    Numbers,
    /// It has names: of genes, places, people, studies, methods.
    Names,
}

impl Reason {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Words of an English comparison. A passage in another language has numbers and names only.
static COMPARISON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(than|versus|vs|compared (?:with|to)|in contrast|whereas|unlike|relative to|higher|lower|greater|fewer|increased|decreased|reduced|improved|declined|rose|fell|differ(?:s|ed|ence|ences)?|between the (?:two|groups)|no (?:significant )?difference)\b",
    )
    .expect("the pattern is fixed and valid")
});

/// Fewest and most words of a sentence that can be quoted whole.
const SENTENCE_WORDS: std::ops::RangeInclusive<usize> = 6..=40;

/// What the text has of [`Reason`], in their order.
pub(crate) fn reasons(text: &str) -> Vec<Reason> {
    let kinds: BTreeSet<EntityKind> = entities(text).into_iter().map(|entity| entity.kind).collect();
    let names = kinds.contains(&EntityKind::Name) || kinds.contains(&EntityKind::Symbol);
    [
        (Reason::Comparison, COMPARISON.is_match(text)),
        (Reason::Numbers, kinds.contains(&EntityKind::Number)),
        (Reason::Names, names),
    ]
    .into_iter()
    .filter_map(|(reason, holds)| holds.then_some(reason))
    .collect()
}

/// The sentence of a text with the most reasons that can be quoted whole; of equals, the one with the most numbers and names,
/// then the first.
pub(crate) fn best_sentence(text: &str) -> Option<(Range<usize>, Vec<Reason>)> {
    let mut best: Option<(usize, Range<usize>, Vec<Reason>)> = None;
    for range in text::sentences(text) {
        let sentence = &text[range.clone()];
        if !SENTENCE_WORDS.contains(&text::word_count(sentence)) {
            continue;
        }
        let (found, named) = (reasons(sentence), entities(sentence).len());
        let better = |(most, _, held): &(usize, _, Vec<Reason>)| (found.len(), named) > (held.len(), *most);
        if best.as_ref().is_none_or(better) {
            best = Some((named, range, found));
        }
    }
    best.map(|(_, range, found)| (range, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_are_worth_a_question_for_what_they_say() {
        use Reason::{Comparison, Names, Numbers};
        let check = |text: &str, expect: &[Reason]| assert_eq!(reasons(text), expect, "{text}");
        check("The nurses of the clinic took it in the morning.", &[]);
        check("Walking lowered it by 12 mmHg.", &[Numbers]);
        check("Walkers slept longer than runners.", &[Comparison]);
        check("Mice without SIRT1 lived 12 % longer than others.", &[Comparison, Numbers, Names]);
    }

    #[test]
    fn the_best_sentence_can_be_quoted() {
        let text = "Too short. The nurses took the blood pressure in the morning of each day. \
                    Walking lowered systolic blood pressure by 12 mmHg more than rest did.";
        let (range, found) = best_sentence(text).expect("a sentence");
        assert!(text[range].starts_with("Walking lowered"));
        assert_eq!(found, [Reason::Comparison, Reason::Numbers]);
        assert_eq!(best_sentence("Too short."), None);
    }
}
