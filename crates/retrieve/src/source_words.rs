//! Which sources of a segment hold a word in their id, title, authors, venue or year.
//!
//! Written with the segment, so that no question reads what is known of all sources. The file is text: one line for each
//! stem, sorted, with the places of the sources that hold it.

use crate::{
    Index, IndexError,
    disk::{FileRecord, Mapped, Mapper, Output, names},
    lines::{lines_of, read_places, written_places},
    segment::Segment,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use text::{entities::lookup_stems, fold::fold};
use types::{MetadataWords, SourceMeta, metadata_text};

/// Collects the words of the sources of a segment.
#[derive(Debug, Default)]
pub(crate) struct SourceWordWriter(BTreeMap<String, Vec<u32>>);

impl SourceWordWriter {
    /// Adds a source; places rise.
    pub(crate) fn add(&mut self, place: u32, meta: &SourceMeta) {
        for stem in stems(meta) {
            self.0.entry(stem).or_default().push(place);
        }
    }

    /// Writes the file.
    pub(crate) fn finish(self, dir: &Path) -> Result<FileRecord, IndexError> {
        let mut out = Output::create(dir, names::SOURCE_WORDS)?;
        for line in self.lines() {
            out.put(line.as_bytes())?;
        }
        out.finish()
    }

    /// The lines of the file.
    fn lines(self) -> Vec<String> {
        let line = |(stem, places): (String, Vec<u32>)| format!("{stem}\t{}\n", written_places(&places));
        self.0.into_iter().map(line).collect()
    }
}

/// The words of a segment's sources, opened for reading.
pub(crate) struct SourceWordTable(Mapped<u8>);

impl SourceWordTable {
    pub(crate) fn open(mapper: &Mapper) -> Result<Self, IndexError> {
        Ok(Self(mapper.map_any(names::SOURCE_WORDS)?))
    }

    /// Whether the file has exactly the words of these sources.
    pub(crate) fn is_of<'a>(&self, sources: impl Iterator<Item = &'a SourceMeta>) -> bool {
        let mut expected = SourceWordWriter::default();
        for (place, meta) in (0..).zip(sources) {
            expected.add(place, meta);
        }
        let lines = expected.lines();
        lines.concat().as_bytes() == self.0.get()
    }

    /// The places of the sources that hold a stem, in order.
    fn places(&self, stem: &str) -> Vec<u32> {
        let line = lines_of(self.0.get(), stem).next();
        line.map(read_places).unwrap_or_default()
    }

    /// The places of the sources that hold all of these stems; none for an empty list.
    fn holding_all(&self, stems: &[String]) -> Vec<u32> {
        let mut lists: Vec<Vec<u32>> = stems.iter().map(|stem| self.places(stem)).collect();
        // The shortest first: the others are only looked up.
        lists.sort_by_key(Vec::len);
        let mut lists = lists.into_iter();
        let Some(mut found) = lists.next() else {
            return Vec::new();
        };
        for list in lists {
            found.retain(|place| list.binary_search(place).is_ok());
        }
        found
    }
}

impl Index {
    /// The places in the manifest of the sources that hold the words of at least one list.
    pub(crate) fn sources_containing(&self, wanted: &[MetadataWords]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for words in wanted {
            let mut places: Vec<usize> = Vec::new();
            for segment in self.segments.iter().enumerate() {
                let local = segment.1.source_words.holding_all(&words.stems).into_iter();
                places.extend(local.filter_map(|local| self.live_source(segment, local)));
            }
            places.sort_unstable();
            found.extend(places.into_iter().take(words.limit));
        }
        found
    }

    /// The place in the manifest of a source of a segment, given by its place there; `None` if it is dead.
    pub(crate) fn live_source(&self, (segment, of): (usize, &Segment), local: u32) -> Option<usize> {
        let local = local as usize;
        let id = of.record.sources.get(local)?.source_id();
        let (at, _) = self.manifest.source(id)?;
        // The id may live on in another segment.
        let place = self.places.get(at)?;
        ((place.segment, place.source) == (segment, local)).then_some(at)
    }
}

/// The stems of a source: of its words, of the parts of hyphenated ones, and of the runs of letters and digits, so that
/// a surname is found however it is written.
fn stems(meta: &SourceMeta) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    let text = metadata_text(meta);
    for text in [text.as_str(), meta.source_id.as_str()] {
        stems.extend(lookup_stems(text));
        let folded = fold(text);
        let runs = folded.text().split(|c: char| !c.is_alphanumeric());
        stems.extend(runs.filter(|run| !run.is_empty()).map(text::stem));
    }
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(id: &str, title: &str, authors: &[&str]) -> SourceMeta {
        SourceMeta {
            source_id: id.into(),
            title: Some(title.to_owned()),
            authors: authors.iter().map(|author| (*author).to_owned()).collect(),
            ..SourceMeta::default()
        }
    }

    #[test]
    fn sources_are_found_by_all_words_of_a_list() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut writer = SourceWordWriter::default();
        let sources = [
            source("a_2019", "Sleep and GDF-15 in mice", &["Ada O'Brien"]),
            source("b_2020", "Walking", &["Bram Solvik", "Ada O'Brien"]),
            source("c_2021", "Walking and sleep", &["Jean-Luc Moro"]),
        ];
        for (place, meta) in (0..).zip(&sources) {
            writer.add(place, meta);
        }
        writer.finish(dir.path()).expect("writes");
        let table = SourceWordTable::open(&Mapper::new(dir.path()).expect("maps")).expect("opens");
        let check = |words: &[&str], want: &[u32]| {
            let stems: Vec<String> = words.iter().map(|word| text::stem(word)).collect();
            assert_eq!(table.holding_all(&stems), want, "{words:?}");
        };
        check(&["walking"], &[1, 2]);
        check(&["walking", "sleep"], &[2]);
        check(&["brien"], &[0, 1]);
        check(&["o'brien", "solvik"], &[1]);
        check(&["luc"], &[2]);
        check(&["gdf15"], &[0]);
        check(&["2020"], &[1]);
        check(&["a"], &[0]);
        check(&["telomere"], &[]);
        check(&["walking", "telomere"], &[]);
        check(&[], &[]);
        // Every stem is found, the first and the last line among them.
        for (place, meta) in (0_u32..).zip(&sources) {
            for stem in stems(meta) {
                assert!(table.places(&stem).contains(&place), "{stem}");
            }
        }
    }
}
