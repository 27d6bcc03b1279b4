//! Orders the candidates of retrieval by their relevance to the question and keeps the best few.
//!
//! Place in the flow: after retrieval (10 candidates), before expansion (6 kept). Retrieval is cheap and
//! compares whole windows; here each candidate is examined more closely. A [`Reranker`] scores the candidates with one
//! [`Relevance`] method and sorts them by score; there are four methods:
//!
//! | method | relevance | needs |
//! |---|---|---|
//! | [`SentenceReranker`] | the chunk's best sentence: cosine from the stored sentence vectors, blended with the share of the question's terms (weighted by idf) that the sentence holds | nothing: the offline default |
//! | [`CrossEncoderReranker`] | sigmoid of a model that reads question and chunk together (Nogueira and Cho 2019) | a [`types::PairScorer`] |
//! | [`LlmReranker`] | a language model's grade on an absolute scale, all candidates in one call, or in several if they are too long (Sun et al. 2023 put lists in one prompt too) | a [`types::ChatModel`] |
//! | [`FusedOrder`] | the fused score of retrieval: no second look | nothing |
//!
//! Scoring a passage by its best sentence follows Akkalyoncu Yilmaz et al. (2019).
//!
//! Units: relevance lies in `0..=10`; equal relevance is decided by the fused score of retrieval, then by the
//! chunk id, so that the order is the same in every run. Scores of different methods are not comparable.
//!
//! This crate does not search, does not embed (retrieval provides the similarities), does not decide whether
//! a question is answered (a minimum score only drops candidates), and never falls back without saying so: see [`Reranked::warnings`].

mod cross_encoder;
mod error;
mod fused;
mod llm;
mod relevance;
mod reranker;
mod sentence;

pub use cross_encoder::CrossEncoderReranker;
pub use error::RerankError;
pub use fused::FusedOrder;
pub use llm::{LlmRerankSettings, LlmReranker, PROMPT_VERSION};
pub use relevance::{Candidates, Relevance, Scores};
pub use reranker::{Reranked, Reranker};
pub use sentence::SentenceReranker;
