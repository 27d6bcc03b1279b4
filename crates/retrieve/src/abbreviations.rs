//! The abbreviations that the sources of a segment define.
//!
//! Collected from the sentences of the chunks when the segment is written, so that no question reads a text. The file is
//! text, with two lines for each way in which a definition is written: one begins with the key of its short form, the
//! other with that of its long form. Then follow, with tabs between them, both forms and the places of the sources that
//! define it. Lines are sorted. Segments of earlier versions have no such file, and no abbreviations.

use crate::{
    Index, IndexError,
    disk::{FileRecord, Mapped, Mapper, Output, SegmentRecord, names},
    lines::{lines_of, read_places, written_places},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use text::definitions::{Definition, definitions, key};
use types::{Abbreviation, Chunk};

/// The abbreviations that the sentences of a chunk define, each once.
pub(crate) fn of_chunk(chunk: &Chunk) -> BTreeSet<Definition> {
    let sentences = chunk.sentences.iter().map(|sentence| chunk.sentence(sentence));
    sentences.flat_map(definitions).collect()
}

/// Collects the abbreviations of a segment: for each definition, the sources, in order.
#[derive(Debug, Default)]
pub(crate) struct AbbreviationWriter(BTreeMap<Definition, Vec<u32>>);

impl AbbreviationWriter {
    /// Adds definitions of a source; places rise.
    pub(crate) fn add(&mut self, place: u32, found: &BTreeSet<Definition>) {
        for definition in found {
            let places = match self.0.get_mut(definition) {
                Some(places) => places,
                None => self.0.entry(definition.clone()).or_default(),
            };
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
    }

    /// Writes the file.
    pub(crate) fn finish(&self, dir: &Path) -> Result<FileRecord, IndexError> {
        let mut out = Output::create(dir, names::ABBREVIATIONS)?;
        for line in self.lines() {
            out.put(line.as_bytes())?;
        }
        out.finish()
    }

    /// The lines of the file.
    fn lines(&self) -> BTreeSet<String> {
        let mut lines = BTreeSet::new();
        for (Definition { short, long }, places) in &self.0 {
            let places = written_places(places);
            for key in [key(short), key(long)] {
                if !key.is_empty() {
                    lines.insert(format!("{key}\t{short}\t{long}\t{places}\n"));
                }
            }
        }
        lines
    }
}

/// Whether the segment was written with its abbreviations.
pub(crate) fn are_in(record: &SegmentRecord) -> bool {
    record.files.contains_key(names::ABBREVIATIONS)
}

/// The abbreviations of a segment, opened for reading.
pub(crate) struct AbbreviationTable(Option<Mapped<u8>>);

impl AbbreviationTable {
    pub(crate) fn open(mapper: &Mapper, record: &SegmentRecord) -> Result<Self, IndexError> {
        let file = are_in(record).then(|| mapper.map_any(names::ABBREVIATIONS));
        Ok(Self(file.transpose()?))
    }

    /// Whether there is no file, or one that has exactly these abbreviations.
    pub(crate) fn is_of(&self, expected: &AbbreviationWriter) -> bool {
        let lines: Vec<String> = expected.lines().into_iter().collect();
        let file = self.0.as_ref();
        file.is_none_or(|file| file.get() == lines.concat().as_bytes())
    }

    /// The definitions with a form that has this key, each with the places of its sources.
    fn find(&self, key: &str) -> Vec<(Definition, Vec<u32>)> {
        let lines = self.0.as_ref().map_or(&[][..], Mapped::get);
        lines_of(lines, key).filter_map(read).collect()
    }
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
    /// As [`types::Retriever::abbreviations`], for one key.
    pub fn abbreviations(&self, wanted: &str) -> Vec<Abbreviation> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let mut by_keys: BTreeMap<[String; 2], Spellings> = BTreeMap::new();
        for segment in self.segments.iter().enumerate() {
            for (definition, places) in segment.1.abbreviations.find(wanted) {
                let places = places.into_iter();
                let live: BTreeSet<usize> = places
                    .filter_map(|local| self.live_source(segment, local))
                    .collect();
                if !live.is_empty() {
                    let keys = [key(&definition.short), key(&definition.long)];
                    let spellings = by_keys.entry(keys).or_default();
                    spellings.entry(definition).or_default().extend(live);
                }
            }
        }
        let mut found: Vec<Abbreviation> = by_keys.into_values().filter_map(merged).collect();
        found.sort_by(|one, other| {
            let rank = |a: &Abbreviation| Reverse(a.sources);
            let names = |a: &Abbreviation| (a.long.clone(), a.short.clone());
            rank(one)
                .cmp(&rank(other))
                .then_with(|| names(one).cmp(&names(other)))
        });
        found
    }

    /// Whether every segment was written with its abbreviations.
    pub(crate) fn has_abbreviations(&self) -> bool {
        self.segments.iter().all(|segment| are_in(&segment.record))
    }
}

/// One abbreviation of all its spellings: that of the most sources stands for it.
fn merged(spellings: Spellings) -> Option<Abbreviation> {
    let all: BTreeSet<usize> = spellings.values().flatten().copied().collect();
    let most = spellings
        .into_iter()
        .min_by_key(|(_, sources)| Reverse(sources.len()))?;
    let Definition { short, long } = most.0;
    Some(Abbreviation {
        short,
        long,
        sources: all.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(short: &str, long: &str) -> Definition {
        Definition {
            short: short.to_owned(),
            long: long.to_owned(),
        }
    }

    #[test]
    fn definitions_are_found_by_either_key() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut writer = AbbreviationWriter::default();
        let sources = [
            vec![definition("GMV", "grey matter volume")],
            vec![
                definition("GMV", "Grey matter volumes"),
                definition("PA", "physical activity"),
            ],
            vec![
                definition("PA", "physical activity"),
                definition("PA", "plasma albumin"),
            ],
        ];
        for (place, found) in (0..).zip(sources) {
            let found = found.into_iter().collect();
            writer.add(place, &found);
            // Chunks overlap.
            writer.add(place, &found);
        }
        let file = writer.finish(dir.path()).expect("writes");
        let record = |with: bool| SegmentRecord {
            segment: 1,
            dimension: 1,
            counts: crate::disk::Counts::default(),
            sources: Vec::new(),
            files: with
                .then(|| (names::ABBREVIATIONS.to_owned(), file.clone()))
                .into_iter()
                .collect(),
        };
        let mapper = Mapper::new(dir.path()).expect("maps");
        let table = AbbreviationTable::open(&mapper, &record(true)).expect("opens");
        let check = |wanted: &str, want: &[(&str, &str, &[u32])]| {
            let found = table.find(&key(wanted));
            let found: Vec<_> = found
                .iter()
                .map(|(d, places)| (d.short.as_str(), d.long.as_str(), places.as_slice()))
                .collect();
            assert_eq!(found, want, "{wanted}");
        };
        check(
            "gmv",
            &[
                ("GMV", "Grey matter volumes", &[1]),
                ("GMV", "grey matter volume", &[0]),
            ],
        );
        check(
            "grey-matter volume",
            &[
                ("GMV", "Grey matter volumes", &[1]),
                ("GMV", "grey matter volume", &[0]),
            ],
        );
        check(
            "PA",
            &[
                ("PA", "physical activity", &[1, 2]),
                ("PA", "plasma albumin", &[2]),
            ],
        );
        check("physical", &[]);
        assert!(table.is_of(&writer) && !table.is_of(&AbbreviationWriter::default()));
        let without = AbbreviationTable::open(&mapper, &record(false)).expect("opens");
        assert!(without.find("gmv").is_empty() && without.is_of(&writer));
    }

    #[test]
    fn damage_is_no_panic() {
        for rest in [&b""[..], b"\t", b"a\tb", b"a\tb\tx", b"\xff\tb\t1"] {
            let _ = read(rest);
        }
    }
}
