//! Chunks by row and by id.

use super::{Checksums, ChunkRow, Mapped, Mapper, blobs::Blobs, names};
use crate::IndexError;
use std::{
    cmp::Ordering,
    collections::{HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use types::{Chunk, ChunkId};

/// Decoded chunks that are kept, about 40 MB of text at 768 tokens a chunk.
const CACHED: usize = 4096;

/// All chunks of a segment. A row is the place of a chunk in the segment.
pub(crate) struct ChunkTable {
    path: PathBuf,
    texts: Blobs,
    sums: Checksums,
    ids: Blobs,
    order: Mapped<u32>,
    rank: Mapped<u32>,
    rows: Mapped<ChunkRow>,
    decoded: Mutex<Cache>,
}

impl ChunkTable {
    pub(crate) fn open(
        dir: &Path,
        mapper: &Mapper,
        sums: Checksums,
        chunks: usize,
    ) -> Result<Self, IndexError> {
        Ok(Self {
            sums,
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

    /// Chunk rows in the order of their ids.
    pub(crate) fn order(&self) -> &[u32] {
        self.order.get()
    }

    /// The stored id of a row.
    pub(crate) fn id(&self, row: usize) -> Option<&[u8]> {
        self.ids.get(row)
    }

    /// The stored JSON of a chunk, line end included, as it was written.
    pub(crate) fn json(&self, row: usize) -> Result<&[u8], IndexError> {
        let json = self
            .texts
            .get(row)
            .ok_or_else(|| self.damaged(row, "its offsets are out of bounds"))?;
        if self.sums.hold(row, &[json]) {
            Ok(json)
        } else {
            Err(self.damaged(row, "its text does not match its checksum"))
        }
    }

    pub(crate) fn chunk(&self, row: usize) -> Result<Arc<Chunk>, IndexError> {
        if let Some(found) = self.cache().map.get(&row) {
            return Ok(Arc::clone(found));
        }
        let chunk: Chunk =
            serde_json::from_slice(self.json(row)?).map_err(|e| self.damaged(row, &e.to_string()))?;
        let chunk = Arc::new(chunk);
        self.cache().keep(row, Arc::clone(&chunk));
        Ok(chunk)
    }

    /// The checksum that was written for a chunk.
    pub(crate) fn sum(&self, row: usize) -> Option<u32> {
        self.sums.recorded(row)
    }

    /// The row of a chunk id.
    pub(crate) fn find(&self, id: &ChunkId) -> Option<usize> {
        let order = self.order.get();
        let compare = |row: &u32| match self.ids.get(*row as usize) {
            Some(found) => found.cmp(id.as_str().as_bytes()),
            // Damaged offsets: the search ends somewhere and finds nothing.
            None => Ordering::Less,
        };
        order
            .binary_search_by(compare)
            .ok()
            .and_then(|at| order.get(at))
            .map(|row| *row as usize)
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
