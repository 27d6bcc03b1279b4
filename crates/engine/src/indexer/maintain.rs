//! Maintains an index: what it holds, whether it is intact and up to date, freeing disk space, its list of papers.

mod compact;
mod metadata;
mod remarks;
mod sources;
mod stats;
mod verify;
mod write_manifest;

pub use compact::CompactReport;
pub use metadata::{ManifestPlace, MetadataChange};
pub use remarks::{Doubtful, Remarks, SamePapers, UnreadFile};
pub use sources::{PrintedSource, RemovedSources, Source, SourceDetails, SourceSection, Sources};
pub use stats::{IndexStats, SectionStats, SourceStats};
pub use verify::{Finding, VerifyReport};
pub use write_manifest::{ManifestFile, can_write_manifest};

use pollster::block_on;
use std::sync::Arc;
use types::{Chunk, ChunkQuery, Detail, HeldSource, Store, StoreError};

/// The chunks of a paper, in reading order.
fn chunks_of(store: &dyn Store, source: &HeldSource) -> Result<Vec<Arc<Chunk>>, StoreError> {
    let query = ChunkQuery::Sources(vec![source.source_id().clone()]);
    let passages = block_on(store.fetch(&query, Detail::default()))?;
    Ok(passages.into_iter().map(|passage| passage.chunk).collect())
}
