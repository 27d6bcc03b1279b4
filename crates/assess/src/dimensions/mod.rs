//! The five dimensions of an answer: faithfulness, relevance, citation quality, completeness and correctness, each 0 to 1.
//!
//! A [`DimensionJudge`] scores one dimension of one row. [`ChatDimensions`] asks a language model, with one prompt for each
//! dimension; [`OfflineDimensions`] needs none and says of two dimensions that it cannot score them. [`Weights`] combine the
//! scores. A judge that fails gives an error, never 0.

mod chat;
mod citations;
mod offline;
mod pages;
mod weights;

pub use chat::ChatDimensions;
pub use citations::{CitedText, Reference};
pub use offline::OfflineDimensions;
pub use pages::page_recall;
pub use weights::{Overall, Weights};

use eval::judge::JudgeError;
use rows::AnswerRow;
use strum::VariantArray as _;
use types::{BoxFuture, Usage};

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

    /// Why a row cannot be scored in this dimension; `None` if it can.
    pub fn lacks(self, row: &AnswerRow) -> Option<String> {
        let lacks = |field: &str| Some(format!("the row has no {field}"));
        if row.answer.is_none() {
            return lacks("answer");
        }
        let empty = row.answer.as_ref().is_some_and(|answer| answer.trim().is_empty());
        let refused = row.refused == Some(true);
        let asks = matches!(self, Self::AnswerRelevance | Self::Completeness);
        let reads = matches!(
            self,
            Self::Faithfulness | Self::CitationQuality | Self::Completeness
        );
        if matches!(self, Self::Faithfulness | Self::CitationQuality) && (empty || refused) {
            let what = if empty { "is empty" } else { "is a refusal" };
            return Some(format!("the answer {what}"));
        }
        if asks
            && row
                .question
                .as_ref()
                .is_none_or(|question| question.trim().is_empty())
        {
            return lacks("question");
        }
        if reads && row.passages.is_none() {
            return lacks("passages");
        }
        if self == Self::Completeness && row.passages.as_ref().is_some_and(Vec::is_empty) {
            return Some("nothing was retrieved".to_owned());
        }
        if self == Self::Correctness && row.reference.is_none() {
            return lacks("reference answer");
        }
        None
    }
}

/// What a judge says of one dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// 0 to 1.
    pub score: f64,
    /// Why.
    pub reasoning: String,
    /// What lowers the score: see [`Dimension::findings_key`].
    pub findings: Vec<String>,
    /// What a language model spent.
    pub usage: Usage,
}

impl Verdict {
    /// A verdict that cost nothing.
    pub(crate) fn free(score: f64, reasoning: impl Into<String>, findings: Vec<String>) -> Self {
        Self {
            score,
            reasoning: reasoning.into(),
            findings,
            usage: Usage::default(),
        }
    }
}

/// Scores dimensions of rows.
pub trait DimensionJudge: Send + Sync {
    /// Names the method, its model and its version.
    fn id(&self) -> String;

    /// The version of the prompt of a dimension; `None` if it is scored without one.
    fn prompt_version(&self, dimension: Dimension) -> Option<&'static str>;

    /// Scores one dimension of a row.
    ///
    /// # Errors
    /// [`JudgeError::NotApplicable`] if the row has no score in this dimension, with the reason; other errors if there should
    /// be one.
    fn judge<'a>(
        &'a self,
        dimension: Dimension,
        row: &'a AnswerRow,
    ) -> BoxFuture<'a, Result<Verdict, JudgeError>>;
}

/// The verdict on an empty answer, which needs no judge.
pub(crate) fn on_empty(dimension: Dimension, row: &AnswerRow) -> Option<Verdict> {
    let empty = row.answer.as_ref().is_some_and(|answer| answer.trim().is_empty());
    let scored = matches!(
        dimension,
        Dimension::AnswerRelevance | Dimension::Completeness | Dimension::Correctness
    );
    (empty && scored).then(|| Verdict::free(0.0, "The answer is empty.", Vec::new()))
}
