//! Words for publications, and what may stand beside them.

use super::tokens::Tokens;

/// Plural and mass nouns: "studies", "research".
const MANY: [&str; 18] = [
    "studies",
    "papers",
    "theses",
    "dissertations",
    "research",
    "publications",
    "articles",
    "literature",
    "trials",
    "rcts",
    "reviews",
    "meta-analyses",
    "metaanalyses",
    "preprints",
    "manuscripts",
    "monographs",
    "journals",
    "editorials",
];
/// Singular nouns of a document.
const DOCUMENT: [&str; 8] = [
    "paper",
    "article",
    "thesis",
    "dissertation",
    "publication",
    "preprint",
    "manuscript",
    "monograph",
];
/// Singular nouns of what a document reports, too: "the trial from 2012" may be the event.
const EVENT: [&str; 4] = ["study", "trial", "review", "meta-analysis"];
/// What makes a document public, or puts it on paper.
const PUBLISHED: [&str; 11] = [
    "published",
    "written",
    "released",
    "printed",
    "submitted",
    "defended",
    "dated",
    "appeared",
    "appearing",
    "issued",
    "authored",
];
/// Words that say what kind of publication it is, and no topic.
const KINDS: [&str; 37] = [
    "academic",
    "available",
    "bachelor",
    "blind",
    "case-control",
    "clinical",
    "cohort",
    "controlled",
    "cross-sectional",
    "doctoral",
    "double-blind",
    "empirical",
    "english",
    "experimental",
    "graduate",
    "indexed",
    "journal",
    "key",
    "longitudinal",
    "major",
    "master",
    "observational",
    "open-access",
    "original",
    "peer-reviewed",
    "phd",
    "pilot",
    "placebo-controlled",
    "prospective",
    "published",
    "randomised",
    "randomized",
    "relevant",
    "research",
    "retrospective",
    "scientific",
    "systematic",
];

/// How a word speaks of publications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noun {
    /// Several of them.
    Many,
    /// One document.
    Document,
    /// One study: the document or the event.
    Event,
}

/// The noun at a place, if it speaks of publications. "Research" before another of these nouns only describes it.
pub(super) fn noun(tokens: &Tokens, at: usize) -> Option<Noun> {
    let word = tokens.word(at);
    if MANY.contains(&word) {
        Some(Noun::Many)
    } else if DOCUMENT.contains(&word) {
        Some(Noun::Document)
    } else if EVENT.contains(&word) {
        Some(Noun::Event)
    } else {
        None
    }
}

/// Whether the word says what kind of publication it is.
pub(super) fn is_kind(word: &str) -> bool {
    KINDS.contains(&word)
}

/// Whether the word is "published" or a word like it.
pub(super) fn is_published(word: &str) -> bool {
    PUBLISHED.contains(&word)
}

/// Whether a noun may be called "a thesis of 2023": an indefinite word stands before it or its adjectives.
pub(super) fn is_indefinite(word: &str) -> bool {
    matches!(
        word,
        "a" | "an" | "any" | "which" | "what" | "each" | "every" | "no" | "one" | "another" | "some"
    )
}

/// Whether a question speaks of publications at all. If not, its words set no filter of years or subjects.
pub fn speaks_of_publications(query: &str) -> bool {
    let tokens = Tokens::new(query, &[]);
    (0..tokens.len()).any(|at| noun(&tokens, at).is_some())
}
