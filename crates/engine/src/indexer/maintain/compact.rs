//! Frees disk space that is no longer needed.

use crate::indexer::{Indexer, IndexerError, cache::clear_leftovers};
use serde::Serialize;
use std::time::UNIX_EPOCH;
use types::{Compacted, Removed};

/// What a compaction did.
#[derive(Clone, Debug, Serialize)]
pub struct CompactReport {
    /// Folders and files of generations that were removed.
    pub removed: Vec<Removed>,
    /// Older generations that are kept because a reader has them open.
    pub in_use: Vec<u64>,
    /// Bytes of cached results and half-written files that were removed.
    pub cache_bytes: u64,
    /// All bytes that this freed.
    pub freed_bytes: u64,
    /// Bytes of what an unfinished run has read or embedded, kept for the next run.
    pub unfinished_bytes: u64,
    /// Segments that the index has now: one, unless it is empty.
    pub text_segments: Option<usize>,
    /// Bytes that the index takes now.
    pub total_bytes: u64,
}

impl Indexer {
    /// Merges all segments into one. Removes older generations that no reader has open, what killed runs left, and
    /// cached results that no paper of the index needs. What an unfinished run has read or embedded is kept unless
    /// `all` is set.
    ///
    /// # Errors
    /// When there is no index, another writer is at work, the current generation is damaged, or a file cannot be
    /// removed. The index stays intact.
    pub fn compact(&self, all: bool) -> Result<CompactReport, IndexerError> {
        let root = &self.settings.index_dir;
        let mut writer = self.store.write(None)?;
        // Before a merge makes a newer version.
        let since = writer.holdings().and_then(|held| held.since);
        let Compacted { removed, in_use } = writer.compact()?;
        let tidy = || IndexerError::io("tidy the cache in", root);
        let leftovers = clear_leftovers(root).map_err(tidy())?;
        let cache = self.cache()?;
        let held = writer.holdings();
        let unfinished = (!all).then(|| since.unwrap_or(UNIX_EPOCH));
        let (cached, unfinished_bytes) = cache.prune(held.as_ref(), unfinished, true).map_err(tidy())?;
        let cache_bytes = leftovers + cached;
        let cache = cache.usage();
        let own = held.map(|_| self.store.usage()).transpose()?;
        let total: u64 = own.iter().flat_map(|usage| usage.bytes.values()).sum();
        Ok(CompactReport {
            freed_bytes: removed.iter().map(|r| r.bytes).sum::<u64>() + cache_bytes,
            removed,
            in_use,
            cache_bytes,
            unfinished_bytes,
            text_segments: own.map(|usage| usage.segments),
            total_bytes: total + cache.document_bytes + cache.vector_bytes,
        })
    }
}
