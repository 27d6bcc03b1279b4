//! The jobs of evaluation, one module each: runs over a query set, benchmarks, judges, sweeps over settings, thresholds,
//! drafted query sets, and what the log has stored.
//!
//! A job asks an `engine::Pipeline`, reads what its stages made, and gives both to `eval`, which scores them. The binary calls
//! these and has no logic of its own.
//!
//! This crate has no stage, no metric and no statistics: those are in `engine` and `eval`. It does not parse arguments, draw
//! progress, or print.

pub mod benchmark;
pub mod calibrate;
mod controls;
pub mod dataset;
pub mod draft;
pub mod dry_run;
mod error;
pub mod eval_run;
pub mod evaluate_run;
pub mod judge_check;
pub mod judge_correct;
pub mod judge_run;
mod judging;
pub mod log;
mod logged;
pub mod metrics;
pub mod paper_table;
mod provenance;
pub mod queries_check;
pub mod queries_plan;
mod query_set;
pub mod report;
pub mod report_run;
pub mod runs;
pub mod schemas;
pub mod sweep;
mod system;
pub mod verify;

pub use error::LabError;
pub use eval;
pub use judging::remains;
