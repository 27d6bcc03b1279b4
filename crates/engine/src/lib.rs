//! Builds the stages of the pipeline and runs them; no other crate does.
//!
//! [`stages`] builds stages from settings, [`Pipeline`] answers questions, [`eval_run`] evaluates a query set, [`runs`] shows what
//! the log has stored, [`bench_beir`] and [`bench_passages`] measure retrieval on public benchmarks, [`calibrate`] chooses
//! thresholds, [`sweep`] compares combinations of settings,
//! [`judge_run`] judges the responses of any system, [`evaluate_run`] scores their answers, [`judge_report`] measures judges against people, and [`indexer()`] returns what builds and
//! maintains the index. There is one module per job; the binary calls these and has no logic of its own.
//!
//! This crate does not parse arguments, draw progress, print, or serve HTTP, and has no algorithm of a stage: those are
//! in the crates of the stages.

mod ask;
pub mod bench_answers;
pub mod bench_beir;
pub mod bench_guardrails;
pub mod bench_passages;
mod benchmark;
pub mod calibrate;
pub mod chat_models;
mod clock;
mod controls;
pub mod doctor;
pub mod documents;
pub mod drafts;
pub mod dry_run;
mod error;
pub mod eval_run;
pub mod evaluate_run;
pub mod ground_truth;
mod indexing;
pub mod judge_agreement;
pub mod judge_label;
pub mod judge_report;
pub mod judge_run;
mod judging;
pub mod log;
mod memo;
pub mod metrics;
pub mod natives;
pub mod parse;
mod pipeline;
mod pool;
mod pooled;
pub mod queries_check;
mod query_set;
mod record;
mod refusal;
pub mod report_run;
pub mod retrieval_run;
pub mod runs;
mod search;
pub mod setup;
pub mod show;
pub mod stages;
mod store;
pub mod sweep;
mod timed_judge;
mod understand;

pub use ::settings;
pub use error::EngineError;
pub use indexer::{self, IndexerError};
pub use indexing::indexer;
pub use ingest::{Password, worker_main};
pub use llm::on_warning;
pub use pipeline::Pipeline;
pub use retrieve::{Fusion, VectorIndex};
pub use search::{Found, RerankPlace, Reranking};
pub use store::{LocalIndex, StoreProvider};

/// The commit that this was built from, or `unknown`.
pub const COMMIT: &str = env!("PIPELINE_COMMIT");

/// The day of that commit, `YYYY-MM-DD`, or empty.
pub const COMMIT_DATE: &str = env!("PIPELINE_COMMIT_DATE");
