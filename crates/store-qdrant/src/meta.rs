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
    wire::{
        Fields, between, is_any, json, json_of, number, number_id, number_of_id, payload, text, text_of,
        texts,
    },
};
use qdrant_client::qdrant::{Filter, PointStruct, Value, value::Kind};
use std::collections::{BTreeMap, HashMap, HashSet};
use types::digest::digest_of_parts;

/// The record of the current generation.
pub(crate) const POINTER: u64 = RECORDS;
/// The kind of the record of a part that is stored.
pub(crate) const PART: &str = "part";
/// The kind of the records of how the counts of words change by a part.
pub(crate) const CHANGES: &str = "changes";
/// The first id of records; slots of the table are below.
const RECORDS: u64 = 1 << 63;
/// The first slot of items that are no stems.
const BEHIND_STEMS: u64 = 1 << 32;
/// Items that are looked up in one call.
const BATCH: usize = 512;
/// Versions of a count that are kept, for readers of earlier generations.
const VERSIONS: usize = 8;

/// An item of the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stem(stem) => format!("s\t{stem}"),
            Self::Word(word, false) => format!("w\t{word}"),
            Self::Word(word, true) => format!("o\t{word}"),
            Self::Abbreviation(short, long) => format!("a\t{short}\t{long}"),
            Self::Spelling(short, long) => format!("d\t{short}\t{long}"),
        }
    }

    /// The item of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut parts = name.split('\t').map(str::to_owned);
        let (kind, first) = (parts.next()?, parts.next()?);
        Some(match kind.as_str() {
            "s" => Self::Stem(first),
            "w" | "o" => Self::Word(first, kind == "o"),
            "a" => Self::Abbreviation(first, parts.next()?),
            "d" => Self::Spelling(first, parts.next()?),
            _ => return None,
        })
    }

    /// Its slot, if `tried` others are taken.
    fn slot(&self, tried: u64) -> u64 {
        let hash = digest_of_parts(&[self.name().as_bytes()]);
        let hash = u64::from_le_bytes(hash[..8].try_into().expect("a digest has 32 bytes"));
        match self {
            Self::Stem(_) => hash.wrapping_add(tried) % BEHIND_STEMS,
            _ => BEHIND_STEMS + hash.wrapping_add(tried) % (RECORDS - BEHIND_STEMS),
        }
    }

    /// What it is searched by.
    fn fields(&self) -> Fields {
        use text::definitions::key;
        match self {
            Self::Stem(_) => Fields::new(),
            Self::Word(word, _) => payload([
                ("kind", text("word")),
                ("first", text(word.chars().take(1).collect::<String>())),
                ("letters", number(word.chars().count())),
            ]),
            Self::Abbreviation(short, long) => payload([("keys", texts([short, long]))]),
            Self::Spelling(short, long) => payload([("keys", texts([key(short), key(long)]))]),
        }
    }

    fn point(&self, slot: u64, history: &History) -> PointStruct {
        let latest = history.last().map_or(0, |(from, _)| *from);
        let own = payload([
            ("item", text(self.name())),
            ("history", json(history)),
            ("generation", number(latest)),
        ]);
        let payload = own.into_iter().chain(self.fields()).collect();
        PointStruct {
            id: Some(number_id(slot)),
            payload,
            vectors: Some(crate::points::named_vectors(HashMap::new())),
        }
    }
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
    let name = text_of(fields, "item")?;
    let item =
        Item::named(name).ok_or_else(|| QdrantError::damaged("a word of the index", format!("{name:?}")))?;
    Ok((item, json_of(fields, "history")?))
}

/// Where an item stands.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) slot: u64,
    /// `None` where the slot is free.
    pub(crate) history: Option<History>,
}

/// Looks up items: for each its slot and history, or the free slot that it would get.
pub(crate) async fn look_up(meta: &Collection, items: &[Item]) -> Result<Vec<Place>> {
    let mut places: Vec<Option<Place>> = vec![None; items.len()];
    let mut open: Vec<(usize, u64)> = (0..items.len()).map(|at| (at, 0)).collect();
    while !open.is_empty() {
        let mut next = Vec::new();
        for batch in open.chunks(BATCH) {
            let slots: HashSet<u64> = batch.iter().map(|(at, tried)| items[*at].slot(*tried)).collect();
            let found = meta.get(slots.into_iter().map(number_id).collect()).await?;
            let found: HashMap<u64, Fields> =
                found.into_iter().filter_map(|point| Some((number_of_id(&point)?, point.payload))).collect();
            for (at, tried) in batch {
                let slot = items[*at].slot(*tried);
                let Some(fields) = found.get(&slot) else {
                    places[*at] = Some(Place { slot, history: None });
                    continue;
                };
                if text_of(fields, "item")? == items[*at].name() {
                    places[*at] = Some(Place { slot, history: Some(json_of(fields, "history")?) });
                } else {
                    next.push((*at, tried + 1));
                }
            }
        }
        open = next;
    }
    Ok(places.into_iter().flatten().collect())
}

/// As [`look_up`]; items that have no slot get one.
pub(crate) async fn ensure(meta: &Collection, items: &[Item]) -> Result<Vec<Place>> {
    let mut places = look_up(meta, items).await?;
    loop {
        let new: Vec<usize> = (0..items.len()).filter(|at| places[*at].history.is_none()).collect();
        if new.is_empty() {
            return Ok(places);
        }
        // Of several for one slot the first gets it; the others find it taken.
        let mut slots = HashSet::new();
        let free = new.iter().filter(|at| slots.insert(places[**at].slot));
        let points: Vec<PointStruct> =
            free.map(|at| items[*at].point(places[*at].slot, &History::new())).collect();
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
        for ((item, by), place) in batch.iter().zip(places) {
            let mut history = place.history.unwrap_or_default();
            history.retain(|(from, _)| *from <= current);
            let mut counts = history.last().map_or([0; 3], |(_, counts)| *counts);
            for (count, by) in counts.iter_mut().zip(by) {
                *count = count.saturating_add_signed(isize::try_from(*by).unwrap_or_default());
            }
            history.push((next, counts));
            let old = history.len().saturating_sub(VERSIONS);
            history.drain(..old);
            points.push(item.point(place.slot, &history));
        }
        meta.upsert(points).await?;
    }
    Ok(())
}

/// Takes back the counts of a generation after `current`, which was never finished.
pub(crate) async fn take_back(meta: &Collection, current: u64) -> Result<()> {
    let later = Filter {
        must: vec![between("generation", Some(current as f64 + 1.0), None)],
        must_not: vec![is_any("kind", [PART, CHANGES])],
        ..Filter::default()
    };
    for batch in meta.all(later, &["item", "history"], &[]).await?.chunks(BATCH) {
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
    let hash = digest_of_parts(&[name.as_bytes()]);
    (u64::from_le_bytes(hash[..8].try_into().expect("a digest has 32 bytes")) | RECORDS).max(POINTER + 1)
}

/// The point of a record.
pub(crate) fn record_point<const N: usize>(id: u64, fields: [(&str, Kind); N]) -> PointStruct {
    let payload: HashMap<String, Value> = payload(fields);
    PointStruct {
        id: Some(number_id(id)),
        payload,
        vectors: Some(crate::points::named_vectors(HashMap::new())),
    }
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
            assert_eq!(Item::named(&item.name()).as_ref(), Some(item));
            assert!(item.slot(0) < RECORDS && record_id(&item.name()) > POINTER);
            assert_eq!(item.slot(0) < BEHIND_STEMS, matches!(item, Item::Stem(_)));
            assert_ne!(item.slot(0), item.slot(1));
        }
        assert_eq!(Item::named("x\ty"), None);
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
