//! Which sources of a segment hold a word in their id, title, authors, venue or year.
//!
//! Written with the segment, so that no question reads what is known of all sources: one line for each stem, with the
//! places of the sources that hold it.

use crate::{
    Index,
    disk::{LineTable, LineWriter, read_places},
    segment::Segment,
};
use retrieve::stored::source_stems;
use std::collections::BTreeSet;
use types::{MetadataWords, SourceMeta};

/// Adds the words of a source to the lines of a segment; places rise.
pub(crate) fn add_source(lines: &mut LineWriter, place: u32, meta: &SourceMeta) {
    for stem in source_stems(meta) {
        lines.add(stem, place);
    }
}

/// The places of the sources that hold a stem, in order.
fn places(table: &LineTable, stem: &str) -> Vec<u32> {
    table.find(stem).next().map(read_places).unwrap_or_default()
}

/// The places of the sources that hold all of these stems; none for an empty list.
fn holding_all(table: &LineTable, stems: &[String]) -> Vec<u32> {
    let mut lists: Vec<Vec<u32>> = stems.iter().map(|stem| places(table, stem)).collect();
    // The shortest first: the others are only looked up.
    lists.sort_by_key(Vec::len);
    let mut lists = lists.into_iter();
    let mut shared = lists.next().unwrap_or_default();
    for list in lists {
        shared.retain(|place| list.binary_search(place).is_ok());
    }
    shared
}

impl Index {
    /// The places in the manifest of the sources that hold the words of at least one list.
    pub(crate) fn sources_containing(&self, wanted: &[MetadataWords]) -> BTreeSet<usize> {
        let mut sources = BTreeSet::new();
        for words in wanted {
            let mut places: Vec<usize> = Vec::new();
            for segment in self.segments.iter().enumerate() {
                let local = holding_all(&segment.1.source_words, &words.stems).into_iter();
                places.extend(local.filter_map(|local| self.live_source(segment, local)));
            }
            places.sort_unstable();
            sources.extend(places.into_iter().take(words.limit));
        }
        sources
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{Mapper, names};

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
        let mut writer = LineWriter::default();
        let sources = [
            source("a_2019", "Sleep and GDF-15 in mice", &["Ada O'Brien"]),
            source("b_2020", "Walking", &["Bram Solvik", "Ada O'Brien"]),
            source("c_2021", "Walking and sleep", &["Jean-Luc Moro"]),
        ];
        for (place, meta) in (0..).zip(&sources) {
            add_source(&mut writer, place, meta);
        }
        writer.finish(dir.path(), names::SOURCE_WORDS).expect("writes");
        let mapper = Mapper::new(dir.path()).expect("maps");
        let table = LineTable::open(&mapper, names::SOURCE_WORDS).expect("opens");
        let check = |words: &[&str], want: &[u32]| {
            let stems: Vec<String> = words.iter().map(|word| text::stem(word)).collect();
            assert_eq!(holding_all(&table, &stems), want, "{words:?}");
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
            for stem in source_stems(meta) {
                assert!(places(&table, &stem).contains(&place), "{stem}");
            }
        }
    }
}
