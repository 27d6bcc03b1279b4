//! What a question asks for: its terms, and the hints in its wording.

use super::{cue, sources};
use std::collections::BTreeSet;
use text::{fold::fold, quote::Wanted};
use types::{ChunkStore, Context, SectionKind, SourceId, StoreError};

/// A question, read.
pub(super) struct Question {
    /// What it is about: distinct stems in order, each with its weight; weights sum to 1 unless there are none.
    pub(super) terms: Vec<(String, f32)>,
    /// Whether it asks for a number.
    pub(super) asks_number: bool,
    /// Whether it asks for an aim or a gap, not for a finding.
    pub(super) asks_aim: bool,
    /// The section that it names, as in "in the methods of".
    pub(super) section: Option<SectionKind>,
    /// The sources of the context that it names, in order of their ids.
    pub(super) named: Vec<SourceId>,
    /// Whether it wants several sources: it names more than one, or asks across studies.
    pub(super) across: bool,
}

impl Question {
    /// Reads a question. Terms are weighed by their inverse document frequency in `store`.
    pub(super) fn read(query: &str, context: &Context, store: &dyn ChunkStore) -> Result<Self, StoreError> {
        let words = words(query);
        let named = sources::named(query, context);
        Ok(Self {
            terms: weighed_terms(query, &named, context, store)?,
            asks_number: NUMBER.iter().any(|phrase| has(&words, phrase)),
            asks_aim: cue::asked_for(&words.split_whitespace().collect::<Vec<_>>()),
            section: section(&words),
            across: named.len() > 1 || ACROSS.iter().any(|phrase| has(&words, phrase)),
            named,
        })
    }

    /// What a quote should show.
    pub(super) fn wanted(&self) -> Wanted {
        Wanted {
            stems: self.terms.clone(),
            numbers: self.asks_number,
        }
    }
}

/// Phrases that ask for a number.
const NUMBER: [&str; 31] = [
    "how many",
    "how much",
    "how long",
    "how often",
    "how large",
    "how big",
    "how old",
    "how far",
    "how high",
    "how low",
    "how fast",
    "how great",
    "how strong",
    "what dose",
    "what doses",
    "which dose",
    "dosage",
    "what percentage",
    "what proportion",
    "what fraction",
    "what share",
    "percent",
    "number of",
    "sample size",
    "what age",
    "what rate",
    "what value",
    "effect size",
    "hazard ratio",
    "odds ratio",
    "prevalence",
];

/// Phrases that ask for more than one source.
const ACROSS: [&str; 18] = [
    "across",
    "studies",
    "papers",
    "trials",
    "sources",
    "articles",
    "literature",
    "compare",
    "comparison",
    "contrast",
    "agree",
    "disagree",
    "agreement",
    "disagreement",
    "consensus",
    "contradict",
    "conflicting",
    "consistent",
];

/// Words that name a section, and which one.
const SECTIONS: [(&str, SectionKind); 16] = [
    ("abstract", SectionKind::Abstract),
    ("introduction", SectionKind::Introduction),
    ("background", SectionKind::Background),
    ("related work", SectionKind::Background),
    ("method", SectionKind::Methods),
    ("methods", SectionKind::Methods),
    ("methodology", SectionKind::Methods),
    ("materials and methods", SectionKind::Methods),
    ("results", SectionKind::Results),
    ("result", SectionKind::Results),
    ("findings", SectionKind::Results),
    ("discussion", SectionKind::Discussion),
    ("limitations", SectionKind::Discussion),
    ("conclusion", SectionKind::Conclusion),
    ("conclusions", SectionKind::Conclusion),
    ("outlook", SectionKind::Conclusion),
];

/// The question as folded words between single spaces, with a space at both ends.
fn words(query: &str) -> String {
    let folded = fold(query);
    let mut out = String::from(" ");
    for word in folded
        .text()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
    {
        out.push_str(word);
        out.push(' ');
    }
    out
}

fn has(words: &str, phrase: &str) -> bool {
    words
        .match_indices(phrase)
        .any(|(at, _)| words[..at].ends_with(' ') && words[at + phrase.len()..].starts_with(' '))
}

/// The section that the wording points at: "in the methods", "the methods section". The bare word is no hint:
/// "which methods lower blood pressure" is not about a section.
fn section(words: &str) -> Option<SectionKind> {
    let points_at = |name: &str| {
        let before = [
            "in the",
            "in its",
            "in their",
            "from the",
            "according to the",
            "under the",
        ];
        has(words, &format!("{name} section")) || before.iter().any(|b| has(words, &format!("{b} {name}")))
    };
    SECTIONS
        .iter()
        .find(|(name, _)| points_at(name))
        .map(|(_, kind)| *kind)
}

fn weighed_terms(
    query: &str,
    named: &[SourceId],
    context: &Context,
    store: &dyn ChunkStore,
) -> Result<Vec<(String, f32)>, StoreError> {
    // Who wrote a paper stands above its sentences, not in them; `named` has taken care of it.
    let names = sources::name_stems(named, context);
    let mut terms: Vec<(String, f32)> = Vec::new();
    let mut seen = BTreeSet::new();
    for term in text::terms(query) {
        let counts = !names.contains(&term.stem) && !follows_how(query, term.span.start);
        if counts && seen.insert(term.stem.clone()) {
            let (idf, _) = store.idf(&term.stem)?;
            let idf = if idf.is_finite() { idf.max(0.0) } else { 0.0 };
            terms.push((term.stem, idf));
        }
    }
    let total: f32 = terms.iter().map(|(_, weight)| weight).sum();
    // Without any weight (every term stands in every chunk) all terms count alike.
    let even = 1.0 / terms.len().max(1) as f32;
    for (_, weight) in &mut terms {
        *weight = if total > 0.0 { *weight / total } else { even };
    }
    Ok(terms)
}

/// "How long" asks for a number; a sentence need not say "long".
fn follows_how(query: &str, at: usize) -> bool {
    let before = query.get(..at).unwrap_or_default().trim_end();
    let word = before
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    word.eq_ignore_ascii_case("how")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_is_followed_by_a_measure() {
        let check = |query: &str, word: &str, want: bool| {
            let at = query.find(word).expect("the word is there");
            assert_eq!(follows_how(query, at), want, "{query}");
        };
        check("How long do they live?", "long", true);
        check("And how  many?", "many", true);
        check("A long life", "long", false);
        check("Show long lists", "long", false);
        check("long", "long", false);
    }

    #[test]
    fn wording_gives_hints() {
        let check = |query: &str, number: bool, across: bool, section_hint: Option<SectionKind>| {
            let words = words(query);
            assert_eq!(NUMBER.iter().any(|p| has(&words, p)), number, "number: {query}");
            assert_eq!(ACROSS.iter().any(|p| has(&words, p)), across, "across: {query}");
            assert_eq!(section(&words), section_hint, "section: {query}");
        };
        check("How many adults took part?", true, false, None);
        check("What DOSE was given?", true, false, None);
        check("Show many things", false, false, None);
        check("What is reported across studies?", false, true, None);
        check("Do the papers agree on how much protein helps?", true, true, None);
        check(
            "What is said in the methods of Orvella?",
            false,
            false,
            Some(SectionKind::Methods),
        );
        check(
            "Summarise the discussion section.",
            false,
            false,
            Some(SectionKind::Discussion),
        );
        check("Which methods lower blood pressure?", false, false, None);
        check("Were acrossing words or paperss found?", false, false, None);
        check("", false, false, None);
    }
}
