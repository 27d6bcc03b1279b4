//! What counts as supported, relevant, good enough or failed.

use serde::{Deserialize, Serialize};
use types::ranges::{OutOfRange, Ranges, positive};

/// Limits and targets. The defaults are those of the reference systems: the Ragas evaluation service (fail, bands, and the
/// targets of rag_score, faithfulness and the two rates), ADR-013 (context recall) and LitPath (the other targets).
/// Shares are 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// The least grade of an expected document that counts as relevant.
    pub min_grade: u32,
    /// Probability from which a claim counts as supported.
    pub support: f64,
    /// Answer relevance from which an answer counts as relevant.
    pub relevant_from: f64,
    /// An answer fails if its faithfulness is below.
    pub fail_faithfulness_below: f64,
    /// The band is green from this rag_score on.
    pub green_from: f64,
    /// The band is yellow from this rag_score on, and red below.
    pub yellow_from: f64,
    /// Least rag_score.
    pub target_rag_score: f64,
    /// Least mean faithfulness.
    pub target_faithfulness: f64,
    /// Least mean context recall.
    pub target_context_recall: f64,
    /// The failure rate must be below.
    pub target_failure_rate: f64,
    /// The hallucination rate must be below.
    pub target_hallucination_rate: f64,
    /// The share of relevant answers must be above.
    pub target_relevance_pass_rate: f64,
    /// The share of grounded answers must be above.
    pub target_groundedness_pass_rate: f64,
    /// The share of rows with a relevant passage must be above.
    pub target_retrieval_relevance_pass_rate: f64,
    /// The mean factual accuracy must be above.
    pub target_factual_accuracy: f64,
    /// The mean citation verification rate must be above.
    pub target_citation_verification_rate: f64,
    /// The mean distance must be below: a squared L2 distance, 0 to 4. 1.0 belongs to all-mpnet-base-v2.
    pub target_average_distance: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            min_grade: 1,
            support: 0.5,
            relevant_from: 0.5,
            fail_faithfulness_below: 0.85,
            green_from: 0.85,
            yellow_from: 0.7,
            target_rag_score: 0.85,
            target_faithfulness: 0.9,
            target_context_recall: 0.8,
            target_failure_rate: 0.15,
            target_hallucination_rate: 0.1,
            target_relevance_pass_rate: 0.8,
            target_groundedness_pass_rate: 0.8,
            target_retrieval_relevance_pass_rate: 0.7,
            target_factual_accuracy: 0.9,
            target_citation_verification_rate: 0.7,
            target_average_distance: 1.0,
        }
    }
}

impl Ranges for Limits {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        positive("min_grade", self.min_grade)?;
        for (field, value) in [
            ("support", self.support),
            ("relevant_from", self.relevant_from),
            ("fail_faithfulness_below", self.fail_faithfulness_below),
            ("green_from", self.green_from),
            ("yellow_from", self.yellow_from),
            ("target_rag_score", self.target_rag_score),
            ("target_faithfulness", self.target_faithfulness),
            ("target_context_recall", self.target_context_recall),
            ("target_failure_rate", self.target_failure_rate),
            ("target_hallucination_rate", self.target_hallucination_rate),
            ("target_relevance_pass_rate", self.target_relevance_pass_rate),
            (
                "target_groundedness_pass_rate",
                self.target_groundedness_pass_rate,
            ),
            (
                "target_retrieval_relevance_pass_rate",
                self.target_retrieval_relevance_pass_rate,
            ),
            ("target_factual_accuracy", self.target_factual_accuracy),
            (
                "target_citation_verification_rate",
                self.target_citation_verification_rate,
            ),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err(OutOfRange::new(field, value, "finite and in [0, 1]"));
            }
        }
        if !(0.0..=4.0).contains(&self.target_average_distance) {
            return Err(OutOfRange::new(
                "target_average_distance",
                self.target_average_distance,
                "finite and in [0, 4]",
            ));
        }
        if self.yellow_from > self.green_from {
            return Err(OutOfRange::new(
                "yellow_from",
                self.yellow_from,
                format!("at most green_from ({})", self.green_from),
            ));
        }
        Ok(())
    }
}
