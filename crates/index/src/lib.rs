//! The embedded store: an index on disk, with BM25, vectors and filters.
//!
//! Place in the flow: an ingest run hands over chunks with their vectors, source by source, and gets a new generation
//! ([`EmbeddedStore`]); [`IndexStore`] gives `retrieve` the lists and the passages that hybrid search needs.
//!
//! What it does not do: it does not fuse or rank lists, does not embed (vectors come from the caller, and are scaled to unit
//! length here), does not read papers, and does not decide what is removed from an index.
//!
//! # On disk
//! Chunks, vectors and postings are stored in immutable segments; a generation is a list of segments and of the sources
//! in them that were removed or replaced (tombstones); a pointer names the current generation. [`IndexWriter`] writes
//! what is added into one new segment, then the next generation, each in a folder of its own that is flushed and
//! renamed, and then replaces the pointer in one atomic step: whenever the process dies, the index opens with the old
//! generation or the new one. Nothing else is rewritten, except that segments of similar size are merged when there are
//! many. [`Index::open`] keeps what it opened, whatever writers do later. There is one writer at a time. The previous
//! generation is kept; older ones and their segments are removed once no reader has them open. The writer never writes
//! to a folder that is neither empty nor marked as an index.
//!
//! Every file and every chunk has a checksum: damage is an error that names the file. Nothing is recovered: the sources of a
//! damaged index have to be added again. [`verify`] reads the whole index and lists what is wrong; [`IndexWriter::compact`] merges all segments
//! and frees disk space.
//!
//! Vectors are compared exactly: all of them in 8 bits a number, and those that may be among the nearest in 32 bits.
//! The bounds of the first step are those of Cauchy and Schwarz, so that the result is that of comparing all of them in
//! 32 bits.
//!
//! Answers do not depend on how an index is cut into segments: scores count only chunks that are in the index, equal
//! scores are ordered by chunk id, and sources by source id.
//!
//! # Scores
//! The cosine of a chunk is that of its best window; its BM25 score is a sum over the question's terms, at least 0. Both are
//! the same whichever list found the chunk. Equal scores are ordered by chunk id.
//!
//! # Methods
//! BM25: Robertson et al. 1994 with the idf of Lucene, fields as in BM25F: Robertson, Zaragoza and Taylor 2004; graph: Malkov
//! and Yashunin 2018.
//!
//! # Example
//! ```no_run
//! use index::{Index, IndexStore};
//! use std::sync::Arc;
//! # fn main() -> Result<(), index::IndexError> {
//! let index = Arc::new(Index::open("index".as_ref())?);
//! let store: Arc<dyn types::Store> = Arc::new(IndexStore::new(index, None));
//! # Ok(()) }
//! ```

mod abbreviations;
mod base;
mod build;
mod compact;
mod disk;
mod error;
mod generation;
mod graph_recall;
mod graph_settings;
mod index;
mod lexical;
mod lists;
mod live;
mod managed;
mod merge;
mod nearest;
mod segment;
mod source_words;
mod spelling;
mod steps;
mod store;
mod vectors;
mod verify;
mod writer;

pub use base::manifest;
pub use disk::{Counts, FileRecord, Manifest, SegmentInfo, SourceRecord};
pub use error::IndexError;
pub use generation::Generation;
pub use graph_settings::HnswSettings;
pub use index::Index;
pub use managed::EmbeddedStore;
pub use steps::StepHook;
pub use store::IndexStore;
pub use verify::verify;
pub use writer::{IndexWriter, WriterSettings};
