//! What counts as supported, relevant, good enough or failed.

use serde::{Deserialize, Serialize};
use types::{OutOfRange, SettingGroup};

/// Limits, by default those of the Ragas evaluation service. Shares are 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SettingGroup)]
#[serde(default)]
#[settings(check = bands)]
pub struct Limits {
    /// The least grade of an expected document that counts as relevant.
    #[serde(skip)]
    #[setting(default = 1)]
    pub min_grade: u32,
    /// Probability from which a claim counts as supported; in the settings, that of `eval.support_threshold`.
    #[serde(skip)]
    #[setting(default = 0.5)]
    pub support: f64,
    /// Answer relevance from which an answer counts as relevant.
    #[serde(skip)]
    #[setting(default = 0.5)]
    pub relevant_from: f64,
    /// An answer of another system fails if its faithfulness is below this.
    #[setting(default = 0.85, range = 0.0..=1.0)]
    pub fail_faithfulness_below: f64,
    /// The band of `rag_score` is green from this on.
    #[setting(default = 0.85, range = 0.0..=1.0)]
    pub green_from: f64,
    /// The band of `rag_score` is yellow from this on, and red below.
    #[setting(default = 0.7, range = 0.0..=1.0)]
    pub yellow_from: f64,
}

fn bands(limits: &Limits) -> Result<(), OutOfRange> {
    if limits.yellow_from > limits.green_from {
        let limit = format!("at most green_from ({})", limits.green_from);
        return Err(OutOfRange::new("yellow_from", limits.yellow_from, limit));
    }
    Ok(())
}
