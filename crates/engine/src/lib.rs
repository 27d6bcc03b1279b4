//! The pipeline: builds the stages from settings and runs them on a question.
//!
//! [`stages`] builds stages, [`Pipeline`] answers questions and searches, [`indexer()`] returns what builds and maintains
//! the index, [`parse`] reads one paper, and [`doctor`] checks an installation, which [`natives`] completes.
//!
//! This crate does not measure: what evaluates answers is in `lab`, which reads what the stages made ([`Trace`]). It does not
//! parse arguments, draw progress, print, or serve HTTP, and has no algorithm of a stage: those are in the crates of the
//! stages.

mod ask;
mod base;
pub mod bibliography;
pub mod chat_models;
mod check;
mod clock;
mod comparison;
mod described;
pub mod doctor;
pub mod documents;
pub mod drafts;
mod error;
pub mod indexer;
mod indexing;
pub mod local_model;
pub mod natives;
pub mod page;
pub mod parse;
pub mod per_paper;
mod pipeline;
mod pool;
mod pooled;
pub mod record;
mod refusal;
mod search;
pub mod settings;
pub mod show;
pub mod stages;
mod store;
mod trace;
mod understand;
mod union;
pub mod zotero;

pub use ask::{Answer, timestamp};
pub use base::Pipeline;
pub use clock::{Clock, StageSink};
pub use error::EngineError;
pub use guardrail::addressed_to_model;
pub use indexer::IndexerError;
pub use indexing::indexer;
pub use ingest::{Password, WORKER_ARGUMENT, worker_main};
pub use llm::on_warning;
pub use pool::ComputePool;
pub use pooled::PooledSearcher;
pub use retrieve::{Fusion, VectorIndex};
pub use search::{RerankPlace, Reranking, SearchResult};
pub use store::{LocalIndex, StoreProvider, managed_store, open_store};
pub use text::tokens;
pub use trace::{Retrieved, Trace};

/// The commit that this was built from, or `unknown`.
pub const COMMIT: &str = env!("PIPELINE_COMMIT");

/// The version that `pipeline --version` prints; crates of the workspace have none of their own.
pub const VERSION: &str = env!("PIPELINE_VERSION");

/// The day of that commit, `YYYY-MM-DD`, or empty.
pub const COMMIT_DATE: &str = env!("PIPELINE_COMMIT_DATE");
