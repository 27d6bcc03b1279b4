//! One query in one mode, scored: a line of `rows.jsonl`, an entry of the `rows` of `eval.json`, the
//! `evaluation` of a run record.

use crate::judge::{ClaimVerdict, Compared, Judged};
use crate::metrics::{RAW_SUFFIX, REFUSAL};
use crate::{FailureMode, Funnel, GoldPath, LostAt, Ordered, Score};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use types::{AnswerOutcome, ChunkId, GuardrailAction, Spent};

/// A claim that nothing it cites supports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Claim")]
pub struct Unsupported {
    /// The claim.
    pub claim: String,
    /// What it cites.
    pub cited: Vec<ChunkId>,
    /// Probability of support, 0 to 1.
    pub score: f64,
    /// What is missing.
    pub reason: String,
}

impl From<&ClaimVerdict> for Unsupported {
    fn from(verdict: &ClaimVerdict) -> Self {
        Self {
            claim: verdict.claim.clone(),
            cited: verdict.cited.clone(),
            score: verdict.score,
            reason: verdict.reason.clone(),
        }
    }
}

impl Judged {
    /// The claims that the verdict finds unsupported.
    pub(crate) fn unsupported(&self) -> Vec<Unsupported> {
        let claims = self.output().map(|output| output.claims.as_slice()).unwrap_or_default();
        claims.iter().filter(|claim| !claim.supported).map(Unsupported::from).collect()
    }
}

/// An answer of a run, scored: one question in one mode. As JSON it holds no clock time and no duration: the same answers give the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Row {
    /// The query of the set.
    pub query_id: String,
    /// The retrieval mode; free text in logs of the earlier system.
    pub mode: String,
    /// The query's type; `unknown` without a query set.
    #[serde(rename = "type")]
    pub kind: String,
    /// The query's labels.
    pub tags: Vec<String>,
    /// The question.
    pub query: String,
    /// Whether a refusal is the right answer; `None` without a query set.
    pub expected_no_evidence: Option<bool>,
    /// Whether the answer is a refusal; `None` when there is no answer.
    pub no_evidence: Option<bool>,
    /// Answered, partial or none; `None` when there is no answer.
    pub outcome: Option<AnswerOutcome>,
    /// As the answer states it.
    pub confidence: String,
    /// The probability that the answer states, 0 to 1, if it states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Every metric of [`crate::metrics::keys`], in that order.
    #[serde(deserialize_with = "crate::metrics::read_scores")]
    pub scores: Ordered<Score>,
    /// The judge's grade, 1 to 4; `None` where it did not judge.
    pub grade: Option<u8>,
    /// The judge's probability that all of the answer is supported, 0 to 1; `None` where it did not judge, and in older logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_score: Option<f64>,
    /// How the answer compares with the reference answer; `None` where nothing was compared, and in older logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
    /// Claims of the answer without support.
    pub unsupported: Vec<Unsupported>,
    /// Claims of the generator's own output without support.
    pub unsupported_raw: Vec<Unsupported>,
    /// What guardrails did.
    pub guardrails: Vec<GuardrailAction>,
    /// Caveats of the answer.
    pub caveats: Vec<String>,
    /// How many citations the answer has; `None` without an answer, and in older logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<usize>,
    /// The answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// Every gold quote with the stages that still had it; empty in older logs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gold: Vec<GoldPath>,
    /// For each gold quote, the rank from 1 of the first candidate that holds it; `None` where no candidate
    /// does. Empty where nobody looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gold_ranks: Vec<Option<usize>>,
    /// How much of the evidence each stage has; `None` for a question without evidence, and in older logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub funnel: Option<Funnel>,
    /// The stage that lost the evidence that came furthest, if the answer shows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_at: Option<LostAt>,
    /// Authors that the answer names and that neither its context nor its question does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_authors: Vec<String>,
    /// In which ways the row failed: [`crate::failure_modes::of_row`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_modes: Vec<FailureMode>,
    /// What the question shares its chance with: [`crate::Query::cluster`]. Empty without a query set, and in older logs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cluster: String,
    /// Names the set of candidates that retrieval handed on, whatever their order. Empty when there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub candidates_key: String,
    /// Milliseconds by stage; logged with the record, never part of the row's JSON.
    #[serde(skip)]
    pub timings_ms: BTreeMap<String, f64>,
    /// Tries that the row took.
    pub attempts: u32,
    /// What language models spent on the row by stage, tries that failed included.
    #[serde(default, skip_serializing_if = "Spent::is_empty")]
    pub usage: Spent,
    /// Stages (`rerank`, `generate`) that were done offline because the language model failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// Why there is no answer, or why the judge gave no verdict on it.
    pub error: Option<String>,
    /// Whether there is an answer and only the verdict is missing, because the judge could not be reached: the next run asks
    /// for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
}

impl Row {
    /// The value of a metric, where it has one.
    pub fn value(&self, key: &str) -> Option<f64> {
        self.scores.get(key).and_then(Score::get)
    }

    /// Scores a refusal as the earlier system did: faithful, with citation precision 1.
    pub fn count_refusal_as_perfect(&mut self) {
        for key in ["citation_precision", "faithful"] {
            for key in [key.to_owned(), format!("{key}{RAW_SUFFIX}")] {
                let refusal = Score::n_a(REFUSAL);
                if self.scores.get(&key) == Some(&refusal) {
                    self.scores.insert(key, Score::value(1.0));
                }
            }
        }
    }

    /// What the row shares its chance with, for intervals and tests: its target papers; where it does not say them, the
    /// paper of its gold evidence, or only its own question.
    pub fn cluster(&self) -> &str {
        match self.gold.first() {
            _ if !self.cluster.is_empty() => &self.cluster,
            Some(gold) => gold.source_id.as_str(),
            None => &self.query_id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_counts_as_perfect_only_where_asked() {
        let mut row = Row::default();
        row.scores.insert("citation_precision", Score::n_a(REFUSAL));
        row.scores.insert("faithful", Score::flag(false));
        row.scores.insert("faithful_raw", Score::n_a("the log holds no context"));
        row.scores.insert("quote_accuracy", Score::n_a(REFUSAL));
        row.count_refusal_as_perfect();
        let values: Vec<Option<f64>> = row.scores.iter().map(|(_, s)| s.get()).collect();
        assert_eq!(values, [Some(1.0), Some(0.0), None, None]);
    }
}
