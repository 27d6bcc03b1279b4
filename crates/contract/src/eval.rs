//! What `eval` prints.

use crate::{BaselineCheck, Evaluation, Gate, RunComparison};
use schemars::JsonSchema;
use serde::Serialize;

/// What `eval` prints: the evaluation, its gates, and the baseline where one was named.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Eval {
    /// The evaluation, as in `eval.json`; its schema is that of [`Evaluation`].
    #[serde(flatten)]
    #[schemars(with = "Evaluation")]
    pub evaluation: serde_json::Value,
    /// The conditions of `--min`.
    pub gates: Vec<Gate>,
    /// What `--baseline` found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineCheck>,
    /// The comparison with the run or the settings of `--against`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<RunComparison>,
}
