//! Giving back the room that nobody needs.

use crate::{cache, error::EngineError, ingest_run::caches::Caches, settings::Settings};
use retrieve::{Compacted, Index, Removed, Upkeep};
use serde::Serialize;

/// What a compaction did.
#[derive(Clone, Debug, Serialize)]
pub struct CompactReport {
    /// Folders and files of generations that went.
    pub removed: Vec<Removed>,
    /// Older generations that stay because somebody has them open.
    pub in_use: Vec<u64>,
    /// Bytes of cached results and half-written files that went.
    pub cache_bytes: u64,
    /// All bytes that this freed.
    pub freed_bytes: u64,
    /// Bytes that an unfinished run has read or embedded, which stay for the next.
    pub unfinished_bytes: u64,
    /// Segments of the text index: each commit merges all into one.
    pub text_segments: Option<usize>,
    /// All bytes that the index takes now.
    pub total_bytes: u64,
}

/// Removes generations that nobody has open, what killed runs left, and results in the caches that no paper of the
/// index has. What an unfinished run has read or embedded stays unless `all` is set.
///
/// # Errors
/// When there is no index, another writer is at work, the current generation is damaged, or a file cannot be
/// removed; what went is gone, and the index is whole.
pub fn compact(settings: &Settings, all: bool) -> Result<CompactReport, EngineError> {
    let root = &settings.index.dir;
    let upkeep = Upkeep::begin(root, None)?;
    let Compacted { removed, in_use } = upkeep.compact()?;
    let tidy = || EngineError::io("tidy the cache in", root);
    let temporary = cache::clear_temporary(root).map_err(tidy())?;
    let caches = Caches::new(root, crate::stages::reading_key_of(settings));
    let current = match Index::open(root) {
        Ok(index) => Some(index),
        Err(retrieve::IndexError::Missing { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let damaged = caches.remove_damaged().map_err(tidy())?;
    let (cached, unfinished_bytes) = if all {
        (caches.prune(current.as_ref()).map_err(tidy())?, 0)
    } else {
        caches.sweep(current.as_ref(), root).map_err(tidy())?
    };
    let cache_bytes = temporary + damaged + cached;
    let usage = caches.usage();
    let total = match &current {
        Some(index) => index.usage(root)?.total(),
        None => 0,
    };
    Ok(CompactReport {
        freed_bytes: removed.iter().map(|r| r.bytes).sum::<u64>() + cache_bytes,
        removed,
        in_use,
        cache_bytes,
        unfinished_bytes,
        text_segments: current.as_ref().map(Index::text_segments),
        total_bytes: total + usage.document_bytes + usage.vector_bytes,
    })
}
