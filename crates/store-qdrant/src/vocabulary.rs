//! The words of the index: what a misspelt word may be, and what abbreviations stand for.

use crate::{
    error::Result,
    meta::{History, Item, count_at, item_of, look_up},
    reader::Reader,
    wire::{between, is},
};
use qdrant_client::qdrant::Filter;
use retrieve::stored::{Misspelt, in_order, nearest_first};
use std::{cmp::Reverse, collections::BTreeMap};
use text::definitions::{Definition, key};
use types::{Abbreviation, MetadataWords, Neighbour, StoreFuture, Vocabulary};

impl Reader {
    /// The counts of an item in this generation.
    pub(crate) fn counts_of(&self, history: &History) -> Result<[usize; 3]> {
        count_at(history, self.generation.number, &self.collections.settings.collection)
    }

    async fn neighbours_of(&self, word: &str) -> Result<Vec<Neighbour>> {
        let Some(asked) = Misspelt::new(word) else {
            return Ok(Vec::new());
        };
        if self.holds(&asked.word).await? {
            return Ok(Vec::new());
        }
        // All words with this first letter and about as many letters: a few thousand in a million.
        let first = asked.word.chars().take(1).collect::<String>();
        let letters = asked.letters as f64;
        let letters = between("letters", Some(letters - 1.0), Some(letters + 1.0));
        let filter = Filter::must([is("kind", "word"), is("first", &first), letters]);
        let mut neighbours = Vec::new();
        for point in self.collections.meta.all(filter, &["item", "history"], false).await? {
            if let (Item::Word(word, is_stop_word), history) = item_of(&point.payload)?
                && let Some(distance) = asked.edits(&word, is_stop_word)
                && let [chunks, ..] = self.counts_of(&history)?
                && chunks > 0
            {
                neighbours.push(Neighbour { word, distance, chunks, is_stop_word });
            }
        }
        nearest_first(&mut neighbours);
        Ok(neighbours)
    }

    /// Whether a chunk or the metadata of a source holds the word, in any form.
    async fn holds(&self, word: &str) -> Result<bool> {
        let stem = text::stem(word);
        for (_, history) in look_up(&self.collections.meta, &[Item::Stem(stem.clone())]).await? {
            let [text, title, _] = self.counts_of(&history.unwrap_or_default())?;
            if text > 0 || title > 0 {
                return Ok(true);
            }
        }
        let words = MetadataWords { stems: vec![stem], limit: 1 };
        Ok(!self.containing(&words).await?.is_empty())
    }

    async fn abbreviations_of(&self, wanted: &str) -> Result<Vec<Abbreviation>> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let mut sources: BTreeMap<[String; 2], usize> = BTreeMap::new();
        let mut spellings: BTreeMap<[String; 2], BTreeMap<Definition, usize>> = BTreeMap::new();
        let filter = Filter::must([is("keys", wanted)]);
        for point in self.collections.meta.all(filter, &["item", "history"], false).await? {
            let (item, history) = item_of(&point.payload)?;
            let [held, ..] = self.counts_of(&history)?;
            match item {
                Item::Abbreviation(short, long) if held > 0 => drop(sources.insert([short, long], held)),
                Item::Spelling(short, long) if held > 0 => {
                    let of = spellings.entry([key(&short), key(&long)]).or_default();
                    of.insert(Definition { short, long }, held);
                }
                _ => {}
            }
        }
        let one = |(keys, spellings): ([String; 2], BTreeMap<Definition, usize>)| {
            // The spelling of the most sources stands for all.
            let (Definition { short, long }, _) =
                spellings.into_iter().min_by_key(|(_, held)| Reverse(*held))?;
            Some(Abbreviation { short, long, sources: *sources.get(&keys)? })
        };
        let mut abbreviations: Vec<Abbreviation> = spellings.into_iter().filter_map(one).collect();
        in_order(&mut abbreviations);
        Ok(abbreviations)
    }
}

impl Vocabulary for Reader {
    fn neighbours<'a>(&'a self, words: &'a [String]) -> StoreFuture<'a, Vec<Vec<Neighbour>>> {
        let each = words.iter().map(|word| self.neighbours_of(word));
        Box::pin(async move { Ok(futures::future::try_join_all(each).await?) })
    }

    fn abbreviations<'a>(&'a self, keys: &'a [String]) -> StoreFuture<'a, Vec<Vec<Abbreviation>>> {
        let each = keys.iter().map(|key| self.abbreviations_of(key));
        Box::pin(async move { Ok(futures::future::try_join_all(each).await?) })
    }
}
