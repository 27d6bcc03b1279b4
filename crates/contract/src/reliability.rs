//! How often answers of a stated confidence are right.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Stated confidence against what the answers show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Reliability {
    /// `high`, `medium` and `low`, as far as they occur.
    pub levels: Vec<ReliabilityBin>,
    /// Tenths of the stated probability, as far as they occur.
    pub tenths: Vec<ReliabilityBin>,
    /// Share of the right answers that are of level `high`; null without right answers.
    pub high_of_right: Option<f64>,
}

/// Answers with about the same confidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReliabilityBin {
    /// The level, or the range of probabilities.
    pub name: String,
    /// Answers.
    pub answers: usize,
    /// Those that show labelled evidence.
    pub right: usize,
    /// Mean stated probability, 0 to 1; null if none was stated.
    pub stated: Option<f64>,
}
