//! Arguments of `sweep`.

use super::{Cost, at_least, modes};
use clap::Args;
use std::path::PathBuf;
use types::Mode;

/// `sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each combination is a run of `eval`, which `runs show` and `runs compare` find in the log.

A combination is chosen by its mean on all questions, which flatters it: the best of many is partly
lucky. So the choice is also made on each half of the questions, and measured on the other half
(questions that share a target paper stay together). A combination is recommended only if this
held-out choice is significantly better than the settings that you started from.

The default metric, balanced_evidence, is the harmonic mean of the gold evidence that answers show
and the share of unanswerable questions that are refused: 0 for a system that always refuses, and
for one that always answers. Others are the metrics of `pipeline metrics`.

Example:
  pipeline --index index-mine sweep --vary rerank.top_n=4,6,8 --vary retrieve.top_k=10,20 \\
    --queries mine.jsonl")]
pub(crate) struct Sweep {
    /// A setting with the values to try. Repeatable; every combination is evaluated
    #[arg(long, value_name = "KEY=V,V", required = true)]
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
    #[arg(long, value_name = "NAME", default_value = lab::sweep::METRIC)]
    pub(crate) metric: String,
    /// Number of questions answered concurrently [default: the setting eval.workers].
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    #[command(flatten)]
    pub(crate) cost: Cost,
}
