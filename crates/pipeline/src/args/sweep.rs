//! Arguments of `sweep`.

use super::{Cost, at_least, modes};
use clap::Args;
use std::path::PathBuf;
use types::Mode;

/// `sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
A combination is chosen by its mean on all questions, which flatters it: the best of many is partly
lucky. So the choice is also made without a part of the questions, and measured on that part
(cross-validation; questions that share a target paper stay together). Settings are recommended
only if this held-out choice is significantly better than the settings that you started from.

The default metric, balanced_evidence, is the harmonic mean of the gold evidence that answers show
and the share of unanswerable questions that are refused: 0 for a system that always refuses, and
for one that always answers. Others are the metrics of `pipeline metrics`, and balanced_accuracy.

Examples:
  pipeline --index index-mine sweep --vary retrieve.vector_weight=0.3:0.7:0.1 --queries mine.jsonl
  pipeline --index index-mine sweep --vary rerank.keep=4,6,8 --vary retrieve.candidates=10,20 \\
    --queries mine.jsonl --output sweep.json")]
pub(crate) struct Sweep {
    /// A setting with the values to try: from A to B in steps, or a list. Repeatable; every combination is evaluated
    #[arg(long, value_name = "KEY=A:B:STEP|KEY=V,V", required = true)]
    pub(crate) vary: Vec<String>,
    /// The query set.
    #[arg(long, value_name = "FILE", default_value = "queries/eval.jsonl")]
    pub(crate) queries: PathBuf,
    /// Run only the first N questions
    #[arg(long, value_name = "N", value_parser = at_least(1))]
    pub(crate) limit: Option<usize>,
    /// Retrieval mode [default: the setting retrieve.mode]
    #[arg(long, value_parser = modes())]
    pub(crate) mode: Option<Mode>,
    /// What combinations are compared by.
    #[arg(long, value_name = "NAME", default_value = eval_metric())]
    pub(crate) metric: String,
    /// Parts of the questions for cross-validation, 2 to 100.
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=100))]
    pub(crate) folds: u8,
    /// Evaluate only N combinations, drawn by eval.seed
    #[arg(long, value_name = "N", value_parser = at_least(1))]
    pub(crate) sample: Option<usize>,
    /// Refuse to run more than N combinations
    #[arg(long, value_name = "N", default_value_t = lab::sweep::LIMIT, value_parser = at_least(1))]
    pub(crate) limit_grid: usize,
    /// Number of questions answered concurrently [default: the setting eval.workers].
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// Write the results to this file, as --format json prints them
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write one line for each combination and question to this file, with all metrics
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Print the number of calls to language models, their tokens and their cost, and send them nothing
    #[arg(long, conflicts_with_all = ["output", "csv", "max_cost"])]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) cost: Cost,
}

fn eval_metric() -> &'static str {
    lab::sweep::METRIC
}
