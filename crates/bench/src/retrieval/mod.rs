//! `bench retrieval`: searches beside Python programs that do the same, and how an index behaves as it grows.

mod bm25;
mod growth;
mod peer;
mod plot;
mod step;
mod truth;
mod vectors;

pub(crate) use step::run as step;

use crate::{
    args::{Format, Retrieval},
    error::BenchError,
    output::Outcome,
};
use serde::{Deserialize, Serialize};

/// Runs the command.
pub(crate) fn run(args: &Retrieval, format: Format) -> Result<Outcome, BenchError> {
    if cfg!(debug_assertions) {
        eprintln!("note: this is a debug build; its figures say nothing: cargo build --release -p bench");
    }
    match args {
        Retrieval::Bm25(args) => bm25::run(args, format),
        Retrieval::Vectors(args) => vectors::run(args, format),
        Retrieval::Growth(args) => growth::run(args, format),
    }
}

/// Milliseconds of many searches.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Latency {
    p50: f64,
    p95: f64,
    p99: f64,
}

impl Latency {
    /// Of at least one search, in any order.
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let last = times.len().saturating_sub(1) as f64;
        let at = |share: f64| times.get((last * share).round() as usize).copied().unwrap_or(0.0);
        Self {
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
        }
    }
}
