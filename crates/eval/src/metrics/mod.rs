//! The metrics. Each is a module of its own with one type that implements [`Metric`]; [`REGISTRY`] lists them in the
//! order of the report. Rows, gates, summaries, comparisons and reports read only that list: to add a metric, add a
//! module and a line of [`REGISTRY`].
//!
//! A metric about the response is computed twice: for the response that the user gets, under its key, and for the
//! generator's own output before guardrails, under its key with [`RAW_SUFFIX`]. Each of the two is a [`Column`].

mod absent;
mod answerable_answered;
mod citation_precision;
mod citation_support;
mod claim_support;
mod confidence_error;
pub(crate) mod correct;
mod correctness;
mod faithful;
pub(crate) mod gold;
mod gold_recall_answer;
mod gold_recall_context;
mod grade;
mod groundedness;
mod hallucinated_entities;
mod hallucinated_numbers;
mod no_evidence_accuracy;
mod quote_accuracy;
mod spec;
#[cfg(test)]
pub(crate) mod testing;
mod unanswerable_refused;

pub use correctness::token_f1;
pub use spec::{Direction, Kind, Need, Range, Spec};

use crate::judge::{Compared, Judged};
use crate::{Query, Score};
use types::{ContextRecord, ResponseRecord, RunRecord};

/// Every metric, in the order of the report.
pub static REGISTRY: &[&dyn Metric] = &[
    &citation_precision::CitationPrecision,
    &faithful::Faithful,
    &no_evidence_accuracy::NoEvidenceAccuracy,
    &answerable_answered::AnswerableAnswered,
    &unanswerable_refused::UnanswerableRefused,
    &quote_accuracy::QuoteAccuracy,
    &claim_support::ClaimSupport,
    &citation_support::CitationSupport,
    &groundedness::Groundedness,
    &grade::Grade,
    &hallucinated_entities::HallucinatedEntities,
    &hallucinated_numbers::HallucinatedNumbers,
    &gold_recall_context::GoldRecallContext,
    &gold_recall_answer::GoldRecallAnswer,
    &correct::Correct,
    &correctness::Correctness,
    &confidence_error::ConfidenceError,
];

/// The suffix of the key of a metric of the generator's own output.
pub const RAW_SUFFIX: &str = "_raw";
/// Maximum number of words of a quote; a longer one does not count as a quote.
pub const QUOTE_WORDS: usize = 40;

/// The reason for n/a when a refusal has nothing to measure.
pub(crate) const REFUSAL: &str = "the answer is a refusal";
/// The reason for n/a when a log has no context.
pub(crate) const NO_CONTEXT: &str = "the log holds no context";
/// The reason for n/a when a log has no response before guardrails.
const NO_RAW: &str = "the log holds no response before guardrails";

/// One metric.
pub trait Metric: Send + Sync {
    /// Its description.
    fn spec(&self) -> &'static Spec;
    /// Its score of one response. What it cannot score is n/a with a reason; it never guesses.
    fn score(&self, sample: &Sample<'_>) -> Score;
}

/// What metrics score: one response of one question.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    /// The record of the question.
    pub record: &'a RunRecord,
    /// The response: the one that the user gets, or the generator's own.
    pub response: &'a ResponseRecord,
    /// The labels of the question; `None` without a query set.
    pub query: Option<&'a Query>,
    /// What the judge says about the response.
    pub judged: &'a Judged,
    /// What the judge says about the response and the reference answer.
    pub compared: &'a Judged<Compared>,
}

impl Sample<'_> {
    /// The chunks that the generator saw; `None` if they were not logged.
    pub fn context(&self) -> Option<&[ContextRecord]> {
        self.record.context.as_deref()
    }
}

/// A metric of the response after guardrails, or before: one column of the rows.
#[derive(Clone, Copy)]
pub struct Column {
    metric: &'static dyn Metric,
    raw: bool,
}

impl Column {
    /// The metric's description.
    pub fn spec(&self) -> &'static Spec {
        self.metric.spec()
    }

    /// Whether it is about the generator's own output, before guardrails.
    pub fn is_raw(&self) -> bool {
        self.raw
    }

    /// Its name in JSON, gates and logs.
    pub fn key(&self) -> String {
        let key = self.spec().key;
        if self.raw {
            format!("{key}{RAW_SUFFIX}")
        } else {
            key.to_owned()
        }
    }

    /// The score of the metric; an error if it is outside the metric's range. `sample` is `None` if the log does not
    /// have the response.
    pub(crate) fn score(&self, sample: Option<&Sample<'_>>) -> Score {
        let Some(sample) = sample else {
            return Score::n_a(NO_RAW);
        };
        let range = self.spec().range;
        match self.metric.score(sample) {
            Score::Value(value) if !range.contains(value) => {
                Score::Error(format!("the score came out as {value}, not between {range}"))
            }
            score => score,
        }
    }
}

/// Every metric's description, in the order of the report.
pub fn specs() -> impl Iterator<Item = &'static Spec> {
    REGISTRY.iter().map(|metric| metric.spec())
}

/// The columns after guardrails, or before them if `raw`, in the order of the report.
pub fn stage(raw: bool) -> impl Iterator<Item = Column> {
    REGISTRY
        .iter()
        .map(move |metric| Column { metric: *metric, raw })
        .filter(|column| column.spec().staged || !column.raw)
}

/// Every column, in the order of the report: after guardrails, then before.
pub fn columns() -> impl Iterator<Item = Column> {
    stage(false).chain(stage(true))
}

/// The keys of [`columns`].
pub fn keys() -> Vec<String> {
    columns().map(|column| column.key()).collect()
}

/// The column with this key.
pub fn find(key: &str) -> Option<Column> {
    columns().find(|column| column.key() == key)
}

#[cfg(test)]
mod tests;
