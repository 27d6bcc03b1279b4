//! A segment, opened for reading.

use crate::{
    IndexError,
    abbreviations::AbbreviationTable,
    disk::{Checked, Checksums, ChunkTable, FieldRow, Mapped, Mapper, SegmentRecord, SentenceTable, names},
    lexical::{FIELDS, LexicalIndex, PerField},
    source_words::SourceWordTable,
    tombstones::SegmentPart,
    vectors::WindowTable,
    verify::check_tables,
};
use std::path::{Path, PathBuf};

/// Chunks, vectors and postings of some sources. Rows are numbered within the segment and include those of dead
/// sources.
pub(crate) struct Segment {
    /// Its folder.
    pub(crate) dir: PathBuf,
    /// Its folder, relative to the index folder.
    pub(crate) folder: String,
    pub(crate) record: SegmentRecord,
    pub(crate) chunks: ChunkTable,
    pub(crate) windows: WindowTable,
    pub(crate) sentences: SentenceTable,
    pub(crate) lexical: LexicalIndex,
    fields: Mapped<FieldRow>,
    pub(crate) source_words: SourceWordTable,
    pub(crate) abbreviations: AbbreviationTable,
}

impl Segment {
    /// Maps the files of a segment, after comparing the inverted index and the tables with their checksums, except those
    /// that `known` lists as intact.
    pub(crate) fn open(root: &Path, part: SegmentPart, known: &Checked) -> Result<Self, IndexError> {
        let SegmentPart { folder, record, .. } = part;
        let dir = root.join(&folder);
        check_tables(root, &folder, &record.files, known)?;
        let (counts, dimension) = (record.counts, record.dimension);
        let mapper = Mapper::new(&dir)?;
        let sums = |name: &str, items| Checksums::open(&mapper, name, items);
        Ok(Self {
            chunks: ChunkTable::open(
                &dir,
                &mapper,
                sums(names::CHUNK_SUMS, counts.chunks)?,
                counts.chunks,
            )?,
            windows: WindowTable::open(
                &mapper,
                sums(names::WINDOW_SUMS, counts.windows)?,
                counts.windows,
                dimension,
            )?,
            sentences: SentenceTable::open(
                &mapper,
                sums(names::SENTENCE_SUMS, counts.sentences)?,
                counts.sentences,
                dimension,
            )?,
            fields: mapper.map(names::FIELDS, counts.chunks)?,
            source_words: SourceWordTable::open(&mapper)?,
            abbreviations: AbbreviationTable::open(&mapper, &record)?,
            lexical: LexicalIndex::open(&dir.join(names::TEXT), counts.chunks)?,
            dir,
            folder,
            record,
        })
    }

    /// How many words a chunk has in each field, without its stop words and with them; 0 for an unknown row.
    pub(crate) fn lengths(&self, row: usize) -> [PerField<u32>; 2] {
        let (Some(chunk), Some(fields)) = (self.chunks.rows().get(row), self.fields.get().get(row)) else {
            return [[0; FIELDS]; 2];
        };
        let content = [chunk.terms, fields.title, fields.heading];
        let mut all = content;
        for (length, stop_words) in all.iter_mut().zip(fields.stop_words) {
            *length = length.saturating_add(stop_words);
        }
        [content, all]
    }

    /// Rows of up to `reach` chunks before and up to `reach` chunks after a chunk, in the same section of the same
    /// source, in order.
    pub(crate) fn neighbours(&self, row: usize, reach: usize) -> Vec<usize> {
        let rows = self.chunks.rows();
        let Some(this) = rows.get(row) else {
            return Vec::new();
        };
        let Some(source) = self.record.sources.get(this.source as usize) else {
            return Vec::new();
        };
        // Ordinals and section numbers both rise within a source, so the rows of one section are consecutive.
        let alike = |other: &usize| rows.get(*other).is_some_and(|r| r.section == this.section);
        let mut found: Vec<usize> = (source.chunks[0]..row).rev().filter(alike).take(reach).collect();
        found.reverse();
        found.extend(
            (row + 1..source.chunks[1].min(rows.len()))
                .filter(alike)
                .take(reach),
        );
        found
    }
}
