//! Chunks by row and by id.

use super::{Mapped, Mapper, files::Blobs, names};
use crate::IndexError;
use bytemuck::{Pod, Zeroable};
use std::{
    cmp::Ordering,
    collections::{HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use types::{Chunk, ChunkId, SectionKind, digest::crc32};

/// Decoded chunks that are kept, about 40 MB of text at 768 tokens a chunk.
const CACHED: usize = 4096;

/// What search needs to know of a chunk without decoding it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct ChunkRow {
    /// Place of its source in the segment's record.
    pub(crate) source: u32,
    /// [`section_code`] of its section.
    pub(crate) section: u32,
    /// Its first window.
    pub(crate) windows_start: u32,
    /// One past its last window.
    pub(crate) windows_end: u32,
    /// Its lengths in BM25: words of its text and of the title of its source that are not stop words.
    pub(crate) lengths: [u32; 2],
}

impl ChunkRow {
    pub(crate) fn windows(&self) -> std::ops::Range<usize> {
        self.windows_start as usize..self.windows_end as usize
    }
}

/// The position of a window.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct WindowRow {
    /// Row of its chunk.
    pub(crate) chunk: u32,
    /// First byte in the chunk's text.
    pub(crate) start: u32,
    /// One past the last byte.
    pub(crate) end: u32,
}

/// The number of a section in [`SectionKind::ALL`].
pub(crate) fn section_code(section: SectionKind) -> u32 {
    SectionKind::ALL.iter().position(|kind| *kind == section).map_or(u32::MAX, |at| at as u32)
}

/// All chunks of a segment. A row is the place of a chunk in the segment.
pub(crate) struct ChunkTable {
    path: PathBuf,
    texts: Blobs,
    /// CRC-32 of each text.
    sums: Mapped<u32>,
    ids: Blobs,
    order: Mapped<u32>,
    rank: Mapped<u32>,
    rows: Mapped<ChunkRow>,
    decoded: Mutex<Cache>,
}

impl ChunkTable {
    pub(crate) fn open(dir: &Path, mapper: &Mapper, chunks: usize) -> Result<Self, IndexError> {
        Ok(Self {
            sums: mapper.map(names::CHUNK_SUMS, chunks)?,
            path: dir.join(names::CHUNKS),
            texts: Blobs::open(mapper, [names::CHUNKS, names::CHUNK_OFFSETS], chunks)?,
            ids: Blobs::open(mapper, [names::IDS, names::ID_OFFSETS], chunks)?,
            order: mapper.map(names::ID_ORDER, chunks)?,
            rank: mapper.map(names::ID_RANK, chunks)?,
            rows: mapper.map(names::ROWS, chunks)?,
            decoded: Mutex::default(),
        })
    }

    pub(crate) fn rows(&self) -> &[ChunkRow] {
        self.rows.get()
    }

    /// For each row its place in the order of chunk ids: what ties are broken by.
    pub(crate) fn ranks(&self) -> &[u32] {
        self.rank.get()
    }

    /// The stored id of a row.
    pub(crate) fn id(&self, row: usize) -> Option<&[u8]> {
        self.ids.get(row)
    }

    /// The stored JSON of a chunk, line end included, as it was written.
    pub(crate) fn json(&self, row: usize) -> Result<&[u8], IndexError> {
        let json = self.texts.get(row).ok_or_else(|| self.damaged(row, "its offsets are out of bounds"))?;
        if self.sums.get().get(row) == Some(&crc32(&[json])) {
            Ok(json)
        } else {
            Err(self.damaged(row, "its text does not match its checksum"))
        }
    }

    pub(crate) fn chunk(&self, row: usize) -> Result<Arc<Chunk>, IndexError> {
        if let Some(kept) = self.cache().map.get(&row) {
            return Ok(Arc::clone(kept));
        }
        let chunk: Chunk =
            serde_json::from_slice(self.json(row)?).map_err(|e| self.damaged(row, &e.to_string()))?;
        let chunk = Arc::new(chunk);
        self.cache().keep(row, Arc::clone(&chunk));
        Ok(chunk)
    }

    /// The row of a chunk id.
    pub(crate) fn find(&self, id: &ChunkId) -> Option<usize> {
        let order = self.order.get();
        let compare = |row: &u32| match self.ids.get(*row as usize) {
            Some(stored) => stored.cmp(id.as_str().as_bytes()),
            // Damaged offsets: the search ends somewhere and finds nothing.
            None => Ordering::Less,
        };
        order.binary_search_by(compare).ok().and_then(|at| order.get(at)).map(|row| *row as usize)
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        // Entries are whole or absent, whatever happened to the thread that held the lock.
        self.decoded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn damaged(&self, row: usize, reason: &str) -> IndexError {
        // The id comes from another file, which is checked as a whole.
        let id = self.ids.get(row).map(String::from_utf8_lossy);
        let id = id.unwrap_or_else(|| row.to_string().into());
        IndexError::damaged(&self.path, format!("chunk {id}: {reason}"))
    }
}

/// The chunks decoded last, oldest out first.
#[derive(Default)]
struct Cache {
    map: HashMap<usize, Arc<Chunk>>,
    age: VecDeque<usize>,
}

impl Cache {
    fn keep(&mut self, row: usize, chunk: Arc<Chunk>) {
        if self.map.insert(row, chunk).is_none() {
            self.age.push_back(row);
        }
        while self.map.len() > CACHED {
            let Some(oldest) = self.age.pop_front() else { break };
            self.map.remove(&oldest);
        }
    }
}
