//! What an entity may stand on: the text of the context and what is known of its sources.

use std::collections::{BTreeSet, HashMap};
use text::WordList;
use text::entities::{Entity, EntityKind, Ground, entities};
use types::Context;

/// The grounds of one answer.
pub(super) struct Grounds {
    query: Ground,
    context: Ground,
    /// Entities that were looked up: answers repeat themselves.
    known: HashMap<(EntityKind, String), bool>,
}

impl Grounds {
    /// Text and heading of each chunk; title, authors, year, venue and id of each source. The question is
    /// kept apart: it grounds only what a sentence says is missing.
    pub(super) fn new(query: &str, context: &Context) -> Self {
        let mut haystack = String::new();
        let mut sources = BTreeSet::new();
        for c in &context.chunks {
            let (chunk, source) = (&c.chunk, &c.source);
            let mut add = |text: &str| {
                haystack.push_str(text);
                // A blank line: nothing matches across two texts.
                haystack.push_str("\n\n");
            };
            add(&chunk.heading);
            add(&chunk.with_table_head());
            if sources.insert(&chunk.source_id) {
                source.title.iter().chain(&source.venue).chain(&source.authors).for_each(|t| add(t));
                add(&source.year.map(|y| y.to_string()).unwrap_or_default());
                // Many a file is named after its author and year, and the generator sees that name.
                add(&chunk.source_id.as_str().replace(['_', '-'], " "));
            }
        }
        Self { query: Ground::new(query), context: Ground::new(&haystack), known: HashMap::new() }
    }

    /// What a sentence, marks removed, names without ground; each once, in order.
    pub(super) fn ungrounded(&mut self, sentence: &str) -> Vec<String> {
        let missing = says_missing(sentence);
        let mut out = Vec::new();
        for entity in entities(sentence) {
            if counts_only(&entity, sentence) || self.holds(&entity) || (missing && self.query.holds(&entity))
            {
                continue;
            }
            if !out.contains(&entity.text) {
                out.push(entity.text);
            }
        }
        out
    }

    fn holds(&mut self, entity: &Entity) -> bool {
        let key = (entity.kind, entity.text.clone());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let held = self.context.holds(entity);
        self.known.insert(key, held);
        held
    }
}

/// Words for what the answer itself counts: "3 studies".
static COUNTED: WordList =
    WordList::new("studies papers sources excerpts chunks articles publications works points parts");

/// Whether a number only numbers or counts the answer's own parts: a list marker, "2 studies".
fn counts_only(entity: &Entity, sentence: &str) -> bool {
    if entity.kind != EntityKind::Number {
        return false;
    }
    let (Some(before), Some(after)) = (sentence.get(..entity.span.start), sentence.get(entity.span.end..))
    else {
        return false;
    };
    let digits = entity.text.trim_end_matches(['.', ')']);
    let small = digits.len() <= 2 && digits.chars().all(|c| c.is_ascii_digit());
    let marker = !before.contains(char::is_alphanumeric) && after.starts_with(['.', ')']);
    let counted =
        after.split_whitespace().next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric());
    small && (marker || COUNTED.contains(&counted.to_lowercase()))
}

/// What can lack something.
static SUBJECTS: WordList = WordList::new(
    "corpus source sources excerpt excerpts context passage passages paper papers document documents text texts
    literature material materials evidence information data study studies collection chunk chunks i we article
    articles result results mention",
);
/// What is denied of it.
static VERBS: WordList = WordList::new(
    "report mention contain include describe discuss address provide find found present cover name cite refer
    state specify identify identified available appear answer give say hold treat evidence information data show
    offer examine study locate",
);
/// Words that negate beyond those of every text.
static NEGATIONS: WordList =
    WordList::new("none nothing cannot absent missing unavailable unable lack lacks");

/// Whether a sentence says that what it names is not there: "the corpus does not report …", "I could not find
/// …". Such a sentence may name what only the question named.
pub(crate) fn says_missing(sentence: &str) -> bool {
    let words: Vec<String> = sentence
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')))
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect();
    let negates = |w: &str| NEGATIONS.contains(w) || text::is_negation(w);
    let says = |w: &str| {
        let stem = |end: &str| w.strip_suffix(end).is_some_and(|s| VERBS.contains(s));
        VERBS.contains(w) || stem("s") || stem("es") || stem("ed") || stem("d") || stem("ing")
    };
    let has = |test: &dyn Fn(&str) -> bool| words.iter().any(|w| test(w));
    has(&negates) && has(&says) && has(&|w| SUBJECTS.contains(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absence_is_said_in_many_ways() {
        let check = |sentence: &str, want: bool| assert_eq!(says_missing(sentence), want, "{sentence:?}");
        check("The corpus does not report Zhang et al. 2021.", true);
        check("I could not find Zhang et al. in the excerpts.", true);
        check("None of the sources mentions metformin.", true);
        check("No evidence on metformin was found.", true);
        check("The papers didn't examine rapamycin.", true);
        check("Zhang et al. report that mice do not gain weight.", false);
        check("The corpus reports a rise of 12 %.", false);
        check("Exercise does not change BMI.", false);
        check("", false);
    }
}
