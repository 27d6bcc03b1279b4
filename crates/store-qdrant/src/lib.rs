//! The distributed store: an index in collections of a Qdrant server, for libraries that one machine does not carry.
//!
//! Place in the flow: an ingest run hands over chunks with their vectors, source by source ([`QdrantStore`]); a reader gives
//! `retrieve` the lists, scores and passages that hybrid search needs ([`Reader`]).
//!
//! What it does not do: it does not fuse or rank lists, does not embed, does not read papers, and lets the server weigh no
//! word: its own idf counts each shard alone, stays wrong after deletes and ignores filters, and its fusion returns no scores
//! of the parts.
//!
//! # Collections
//! With the name `papers`: `papers` has a point for each chunk, `papers_sources` one for each source, `papers_meta` all else:
//! which generation is current, who writes, how many chunks hold each word, which abbreviations there are. A chunk's windows
//! are one multivector, of which the server compares the nearest; its words are one sparse vector.
//!
//! # Scores
//! The weight of a word in a chunk is its saturated frequency (`retrieve::stored::Bm25`), with the average lengths of the
//! generation; the question brings the idf. The inner product is BM25 as the embedded store computes it, with one weight
//! of titles, which is chosen when weights are written. Scores of candidates are computed here, from the frequencies that are
//! stored beside the weights, so that they are the same whichever list found them; those in lists are the server's, equal
//! to some 1e-6.
//!
//! # Generations
//! A point has the number of the generation in which it was born and of that in which it died; a reader filters by its own.
//! A commit replaces one point, which names the generation: before, readers see nothing of the new one. Average lengths are
//! those of the whole generation when it is loaded at once. Later generations keep the averages, and so the weights, of an
//! earlier one as long as theirs differ by at most 1 %; else all weights are written again, beside the old ones, which readers of
//! the generation before go on using: there are two sparse vectors, of which a generation uses one.
//!
//! # Example
//! ```no_run
//! use store_qdrant::{QdrantSettings, QdrantStore};
//! use types::ManagedStore as _;
//! # fn main() -> Result<(), types::StoreError> {
//! let settings = QdrantSettings { url: "http://localhost:6334".to_owned(), ..QdrantSettings::default() };
//! let (store, holdings) = QdrantStore::new(settings).open()?;
//! # Ok(()) }
//! ```

mod client;
mod collections;
mod commit;
mod counts;
mod error;
mod frequencies;
mod generation;
mod lease;
mod lists;
mod managed;
mod meta;
mod parts;
mod points;
mod reader;
mod settings;
mod upkeep;
mod vocabulary;
mod wire;
mod words;
mod writer;

pub use error::QdrantError;
pub use managed::QdrantStore;
pub use reader::Reader;
pub use settings::{QdrantSettings, Quantisation};
