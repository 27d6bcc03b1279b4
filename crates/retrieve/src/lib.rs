//! Hybrid search over any store of passages: two lists, their fusion, the threshold, explanations.
//!
//! Place in the flow: [`Searcher`] turns a question into a [`types::Retrieval`], whose hits carry everything that later
//! stages need, so that none of them reads the store. A store is a [`types::Store`]: it makes the list of nearest chunks
//! and the list of BM25, scores chunks that only one of them found, and reads passages.
//!
//! What it does not do: it does not embed (the question has its vector), does not know where chunks are stored, and does
//! not decide how BM25 or vectors are computed.
//!
//! # Scores
//! `vector_score` is `max(0, cosine)` of the question and the chunk's best window, in `0..=1`; `bm25_score` is the
//! BM25 sum over the question's terms, at least 0. Both are computed for every candidate, whichever list found
//! it, and do not depend on other hits. `combined_score` only orders. A threshold acts on `vector_score`.
//! Equal scores are ordered by chunk id.
//!
//! # Methods
//! Min-max fusion: convex combination after Bruch, Gai and Ingber 2023; reciprocal rank fusion: Cormack, Clarke and
//! Büttcher 2009.
//!
//! # Example
//! ```no_run
//! # use std::sync::Arc;
//! use retrieve::{SearchSettings, Searcher};
//! # async fn f(store: Arc<dyn types::Store>, vector: Vec<f32>) -> Result<(), types::StoreError> {
//! let searcher = Searcher::new(store, Arc::new(types::NoVocabulary), SearchSettings::default());
//! let query = "does fasting raise ketone bodies?";
//! let question = question::analyse(query, vector, types::Mode::Hybrid, types::Filter::default());
//! let found = searcher.retrieve(&question, types::RetrievalPlan::default()).await?;
//! for hit in &found.retrieval.hits {
//!     println!("{:.3} {}", hit.combined_score, hit.chunk().chunk_id);
//! }
//! # Ok(()) }
//! ```

mod candidates;
mod explain;
mod fusion;
mod searcher;
mod settings;
pub mod stored;
mod terms;

pub use candidates::candidates;
pub use explain::explain;
pub use fusion::{Candidate, Fused, Scale, Weights, fuse};
pub use searcher::Searcher;
pub use settings::{Fusion, Hnsw, SearchSettings, VectorIndex};
pub use terms::{lexical_query, weights};
