//! The words of chunks, and how many chunks hold each.

use crate::{
    collections::{Collections, VALUES},
    error::Result,
    meta::{Changes, Item, change},
    points::SourceRecord,
    wire::json_of,
};
use retrieve::stored::defined_in;
use std::collections::{BTreeMap, BTreeSet};
use text::definitions::{Definition, key};
use types::{Chunk, SourceId};

/// The words of a chunk.
pub(crate) struct ChunkWords {
    /// Its stems, with how often its text and its titles hold them.
    pub(crate) stems: BTreeMap<String, [u32; 2]>,
    pub(crate) lengths: [u32; 2],
    /// The words of its text as written, and whether each is a stop word.
    forms: BTreeSet<(String, bool)>,
    definitions: BTreeSet<Definition>,
}

impl ChunkWords {
    /// Those of a chunk of a source with this title.
    pub(crate) fn of(chunk: &Chunk, title: &str) -> Self {
        let mut words = Self {
            stems: BTreeMap::new(),
            lengths: [0; 2],
            forms: BTreeSet::new(),
            definitions: defined_in(chunk),
        };
        for (field, text) in [(0, chunk.text.as_str()), (1, title), (1, chunk.heading.as_str())] {
            for word in text::indexed_words(text) {
                // Few words without letters or digits are misspelt ones of others.
                if field == 0 && word.form.chars().all(char::is_alphabetic) {
                    words.forms.insert((word.form, word.is_stop_word));
                }
                if !word.is_stop_word {
                    words.lengths[field] += 1;
                    words.stems.entry(word.stem).or_default()[field] += 1;
                }
            }
        }
        words
    }
}

/// How the counts of words change by the chunks of a source that comes (1) or goes (-1).
fn changes_of(chunks: &[ChunkWords], by: i64, changes: &mut Changes) {
    let mut defined: BTreeSet<&Definition> = BTreeSet::new();
    for words in chunks {
        for (stem, [text, title]) in &words.stems {
            let (text, title) = (i64::from(*text > 0), i64::from(*title > 0));
            change(changes, Item::Stem(stem.clone()), [text * by, title * by, text * title * by]);
        }
        for (form, is_stop_word) in &words.forms {
            change(changes, Item::Word(form.clone(), *is_stop_word), [by, 0, 0]);
        }
        defined.extend(&words.definitions);
    }
    let mut abbreviations = BTreeSet::new();
    for Definition { short, long } in defined {
        abbreviations.insert((key(short), key(long)));
        change(changes, Item::Spelling(short.clone(), long.clone()), [by, 0, 0]);
    }
    for (short, long) in abbreviations {
        change(changes, Item::Abbreviation(short, long), [by, 0, 0]);
    }
}

/// Counts how the words of a generation change by sources that it holds, which come (1) or go (-1).
pub(crate) async fn count_words(
    collections: &Collections,
    generation: u64,
    sources: &[&SourceRecord],
    by: i64,
    changes: &mut Changes,
) -> Result<()> {
    for sources in sources.chunks(VALUES) {
        let title = |source: &&SourceRecord| {
            (source.id().clone(), source.held.meta.title.clone().unwrap_or_default())
        };
        let titles: BTreeMap<SourceId, String> = sources.iter().map(title).collect();
        let ids: Vec<&str> = titles.keys().map(SourceId::as_str).collect();
        let mut words: BTreeMap<SourceId, Vec<ChunkWords>> = BTreeMap::new();
        for point in collections.chunks.all_with(generation, ("source", &ids), &["body"], false).await? {
            let chunk: Chunk = json_of(&point.payload, "body")?;
            let title = titles.get(&chunk.source_id).map_or("", String::as_str);
            words.entry(chunk.source_id.clone()).or_default().push(ChunkWords::of(&chunk, title));
        }
        for words in words.values() {
            changes_of(words, by, changes);
        }
    }
    Ok(())
}
