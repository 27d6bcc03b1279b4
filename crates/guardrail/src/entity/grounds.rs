//! What an entity may stand on: the text of the context and what is known of its sources.

use crate::missing::says_missing;
use std::collections::{BTreeSet, HashMap};
use text::WordList;
use text::entities::{Entity, EntityKind, Ground, entities};
use types::{Context, words::distinct};

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
        let mut found = entities(sentence);
        found.retain(|entity| {
            !(counts_only(entity, sentence) || self.holds(entity) || (missing && self.query.holds(entity)))
        });
        distinct(found.into_iter().map(|entity| entity.text))
    }

    fn holds(&mut self, entity: &Entity) -> bool {
        let known = self.known.entry((entity.kind, entity.text.clone()));
        *known.or_insert_with(|| self.context.holds(entity))
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
