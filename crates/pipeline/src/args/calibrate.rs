//! Arguments of `calibrate`.

use super::{modes, share};
use clap::Args;
use std::path::PathBuf;
use types::Mode;

/// `calibrate`.
#[derive(Debug, Args)]
#[command(after_help = "\
The query set needs at least 20 questions with gold_evidence, about at least 5 papers of the index;
`pipeline queries draft` drafts one. Each of them is also asked without the papers that answer it,
where the right response is a refusal. The command chooses
  guardrail.refuse_below      the threshold with the highest balanced accuracy of refusals
  generate.high_confidence    the lowest threshold at which the share of right answers reaches --aim,
                              with ten answers or more; never below guardrail.partial_below
Both are tested by five-fold cross-validation, with all questions about a paper in one fold. A new
threshold is proposed only if it does better than the current one on papers that were not used to
choose it.

Examples:
  pipeline --index index-mine calibrate --queries queries/mine.jsonl --output mine.toml
  pipeline --index index-mine --config mine.toml ask \"How many patients dropped out?\"")]
pub(crate) struct Calibrate {
    /// The query set.
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: PathBuf,
    /// Retrieval mode [default: the setting retrieve.mode]
    #[arg(long, value_parser = modes())]
    pub(crate) mode: Option<Mode>,
    /// Share of the answers with high confidence that should be right, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.85, value_parser = share)]
    pub(crate) aim: f64,
    /// Write the settings to change to this file, for --config.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
