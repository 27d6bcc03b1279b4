//! A segment, opened.

use crate::{
    IndexError,
    disk::{
        ChunkTable, FieldRow, LineTable, Mapped, Mapper, SegmentEntry, SegmentPart, SegmentRecord,
        SentenceTable, names,
    },
    lexical::{LexicalIndex, SEARCHED},
    vectors::WindowTable,
};
use std::path::{Path, PathBuf};

/// Chunks, vectors and postings of some sources. Rows are numbered within the segment and include those of dead
/// sources.
pub(crate) struct Segment {
    /// Its folder.
    pub(crate) dir: PathBuf,
    /// The segment as its generation lists it.
    pub(crate) entry: SegmentEntry,
    pub(crate) record: SegmentRecord,
    pub(crate) chunks: ChunkTable,
    pub(crate) windows: WindowTable,
    pub(crate) sentences: SentenceTable,
    pub(crate) lexical: LexicalIndex,
    fields: Mapped<FieldRow>,
    pub(crate) source_words: LineTable,
    pub(crate) abbreviations: LineTable,
}

impl Segment {
    /// Maps the files of a segment, which the caller has compared with their checksums.
    pub(crate) fn open(root: &Path, part: SegmentPart) -> Result<Self, IndexError> {
        let SegmentPart {
            folder,
            record,
            entry,
        } = part;
        let dir = root.join(folder);
        let (counts, dimension) = (record.counts, record.dimension);
        let mapper = Mapper::new(&dir)?;
        Ok(Self {
            chunks: ChunkTable::open(&dir, &mapper, counts.chunks)?,
            windows: WindowTable::open(&mapper, counts.windows, dimension)?,
            sentences: SentenceTable::open(&mapper, counts.sentences, dimension)?,
            fields: mapper.map(names::FIELDS, counts.chunks)?,
            source_words: LineTable::open(&mapper, names::SOURCE_WORDS)?,
            abbreviations: LineTable::open(&mapper, names::ABBREVIATIONS)?,
            lexical: LexicalIndex::open(&dir.join(names::TEXT), counts.chunks)?,
            dir,
            entry,
            record,
        })
    }

    /// How many words a chunk has in each searched field, without stop words; 0 for an unknown row.
    pub(crate) fn lengths(&self, row: usize) -> [u32; SEARCHED.len()] {
        let text = self.chunks.rows().get(row).map_or(0, |chunk| chunk.terms);
        let title = self.fields.get().get(row).map_or(0, |fields| fields.title);
        [text, title]
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
        let mut around: Vec<usize> = (source.chunks[0]..row).rev().filter(alike).take(reach).collect();
        around.reverse();
        around.extend(
            (row + 1..source.chunks[1].min(rows.len()))
                .filter(alike)
                .take(reach),
        );
        around
    }
}
