//! Traits between stages, so that stages do not depend on each other.

use crate::{AnswerFailure, BoxFuture, Mode, RunRecord, Span};
use std::path::Path;

/// A native model failed.
#[derive(Debug, thiserror::Error)]
#[error("{model}: {reason}")]
pub struct ModelError {
    /// The model.
    pub model: String,
    /// What went wrong and what to do.
    pub reason: String,
}

/// A text to embed together with parts of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextParts {
    /// The text.
    pub text: String,
    /// Parts of it that do not overlap, such as its sentences, in bytes.
    pub parts: Vec<Span>,
}

/// The vectors of [`TextParts`].
#[derive(Clone, Debug, PartialEq)]
pub struct TextVectors {
    /// The unit vector of the text.
    pub text: Vec<f32>,
    /// For each part the sum of the vectors of its tokens, as they are in the text; zeros for a part without tokens.
    /// The sums over several texts add up.
    pub parts: Vec<Vec<f32>>,
}

/// Turns text into unit vectors.
pub trait Embedder: Send + Sync {
    /// Identifies the model and its files: embedders with the same id compute the same vectors.
    fn id(&self) -> &str;
    /// Dimension of the vectors.
    fn dimension(&self) -> usize;
    /// Cuts `text` into windows such that `prefix` and a window together fit the model. Windows are byte ranges of
    /// `text`, in order; they end at sentence ends if possible, and together cover every sentence. `sentences` are
    /// spans of `text`.
    ///
    /// # Errors
    /// When the tokenizer fails.
    fn windows(&self, prefix: &str, text: &str, sentences: &[Span]) -> Result<Vec<Span>, ModelError>;
    /// Unit vectors of the texts, in the same order; empty for a text that the model refuses. `done` is called with the
    /// number of texts finished since its last call.
    ///
    /// # Errors
    /// When the model fails, or a text does not fit it.
    fn embed(&self, texts: &[String], done: &(dyn Fn(usize) + Sync)) -> Result<Vec<Vec<f32>>, ModelError>;
    /// Why [`Self::embed`] refused this text, with what to do.
    fn refused(&self, _text: &str) -> Option<String> {
        None
    }
    /// As [`Self::embed`], and in the same pass the vectors of parts of the texts.
    ///
    /// # Errors
    /// As [`Self::embed`], and when the model gives no vectors of single tokens.
    fn embed_parts(
        &self,
        texts: &[TextParts],
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<TextVectors>, ModelError>;
    /// Whether the model has a token for the whole word: then the word is common where the model was trained, and
    /// hardly a misspelling. A model that cannot tell knows no word.
    fn knows(&self, _word: &str) -> bool {
        false
    }
    /// The unit vector of a question. A question too long for the model is embedded in windows and averaged.
    ///
    /// # Errors
    /// When the model fails.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, ModelError>;
}

/// Scores pairs of texts together: cross-encoders.
pub trait PairScorer: Send + Sync {
    /// Names the model and its files.
    fn id(&self) -> &str;
    /// One raw score for each pair, higher is more related; unbounded.
    ///
    /// # Errors
    /// When the model fails.
    fn score(&self, pairs: &[(String, String)]) -> Result<Vec<f32>, ModelError>;
}

/// What a [`Reader`] says of a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The logit of the probability that the sentence answers, unbounded.
    pub sentence: f32,
    /// The same of all sentences that were read in one pass with it.
    pub window: f32,
}

/// What a [`Reader`] reads together: sentences of one passage, of which some may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadPassage {
    /// The title of the paper; may be empty.
    pub title: String,
    /// The sentences, in their order.
    pub sentences: Vec<String>,
}

/// Reads a question together with passages.
pub trait Reader: Send + Sync {
    /// Names the model and its files.
    fn id(&self) -> &str;
    /// What it says of each sentence of each passage. The sentences of a passage that fit are read in one pass, and what is
    /// said of one depends on the others.
    ///
    /// # Errors
    /// When the model fails.
    fn read(&self, question: &str, passages: &[ReadPassage]) -> Result<Vec<Vec<Reading>>, ModelError>;
}

/// How far a passage supports a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    /// Probability that the passage supports the whole claim, 0 to 1.
    pub score: f32,
    /// Probability that the passage says the opposite of the claim, or of a part of it, 0 to 1.
    pub contradiction: f32,
    /// Whether the claim repeats the passage without its hedge: "is" instead of "may be".
    pub hedge_dropped: bool,
    /// What is missing or contradicted, for people.
    pub reasons: Vec<String>,
}

/// Why there is no word on support.
#[derive(Debug, thiserror::Error)]
pub enum SupportError {
    /// The method cannot compare the two.
    #[error("{0}")]
    NotApplicable(String),
    /// The model behind the method failed.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Judges support.
pub trait SupportScorer: Send + Sync {
    /// Names the method and its version.
    fn id(&self) -> &str;
    /// How far `passage` supports `claim`.
    ///
    /// # Errors
    /// When the method does not apply to the two, as to texts in different languages, or its model fails.
    fn support(&self, claim: &str, passage: &str) -> Result<Support, SupportError>;
    /// The probability that a response is supported whose claims have these probabilities; 0 without a claim. By default
    /// that of the least supported one.
    fn response(&self, claims: &[f32]) -> f32 {
        claims.iter().copied().reduce(f32::min).unwrap_or(0.0)
    }
}

/// Answers questions. Evaluation uses the pipeline only through this trait.
pub trait Answerer: Send + Sync {
    /// Answers one question in one mode and returns its record, without logging it; or why there is no answer, whether
    /// a retry can help, and what it cost.
    fn answer<'a>(&'a self, query: &'a str, mode: Mode) -> BoxFuture<'a, Result<RunRecord, AnswerFailure>>;
}

/// A running task that a [`Reporter`] shows. Dropping it ends the task.
pub trait Task: Send + Sync {
    /// `n` more units are done.
    fn advance(&self, n: u64);
    /// The task is now estimated to have `total` units.
    fn estimate(&self, _total: u64) {}
    /// What is being worked on.
    fn item(&self, name: &str);
}

/// Shows progress. Libraries report; only the binary draws.
pub trait Reporter: Send + Sync {
    /// Starts a task of `total` units, if known.
    fn task(&self, name: &str, unit: &str, total: Option<u64>) -> Box<dyn Task>;
    /// Something the user should see now.
    fn warn(&self, message: &str);
    /// Where a file stands: `reading`, with the page and all its pages, `read`, with its pages, `embedding` and `embedded`, with its
    /// texts, or `failed`.
    fn file(&self, _path: &Path, _stage: &str, _count: u64, _of: Option<u64>) {}
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Task for Silent {
    fn advance(&self, _n: u64) {}
    fn item(&self, _name: &str) {}
}
impl Reporter for Silent {
    fn task(&self, _name: &str, _unit: &str, _total: Option<u64>) -> Box<dyn Task> {
        Box::new(Silent)
    }
    fn warn(&self, _message: &str) {}
}
