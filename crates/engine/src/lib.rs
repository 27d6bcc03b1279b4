//! The one place that builds the stages and runs them.
//!
//! Settings become stages ([`stages`]), papers become an index ([`ingest_run`]), a question becomes an answer
//! ([`Pipeline`]), a query set becomes a measured run ([`eval_run`]); [`index_run`] looks after an index. One module per job; the binary, and later
//! the server, call these and hold no logic of their own.
//!
//! This crate does not parse arguments, draw progress, print, or speak HTTP, and it holds no algorithm of a
//! stage: those live in the stage crates.

mod ask;
mod cache;
mod controls;
pub mod doctor;
mod error;
pub mod eval_run;
pub mod index_run;
pub mod ingest_run;
pub mod log;
pub mod natives;
pub mod parse;
pub mod queries_check;
mod record;
mod refusal;
pub mod report_run;
pub mod settings;
pub mod setup;
pub mod show;
pub mod sources_run;
pub mod stages;
mod timed_judge;

pub use ask::{Found, Pipeline};
pub use error::EngineError;
pub use ingest::{Password, worker_main};
pub use retrieve::{Explanation, Filter, ListScore};

/// The commit that this was built from, or `unknown`.
pub const COMMIT: &str = env!("PIPELINE_COMMIT");

/// The day of that commit, `YYYY-MM-DD`, or empty.
pub const COMMIT_DATE: &str = env!("PIPELINE_COMMIT_DATE");
