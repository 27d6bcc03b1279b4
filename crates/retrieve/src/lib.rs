//! The index on disk and the search over it: BM25, vectors, fusion, filters.
//!
//! Place in the flow: the ingest run hands over chunks with their vectors, source by source, and gets a new
//! generation; a question and its vector become a [`types::Retrieval`], which reranking takes on; later stages
//! read chunks, neighbours and sentence vectors through [`types::ChunkStore`].
//!
//! What it does not do: it does not embed (vectors come from the caller, and are scaled to unit length here), does
//! not call a language model, does not read PDFs, and does not decide what is removed from an index.
//!
//! # On disk
//! An index is a series of immutable generations and a pointer to the current one. [`IndexWriter`] builds the next
//! generation in a folder of its own, flushes it, renames it and then replaces the pointer in one atomic step:
//! whenever the process dies, the index opens with the old generation or the new one. [`Index::open`] keeps what
//! it opened, whatever writers do later. One writer at a time; the previous generation is kept, older ones are removed
//! once nobody reads them. A folder that is not empty and not marked as an index is never written.
//!
//! Every file has a hash in the manifest and every chunk and vector a checksum of its own: damage is an error that
//! names the file, and the next generation takes over whatever is intact. [`verify`] reads the whole index and lists
//! what is wrong; [`Upkeep`] frees disk space.
//!
//! # Scores
//! `vector_score` is `max(0, cosine)` of the question and the chunk's best window, in `0..=1`; `bm25_score` is the
//! BM25 sum over the question's stems, at least 0. Both are computed for every candidate, whichever list found
//! it, and do not depend on other hits. `combined_score` only orders. A threshold acts on `vector_score`.
//! Equal scores are ordered by chunk id.
//!
//! # Methods
//! BM25: Robertson et al. 1994 with the idf of Lucene; min-max fusion: convex combination after Bruch, Gai and
//! Ingber 2023; reciprocal rank fusion: Cormack, Clarke and Büttcher 2009; graph: Malkov and Yashunin 2018.
//!
//! # Example
//! ```no_run
//! use retrieve::{Index, SearchSettings};
//! # fn embed(_: &str) -> Vec<f32> { vec![] }
//! # fn main() -> Result<(), retrieve::IndexError> {
//! let index = Index::open("index".as_ref())?;
//! let question = "does fasting raise ketone bodies?";
//! let vector = embed(question);
//! let found = index.search(question, Some(&vector), types::Mode::Hybrid, &SearchSettings::default(), None)?;
//! for hit in &found.hits {
//!     println!("{:.3} {}", hit.combined_score, hit.chunk.chunk_id);
//! }
//! # Ok(()) }
//! ```

mod base;
mod build;
mod disk;
mod entry;
mod error;
mod explain;
mod filter;
mod fusion;
mod held;
mod index;
mod lexical;
mod recover;
mod search;
mod settings;
mod steps;
mod store;
mod upkeep;
mod vectors;
mod verify;
mod writer;

pub use disk::{Counts, FileRecord, LexicalFields, Manifest, Removed, SourceRecord};
pub use entry::SourceEntry;
pub use error::IndexError;
pub use explain::{Explanation, TermMatch, WindowMatch};
pub use filter::Filter;
pub use fusion::ListScore;
pub use held::HeldSource;
pub use index::{Index, Stats};
pub use recover::manifest;
pub use settings::{Bm25Settings, Fusion, HnswSettings, SearchSettings, Tokenizer, VectorIndex};
pub use steps::StepHook;
pub use upkeep::{Compacted, Upkeep, Usage, current_since};
pub use verify::{Damage, Verification, verify};
pub use writer::{Generation, IndexWriter, WriterSettings};
