//! A segment, opened.

use crate::{
    IndexError,
    disk::{
        ChunkTable, LineTable, Mapper, SegmentEntry, SegmentPart, SegmentRecord, SentenceTable, changed,
        names,
    },
    lexical::{LexicalIndex, SEARCHED, TermPostings},
    vectors::{Graph, WindowTable},
};
use retrieve::stored::Bm25;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use types::ChunkField;

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
    pub(crate) source_words: LineTable,
    pub(crate) abbreviations: LineTable,
    graph: Mutex<Option<Arc<Graph>>>,
}

impl Segment {
    /// Maps the files of a segment, which the caller has compared with their checksums.
    pub(crate) fn open(root: &Path, part: SegmentPart) -> Result<Self, IndexError> {
        let SegmentPart { folder, record, entry } = part;
        let dir = root.join(folder);
        let (counts, dimension) = (record.counts, record.dimension);
        let mapper = Mapper::new(&dir)?;
        Ok(Self {
            chunks: ChunkTable::open(&dir, &mapper, counts.chunks)?,
            windows: WindowTable::open(&mapper, counts.windows, dimension)?,
            sentences: SentenceTable::open(&mapper, counts.sentences, dimension)?,
            source_words: LineTable::open(&mapper, names::SOURCE_WORDS)?,
            abbreviations: LineTable::open(&mapper, names::ABBREVIATIONS)?,
            lexical: LexicalIndex::open(&dir.join(names::TEXT), counts.chunks)?,
            graph: Mutex::default(),
            dir,
            entry,
            record,
        })
    }

    /// The graph of its windows, of which there are some, loaded when first asked for.
    pub(crate) fn graph(&self) -> Result<Arc<Graph>, IndexError> {
        // The value is whole or absent, whatever happened to the thread that held the lock.
        let mut slot = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(graph) = &*slot {
            return Ok(Arc::clone(graph));
        }
        // hnsw_rs may end the process on a damaged file, so it never sees one.
        let mut own = self.record.files.clone();
        own.retain(|name, _| Path::new(name).starts_with(names::GRAPH));
        if let Some(damage) = changed(&self.dir, &own).into_iter().next() {
            return Err(IndexError::damaged(self.dir.join(damage.file), damage.reason));
        }
        let graph = Arc::new(Graph::load(&self.dir.join(names::GRAPH), self.record.counts.windows)?);
        *slot = Some(Arc::clone(&graph));
        Ok(graph)
    }

    /// Where a term occurs in the fields that count.
    pub(crate) fn term(&self, bm25: Bm25, key: &str) -> Result<TermPostings, IndexError> {
        let mut found = TermPostings::default();
        for ((field, counted), found) in SEARCHED.into_iter().zip(ChunkField::ALL).zip(&mut found) {
            if bm25.counts(counted) {
                *found = self.lexical.postings(field, key)?;
            }
        }
        Ok(found)
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
        around.extend((row + 1..source.chunks[1].min(rows.len())).filter(alike).take(reach));
        around
    }
}
