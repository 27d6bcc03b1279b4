//! The metrics of rows. Each is a module with one type that implements [`Metric`]; [`REGISTRY`] lists them. To add a
//! metric, add a module and a line of [`REGISTRY`].
//!
//! Each has a definition of its own that needs no language model: words, names, numbers, ids, verbatim quotes, and the
//! support of claims by a [`SupportScorer`] that the caller hands in. What a row has no field for is n/a, and the reason
//! names the field.

mod answer_relevance;
mod asked;
mod auto_fail;
mod average_distance;
mod citation_quality;
mod citation_verification_rate;
mod citations;
mod claims;
mod completeness;
mod context_precision;
mod context_recall;
mod context_recall_claims;
mod context_recall_documents;
mod context_recall_quotes;
mod correct;
mod correctness;
mod documents;
mod documents_per_query;
mod factual_accuracy;
mod faithfulness;
mod groundedness;
mod hallucination;
mod overall_pass;
mod premise_refusal;
mod rag_score;
mod ranks;
mod relation;
mod relevance;
mod retrieval_relevance;
mod retrieval_relevance_pass;
mod sample;
mod source_diversity;
mod spec;
#[cfg(test)]
pub(crate) mod testing;
mod token_f1;
mod wording;

pub use auto_fail::Failure;
pub use spec::{Field, Spec};

use crate::Limits;
use eval::{Ordered, Score};
use rows::AnswerRow;
use sample::Sample;
use serde::{Deserialize, Serialize};
use types::SupportScorer;

/// What scoring needs besides the row.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// Judges the support of claims.
    pub support: &'a dyn SupportScorer,
    /// What counts as supported, relevant and failed.
    pub limits: &'a Limits,
}

/// One metric.
pub trait Metric: Send + Sync {
    /// Its description.
    fn spec(&self) -> &'static Spec;
    /// Its value.
    ///
    /// # Errors
    /// The score that stands for a missing value: n/a with a reason, or an error.
    fn value(&self, sample: &Sample<'_>) -> Result<f64, Score>;
    /// Why its value is what it is, in a sentence without a full stop, for metrics that pass or fail; asked only where there is
    /// a value.
    fn explanation(&self, _sample: &Sample<'_>) -> Option<String> {
        None
    }
}

/// Every metric, in the order of tables.
pub static REGISTRY: &[&dyn Metric] = &[
    &answer_relevance::AnswerRelevance,
    &relevance::Relevance,
    &completeness::Completeness,
    &correctness::Correctness,
    &correct::Correct,
    &token_f1::TokenF1,
    &faithfulness::Faithfulness,
    &groundedness::Groundedness,
    &hallucination::Hallucination,
    &factual_accuracy::FactualAccuracy,
    &citation_quality::CitationQuality,
    &citation_verification_rate::CitationVerificationRate,
    &source_diversity::SourceDiversity,
    &premise_refusal::PremiseRefusal,
    &retrieval_relevance::RetrievalRelevance,
    &retrieval_relevance_pass::RetrievalRelevancePass,
    &context_recall::ContextRecall,
    &context_recall_documents::ContextRecallDocuments,
    &context_recall_quotes::ContextRecallQuotes,
    &context_recall_claims::ContextRecallClaims,
    &context_precision::ContextPrecision,
    &ranks::RECALL_10,
    &ranks::RecallCeiling10,
    &ranks::NDCG_10,
    &ranks::MRR_10,
    &average_distance::AverageDistance,
    &documents_per_query::DocumentsPerQuery,
    &overall_pass::OverallPass,
    &rag_score::RagScore,
    &auto_fail::AutoFail,
];

/// A scored row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// The id of the row.
    pub id: String,
    /// What it shares its chance with: [`cluster_of`]; empty in older results.
    #[serde(default)]
    pub cluster: String,
    /// Its scores by metric, in the order of [`REGISTRY`].
    pub scores: Ordered<Score>,
    /// Whether a rule of automatic failure applies.
    pub auto_fail: bool,
    /// Why, one for each rule that applies.
    pub failure_reasons: Vec<String>,
    /// By metric that passes or fails and has a value: why.
    #[serde(default, skip_serializing_if = "Ordered::is_empty")]
    pub explanations: Ordered<String>,
}

impl Scored {
    /// What the row shares its chance with.
    pub fn cluster(&self) -> &str {
        if self.cluster.is_empty() {
            &self.id
        } else {
            &self.cluster
        }
    }
}

/// The description of every metric, in the order of tables.
pub fn specs() -> impl Iterator<Item = &'static Spec> {
    REGISTRY.iter().map(|metric| metric.spec())
}

/// The scores of a row, in the order of [`REGISTRY`].
pub fn score(row: &AnswerRow, tools: &Tools<'_>) -> Ordered<Score> {
    scored(row, tools).scores
}

/// The scores of a row, and why it fails.
pub fn scored(row: &AnswerRow, tools: &Tools<'_>) -> Scored {
    let sample = Sample::new(row, *tools);
    let scores: Ordered<Score> = REGISTRY
        .iter()
        .map(|metric| (metric.spec().key.to_owned(), checked(*metric, &sample)))
        .collect();
    let explanation = |metric: &&dyn Metric| {
        let key = metric.spec().key;
        scores.get(key).and_then(Score::get)?;
        Some((key.to_owned(), metric.explanation(&sample)?))
    };
    let explanations = REGISTRY.iter().filter_map(explanation).collect();
    let failures = auto_fail::failures(&sample);
    Scored {
        id: row.id.clone(),
        cluster: cluster_of(row),
        scores,
        auto_fail: !failures.is_empty(),
        failure_reasons: failures.into_iter().map(|failure| failure.reason).collect(),
        explanations,
    }
}

/// What a row shares its chance with: the documents that answer its question, or the question itself. The same as
/// [`eval::Query::cluster`] where a query set says which papers these are.
pub fn cluster_of(row: &AnswerRow) -> String {
    let expected = row
        .expected
        .iter()
        .flatten()
        .map(|expected| expected.document.as_str());
    let question = row.query_id.as_deref().or(row.question.as_deref());
    eval::estimate::cluster_of(expected, question.unwrap_or(&row.id))
}

/// The answer of a row without citation marks.
pub(crate) fn bare_answer(row: &AnswerRow) -> String {
    citations::Reading::new(row).text
}

/// The claims of the answer of a row, as the metrics judge them; empty for a refusal.
pub(crate) fn claims_of(row: &AnswerRow, tools: Tools<'_>) -> Vec<String> {
    let sample = Sample::new(row, tools);
    let claims = sample.given().map(|reading| &reading.claims);
    claims.map_or_else(
        |_| Vec::new(),
        |claims| claims.iter().map(|claim| claim.text.clone()).collect(),
    )
}

#[cfg(test)]
pub(crate) use rag_score::rag_score as rag_score_of;

/// A value outside the range of its metric is an error.
fn checked(metric: &dyn Metric, sample: &Sample<'_>) -> Score {
    let range = metric.spec().range;
    match metric.value(sample) {
        Ok(value) if range.contains(value) => Score::value(value),
        Ok(value) => Score::Error(format!("the score came out as {value}, not between {range}")),
        Err(score) => score,
    }
}

#[cfg(test)]
mod tests;
