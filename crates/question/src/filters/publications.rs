//! Words for publications, and what may stand beside them.

use super::tokens::Tokens;
use text::WordList;

/// Plural and mass nouns: "studies", "research".
static MANY: WordList = WordList::new(
    "studies papers theses dissertations research publications articles literature trials rcts reviews
    meta-analyses metaanalyses preprints manuscripts monographs journals editorials",
);
/// Singular nouns of a document.
static DOCUMENT: WordList =
    WordList::new("paper article thesis dissertation publication preprint manuscript monograph");
/// Singular nouns of what a document reports, too: "the trial from 2012" may be the event.
static EVENT: WordList = WordList::new("study trial review meta-analysis");
/// What makes a document public, or puts it on paper.
pub(super) static PUBLISHED: WordList = WordList::new(
    "published written released printed submitted defended dated appeared appearing issued authored",
);
/// Words that say what kind of publication it is, and no topic.
pub(super) static KINDS: WordList = WordList::new(
    "academic available bachelor blind case-control clinical cohort controlled cross-sectional doctoral
    double-blind empirical english experimental graduate indexed journal key longitudinal major master
    observational open-access original peer-reviewed phd pilot placebo-controlled prospective published
    randomised randomized relevant research retrospective scientific systematic",
);

/// Words before "thesis of 2023" that do not point to a certain one.
pub(super) static INDEFINITE: WordList = WordList::new("a an any which what each every no one another some");

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
    let lists = [(&MANY, Noun::Many), (&DOCUMENT, Noun::Document), (&EVENT, Noun::Event)];
    let noun = lists.into_iter().find(|(list, _)| list.contains(word));
    noun.map(|(_, noun)| noun)
}

/// Whether a question speaks of publications at all. If not, its words set no filter of years or subjects.
pub fn speaks_of_publications(query: &str) -> bool {
    let tokens = Tokens::new(query, &[]);
    (0..tokens.len()).any(|at| noun(&tokens, at).is_some())
}
