//! What guardrails do to errors that were planted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `bench guardrails` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BenchGuardrails {
    /// Papers that the sentences are from.
    pub papers: usize,
    /// Answers that were asked for, correct ones and of each kind of error. A kind has fewer if no sentence of an answer can have
    /// such an error.
    pub requested: usize,
    /// With the guardrails of the settings.
    pub now: GuardrailTable,
    /// With those of the preset `phase2`.
    pub phase2: GuardrailTable,
    /// Hash of the settings.
    pub config_hash: String,
    /// Seed of the sample and of the errors.
    pub seed: u64,
}

/// What one set of guardrails did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GuardrailTable {
    /// Answers without an error.
    pub correct_answers: GuardrailCounts,
    /// Answers with one wrong sentence, by the kind of error.
    pub kinds: BTreeMap<String, GuardrailCounts>,
}

/// Counts over the answers of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GuardrailCounts {
    /// Answers.
    pub answers: usize,
    /// Answers with a sentence in other words than its paper.
    pub reworded: usize,
    /// Wrong sentences: one in each answer with an error.
    pub wrong: usize,
    /// Wrong sentences that were stripped.
    pub stripped: usize,
    /// Wrong sentences that were flagged, or whose citation was changed.
    pub flagged: usize,
    /// Share of the wrong sentences that were stripped or flagged, 0 to 1; null if there are none.
    pub recall: Option<f64>,
    /// Share of the stripped or flagged sentences that are wrong, 0 to 1; null if there are none.
    pub precision: Option<f64>,
    /// Correct sentences.
    pub correct: usize,
    /// Correct sentences that were stripped.
    pub correct_stripped: usize,
    /// Correct sentences that were flagged, or whose citation was changed.
    pub correct_flagged: usize,
}
