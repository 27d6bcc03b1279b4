//! The five dimensions of an answer: faithfulness, relevance, citation quality, completeness and correctness, each 0 to 1.
//!
//! Each is the metric of the same key. [`ChatDimensions`] asks a language model, with one prompt for each; without one the
//! metrics have their own definitions. [`Weights`] combine the scores. A judge that fails gives an error, never 0.

mod chat;
mod weights;

pub use chat::{ChatDimensions, DimensionReply};
pub use weights::{Overall, Weights};

use super::Decision;
use crate::Sample;
use strum::VariantArray as _;

/// A property of an answer.
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// Do the passages support every statement?
    Faithfulness,
    /// Does the answer address the question?
    AnswerRelevance,
    /// Do the citations exist, and support what cites them?
    CitationQuality,
    /// Does the answer use what the passages offer?
    Completeness,
    /// Does the answer say the same as the reference?
    Correctness,
}

impl Dimension {
    /// Every dimension, in the order of the output.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its key.
    pub fn key(self) -> &'static str {
        self.into()
    }

    /// The key of the list of what lowers its score.
    pub fn findings_key(self) -> &'static str {
        match self {
            Self::Faithfulness => "unsupported_claims",
            Self::AnswerRelevance => "missing_aspects",
            Self::CitationQuality => "issues",
            Self::Completeness => "missing_info",
            Self::Correctness => "differences",
        }
    }

    /// What passes or fails beside it: the field of the reply, and the metric.
    pub fn pass(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Faithfulness => Some(("grounded", "faithful")),
            Self::AnswerRelevance => Some(("relevant", "relevance")),
            Self::CitationQuality => None,
            Self::Completeness => Some(("retrieval_relevant", "retrieval_relevance_pass")),
            Self::Correctness => Some(("same_facts", "matched")),
        }
    }

    /// The metrics that its reply decides for a row: those of its score and of its decision, and what else it is asked for there.
    pub fn keys(self, sample: &Sample) -> Vec<&'static str> {
        let beside = (self == Self::Completeness && !stated(sample).is_empty()).then_some(RECALL);
        [Some(self.key()), self.pass().map(|(_, key)| key), beside].into_iter().flatten().collect()
    }

    /// Why a row cannot be scored in this dimension; `None` if it can.
    pub fn lacks(self, sample: &Sample) -> Option<String> {
        let lacks = |field: &str| Some(format!("the row has no {field}"));
        if sample.answer.is_none() {
            return lacks("answer");
        }
        let empty = sample.answer.as_ref().is_some_and(|answer| answer.trim().is_empty());
        let refused = sample.refused == Some(true);
        let asks = matches!(self, Self::AnswerRelevance | Self::Completeness);
        let reads = matches!(self, Self::Faithfulness | Self::CitationQuality | Self::Completeness);
        if matches!(self, Self::Faithfulness | Self::CitationQuality) && (empty || refused) {
            let what = if empty { "is empty" } else { "is a refusal" };
            return Some(format!("the answer {what}"));
        }
        if asks && sample.question.as_ref().is_none_or(|question| question.trim().is_empty()) {
            return lacks("question");
        }
        if reads && sample.passages.is_none() {
            return lacks("passages");
        }
        if self == Self::Completeness && sample.passages.as_ref().is_some_and(Vec::is_empty) {
            return Some("nothing was retrieved".to_owned());
        }
        if self == Self::Correctness && sample.reference.is_none() {
            return lacks("reference answer");
        }
        None
    }
}

/// The metric that [`Dimension::Completeness`] decides besides, since it reads the passages.
const RECALL: &str = "context_recall_claims";

/// The statements of the reference that passages may make; none without passages.
fn stated(sample: &Sample) -> Vec<String> {
    let passages = sample.passages.as_ref().is_some_and(|passages| !passages.is_empty());
    let reference = sample.reference.as_deref().filter(|_| passages);
    reference.map(evidence::support::statements).unwrap_or_default()
}

/// The verdict on an empty answer, which needs no judge.
fn on_empty(dimension: Dimension, sample: &Sample) -> Option<Decision> {
    let empty = sample.answer.as_ref().is_some_and(|answer| answer.trim().is_empty());
    let scored =
        matches!(dimension, Dimension::AnswerRelevance | Dimension::Completeness | Dimension::Correctness);
    (empty && scored).then(|| Decision { reason: "The answer is empty.".to_owned(), ..Decision::default() })
}
