//! The abbreviations that the sources of a segment define.
//!
//! Collected from the sentences of the chunks when the segment is written, so that no question reads a text. The file has
//! two lines for each way in which a definition is written: one begins with the key of its short form, the other with
//! that of its long form. Then follow both forms and the places of the sources that define it.

use crate::{Index, disk::LineTable, disk::LineWriter, disk::read_places};
use retrieve::stored::in_order;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};
use text::definitions::{Definition, key};
use types::Abbreviation;

/// Adds the definitions of a source to the lines of a segment; places rise.
pub(crate) fn add_definitions(lines: &mut LineWriter, place: u32, found: &BTreeSet<Definition>) {
    for Definition { short, long } in found {
        for key in [key(short), key(long)] {
            if !key.is_empty() {
                lines.add(format!("{key}\t{short}\t{long}"), place);
            }
        }
    }
}

/// The definitions with a form that has this key, each with the places of its sources.
fn find(table: &LineTable, key: &str) -> Vec<(Definition, Vec<u32>)> {
    table.find(key).filter_map(read).collect()
}

/// Reads what stands behind the key of a line; `None` if it is damaged.
fn read(rest: &[u8]) -> Option<(Definition, Vec<u32>)> {
    let mut parts = std::str::from_utf8(rest).ok()?.split('\t').map(str::to_owned);
    let (short, long) = (parts.next()?, parts.next()?);
    let places = read_places(parts.next()?.as_bytes());
    Some((Definition { short, long }, places))
}

/// The sources that define an abbreviation, by the way in which they write it.
type Spellings = BTreeMap<Definition, BTreeSet<usize>>;

impl Index {
    /// As [`types::Vocabulary::abbreviations`], for one key.
    pub fn abbreviations(&self, wanted: &str) -> Vec<Abbreviation> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let mut by_keys: BTreeMap<[String; 2], Spellings> = BTreeMap::new();
        for segment in self.segments.iter().enumerate() {
            for (definition, places) in find(&segment.1.abbreviations, wanted) {
                let places = places.into_iter();
                let live: BTreeSet<usize> =
                    places.filter_map(|local| self.live_source(segment, local)).collect();
                if !live.is_empty() {
                    let keys = [key(&definition.short), key(&definition.long)];
                    let spellings = by_keys.entry(keys).or_default();
                    spellings.entry(definition).or_default().extend(live);
                }
            }
        }
        let mut abbreviations: Vec<Abbreviation> = by_keys.into_values().filter_map(merged).collect();
        in_order(&mut abbreviations);
        abbreviations
    }
}

/// One abbreviation of all its spellings: that of the most sources stands for it.
fn merged(spellings: Spellings) -> Option<Abbreviation> {
    let all: BTreeSet<usize> = spellings.values().flatten().copied().collect();
    let most = spellings.into_iter().min_by_key(|(_, sources)| Reverse(sources.len()))?;
    let Definition { short, long } = most.0;
    Some(Abbreviation { short, long, sources: all.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_no_panic() {
        for rest in [&b""[..], b"\t", b"a\tb", b"a\tb\tx", b"\xff\tb\t1"] {
            let _ = read(rest);
        }
    }
}
