//! The points of the collection beside the chunks and the sources: a table of words and abbreviations with how many hold them,
//! and the few records that say which generation is current and who writes.
//!
//! The table is a hash table whose slots are the ids of its points: an item stands at its hash, or at the next id that no
//! other item has. The number of a stem, under which the sparse vectors have it, is the id of its slot: two stems never share
//! one. A slot is taken by a write that changes nothing where there is something, so that several writers agree on it.
//! Slots are never freed.

use crate::{
    QdrantError,
    collections::Collection,
    error::Result,
    wire::{Fields, between, is_any, json, json_of, number, number_of_id, payload, record, text_of, texts},
};
use qdrant_client::qdrant::{Filter, PointStruct};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use text::definitions::key;
use types::digest::digest_of_parts;

/// The record of the current generation.
pub(crate) const POINTER: u64 = RECORDS;
/// The kind of the record of a part that is stored.
pub(crate) const PART: &str = "part";
/// The kind of the records of the sources that a part keeps.
pub(crate) const KEPT: &str = "kept";
/// The first id of records; slots of the table are below.
const RECORDS: u64 = 1 << 63;
/// The first slot of items that are no stems.
const BEHIND_STEMS: u64 = 1 << 32;
/// Items that are looked up in one call.
const BATCH: usize = 512;
/// Versions of a count that are kept, for readers of earlier generations.
const VERSIONS: usize = 8;

/// An item of the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Item {
    /// A stem: the chunks that hold it in their text, in their titles, in both.
    Stem(String),
    /// A word as written, and whether it is a stop word: the chunks that hold it.
    Word(String, bool),
    /// The keys of both forms of an abbreviation: the sources that define it, in any spelling.
    Abbreviation(String, String),
    /// Both forms of an abbreviation: the sources that write it so.
    Spelling(String, String),
}

impl Item {
    /// Its name in the table.
    fn name(&self) -> String {
        serde_json::to_string(self).expect("plain data")
    }

    /// Its slot, if `tried` others are taken.
    fn slot(&self, tried: u64) -> u64 {
        let hash = hash(&self.name()).wrapping_add(tried);
        match self {
            Self::Stem(_) => hash % BEHIND_STEMS,
            _ => BEHIND_STEMS + hash % (RECORDS - BEHIND_STEMS),
        }
    }

    /// What it is searched by.
    fn fields(&self) -> Fields {
        match self {
            Self::Stem(_) => Fields::new(),
            Self::Word(word, _) => payload([
                ("kind", "word".into()),
                ("first", word.chars().take(1).collect::<String>().into()),
                ("letters", number(word.chars().count())),
            ]),
            Self::Abbreviation(short, long) => payload([("keys", texts([short, long]))]),
            Self::Spelling(short, long) => payload([("keys", texts([key(short), key(long)]))]),
        }
    }

    fn point(&self, slot: u64, history: &History) -> PointStruct {
        let latest = history.last().map_or(0, |(from, _)| *from);
        let mut fields = self.fields();
        fields.extend(payload([
            ("item", self.name().into()),
            ("history", json(history)),
            ("generation", number(latest)),
        ]));
        record(slot, fields)
    }
}

fn hash(name: &str) -> u64 {
    let digest = digest_of_parts(&[name.as_bytes()]);
    u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}

/// How often an item is held: by generation, oldest first. What the numbers count depends on the item.
pub(crate) type History = Vec<(u64, [usize; 3])>;

/// The counts of a generation.
///
/// # Errors
/// When they were dropped: the reader is older than the versions that are kept.
pub(crate) fn count_at(history: &History, generation: u64, collection: &str) -> Result<[usize; 3]> {
    match history.iter().rev().find(|(from, _)| *from <= generation) {
        Some((_, counts)) => Ok(*counts),
        None if history.len() >= VERSIONS => {
            Err(QdrantError::Gone { collection: collection.to_owned(), generation })
        }
        None => Ok([0; 3]),
    }
}

/// The item of a point of the table, with its history.
pub(crate) fn item_of(fields: &Fields) -> Result<(Item, History)> {
    Ok((json_of(fields, "item")?, json_of(fields, "history")?))
}

/// Where an item stands: its slot, and its history; `None` where the slot is free.
pub(crate) type Place = (u64, Option<History>);

/// Looks up items: for each its slot and history, or the free slot that it would get.
pub(crate) async fn look_up(meta: &Collection, items: &[Item]) -> Result<Vec<Place>> {
    let mut places = vec![Place::default(); items.len()];
    let mut open: Vec<usize> = (0..items.len()).collect();
    let mut tried = 0;
    while !open.is_empty() {
        let mut taken = Vec::new();
        for batch in open.chunks(BATCH) {
            let slots: HashSet<u64> = batch.iter().map(|at| items[*at].slot(tried)).collect();
            let found = meta.get(slots.into_iter().map(Into::into).collect()).await?;
            let found: HashMap<u64, Fields> =
                found.into_iter().filter_map(|point| Some((number_of_id(&point)?, point.payload))).collect();
            for at in batch {
                places[*at].0 = items[*at].slot(tried);
                match found.get(&places[*at].0) {
                    None => {}
                    Some(fields) if text_of(fields, "item")? == items[*at].name() => {
                        places[*at].1 = Some(json_of(fields, "history")?);
                    }
                    Some(_) => taken.push(*at),
                }
            }
        }
        (open, tried) = (taken, tried + 1);
    }
    Ok(places)
}

/// As [`look_up`]; items that have no slot get one.
pub(crate) async fn ensure(meta: &Collection, items: &[Item]) -> Result<Vec<Place>> {
    let mut places = look_up(meta, items).await?;
    loop {
        let new: Vec<usize> = (0..items.len()).filter(|at| places[*at].1.is_none()).collect();
        if new.is_empty() {
            return Ok(places);
        }
        // Of several for one slot the first gets it; the others find it taken.
        let mut slots = HashSet::new();
        let free = new.iter().filter(|at| slots.insert(places[**at].0));
        let points: Vec<PointStruct> =
            free.map(|at| items[*at].point(places[*at].0, &History::new())).collect();
        for batch in points.chunks(BATCH) {
            meta.insert(batch.to_vec()).await?;
        }
        let again: Vec<Item> = new.iter().map(|at| items[*at].clone()).collect();
        for (at, place) in new.into_iter().zip(look_up(meta, &again).await?) {
            places[at] = place;
        }
    }
}

/// How counts change.
pub(crate) type Changes = BTreeMap<Item, [i64; 3]>;

/// Adds to the changes of an item.
pub(crate) fn change(changes: &mut Changes, item: Item, by: [i64; 3]) {
    let counts = changes.entry(item).or_default();
    for (count, by) in counts.iter_mut().zip(by) {
        *count += by;
    }
}

/// Writes the counts of generation `next`, which follows `current`. What an unfinished generation left is replaced.
pub(crate) async fn apply(meta: &Collection, changes: Changes, current: u64, next: u64) -> Result<()> {
    let changes: Vec<(Item, [i64; 3])> = changes.into_iter().filter(|(_, by)| *by != [0; 3]).collect();
    for batch in changes.chunks(BATCH) {
        let items: Vec<Item> = batch.iter().map(|(item, _)| item.clone()).collect();
        let places = ensure(meta, &items).await?;
        let mut points = Vec::with_capacity(batch.len());
        for ((item, by), (slot, history)) in batch.iter().zip(places) {
            let mut history = history.unwrap_or_default();
            history.retain(|(from, _)| *from <= current);
            let mut counts = history.last().map_or([0; 3], |(_, counts)| *counts);
            for (count, by) in counts.iter_mut().zip(by) {
                *count = count.saturating_add_signed(isize::try_from(*by).unwrap_or_default());
            }
            history.push((next, counts));
            let old = history.len().saturating_sub(VERSIONS);
            history.drain(..old);
            points.push(item.point(slot, &history));
        }
        meta.upsert(points).await?;
    }
    Ok(())
}

/// Takes back the counts of a generation after `current`, which was never finished.
pub(crate) async fn take_back(meta: &Collection, current: u64) -> Result<()> {
    let later = Filter {
        must: vec![between("generation", Some(current as f64 + 1.0), None)],
        must_not: vec![is_any("kind", [PART, KEPT])],
        ..Filter::default()
    };
    for batch in meta.all(later, &["item", "history"], false).await?.chunks(BATCH) {
        let mut points = Vec::with_capacity(batch.len());
        for point in batch {
            let (item, mut history) = item_of(&point.payload)?;
            history.retain(|(from, _)| *from <= current);
            points.extend(number_of_id(point).map(|slot| item.point(slot, &history)));
        }
        meta.upsert(points).await?;
    }
    Ok(())
}

/// The id of a record with this name.
pub(crate) fn record_id(name: &str) -> u64 {
    (hash(name) | RECORDS).max(POINTER + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_named_apart_and_read_back() {
        let items = [
            Item::Stem("walk".to_owned()),
            Item::Word("walk".to_owned(), false),
            Item::Word("walk".to_owned(), true),
            Item::Abbreviation("gsa".to_owned(), "garden snail activ".to_owned()),
            Item::Spelling("GSA".to_owned(), "garden snail activity".to_owned()),
        ];
        for item in &items {
            assert_eq!(serde_json::from_str::<Item>(&item.name()).as_ref().ok(), Some(item));
            assert!(item.slot(0) < RECORDS && record_id(&item.name()) > POINTER);
            assert_eq!(item.slot(0) < BEHIND_STEMS, matches!(item, Item::Stem(_)));
            assert_ne!(item.slot(0), item.slot(1));
        }
    }

    #[test]
    fn a_reader_sees_the_counts_of_its_generation() {
        let history: History = (3..11).map(|at| (at, [at as usize; 3])).collect();
        assert_eq!(count_at(&history, 7, "n").ok(), Some([7; 3]));
        assert_eq!(count_at(&history, 99, "n").ok(), Some([10; 3]));
        assert!(count_at(&history, 2, "n").is_err(), "it may have been dropped");
        assert_eq!(count_at(&history[1..].to_vec(), 2, "n").ok(), Some([0; 3]));
    }
}
