//! What is shown of an earlier run of the same questions.

use crate::{MetricSummary, Ordered};

/// The metrics whose course is shown.
pub const TREND_METRICS: [&str; 4] = [
    "answerable_answered",
    "unanswerable_refused",
    "gold_recall_context",
    "gold_recall_answer",
];

/// The means of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendRun {
    /// The run.
    pub run_id: String,
    /// Version of the program.
    pub version: String,
    /// Hash of the settings.
    pub config_hash: String,
    /// Whether it is the run of the report.
    pub is_this: bool,
    /// By mode, then by metric of [`TREND_METRICS`].
    pub modes: Ordered<Ordered<MetricSummary>>,
}
