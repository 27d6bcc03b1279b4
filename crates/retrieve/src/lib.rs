//! The index on disk and the search over it: BM25, vectors, fusion, filters.
//!
//! Place in the flow: the ingest run hands over chunks with their vectors, source by source, and gets a new
//! generation; [`IndexRetriever`] turns a question into a [`types::Retrieval`], whose hits carry everything that later
//! stages need, so that none of them reads the index.
//!
//! What it does not do: it does not embed (vectors come from the caller, and are scaled to unit length here), does
//! not call a language model, does not read PDFs, and does not decide what is removed from an index.
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
//! Every file and every chunk has a checksum: damage is an error that names the file. The sources of a damaged segment have
//! to be added again. [`verify`] reads the whole index and lists what is wrong; [`IndexWriter::compact`] merges all segments
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
//! `vector_score` is `max(0, cosine)` of the question and the chunk's best window, in `0..=1`; `bm25_score` is the
//! BM25 sum over the question's terms, at least 0. Both are computed for every candidate, whichever list found
//! it, and do not depend on other hits. `combined_score` only orders. A threshold acts on `vector_score`.
//! Equal scores are ordered by chunk id.
//!
//! # Methods
//! BM25: Robertson et al. 1994 with the idf of Lucene, fields as in BM25F: Robertson, Zaragoza and Taylor 2004; min-max fusion: convex combination after Bruch, Gai and
//! Ingber 2023; reciprocal rank fusion: Cormack, Clarke and Büttcher 2009; graph: Malkov and Yashunin 2018.
//!
//! # Example
//! ```no_run
//! use retrieve::{Index, SearchSettings};
//! # fn embed(_: &str) -> Vec<f32> { vec![] }
//! # fn main() -> Result<(), retrieve::IndexError> {
//! let index = Index::open("index".as_ref())?;
//! let query = "does fasting raise ketone bodies?";
//! let question = question::analyse(query, embed(query), types::Mode::Hybrid, types::Filter::default());
//! let found = index.search(&question, &SearchSettings::default())?;
//! for hit in &found.hits {
//!     println!("{:.3} {}", hit.combined_score, hit.chunk.chunk_id);
//! }
//! # Ok(()) }
//! ```

mod abbreviations;
mod base;
mod build;
mod compact;
mod damage;
mod disk;
mod entry;
mod error;
mod explain;
mod fusion;
mod generation;
mod graph_recall;
mod index;
mod index_sink;
mod lexical;
mod live;
mod merge;
mod nearest;
mod retriever;
mod search;
mod segment;
mod settings;
mod source_words;
mod spelling;
mod stems;
mod steps;
mod usage;
mod vectors;
mod verify;
mod writer;

pub use base::manifest;
pub use compact::Compacted;
pub use damage::Damage;
pub use disk::{Counts, FileRecord, Manifest, Removed, SegmentInfo, SourceRecord};
pub use error::IndexError;
pub use generation::Generation;
pub use index::Index;
pub use retriever::IndexRetriever;
pub use search::{ScoredChunk, SearchOutcome};
pub use settings::{
    Bm25Settings, Fusion, Hnsw, HnswSettings, SearchSettings, StopWords, Tokenizer, VectorIndex,
};
pub use steps::StepHook;
pub use types::SourceEntry;
pub use usage::Usage;
pub use verify::{Verification, verify};
pub use writer::{IndexWriter, WriterSettings, current_since};
