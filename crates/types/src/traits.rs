//! What stages ask of each other, so that they need not know each other.

use crate::{
    AnswerFailure, ChatFailure, ChatReply, ChatRequest, Chunk, ChunkId, Mode, RunRecord, SourceId,
    SourceMeta, Span,
};
use std::{error::Error, future::Future, pin::Pin, sync::Arc};

/// Any error that can cross threads.
pub type BoxError = Box<dyn Error + Send + Sync + 'static>;
/// A boxed future; dropping it cancels the work.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A native model failed.
#[derive(Debug, thiserror::Error)]
#[error("{model}: {reason}")]
pub struct ModelError {
    /// The model.
    pub model: String,
    /// What went wrong and what to do.
    pub reason: String,
}

/// Turns text into unit vectors.
pub trait Embedder: Send + Sync {
    /// Names the model and its files: two embedders with the same id give the same vectors.
    fn id(&self) -> &str;
    /// Length of a vector.
    fn dimension(&self) -> usize;
    /// Cuts `text` into windows such that `prefix` and a window together fit the model. Windows are bytes of
    /// `text`, in order, end at sentence ends where they can, and together cover every sentence: nothing is
    /// cut off. `sentences` are spans of `text`.
    ///
    /// # Errors
    /// When the tokenizer fails.
    fn windows(&self, prefix: &str, text: &str, sentences: &[Span]) -> Result<Vec<Span>, ModelError>;
    /// Unit vectors of the texts, in the same order. `done` is told of how many texts were finished since it
    /// was last called.
    ///
    /// # Errors
    /// When the model fails, or a text does not fit it.
    fn embed(&self, texts: &[String], done: &(dyn Fn(usize) + Sync)) -> Result<Vec<Vec<f32>>, ModelError>;
    /// The unit vector of a question. A question too long for the model is embedded in windows and averaged.
    ///
    /// # Errors
    /// When the model fails.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, ModelError>;
}

/// Scores pairs of texts together: cross-encoders, entailment models.
pub trait PairScorer: Send + Sync {
    /// Names the model and its files.
    fn id(&self) -> &str;
    /// One raw score for each pair, higher is more related; unbounded.
    ///
    /// # Errors
    /// When the model fails.
    fn score(&self, pairs: &[(String, String)]) -> Result<Vec<f32>, ModelError>;
}

/// A language model. Dropping the future cancels the request.
pub trait ChatModel: Send + Sync {
    /// The model's name.
    fn id(&self) -> &str;
    /// Asks once (retrying what can be retried) and returns the reply, or why there is none and what that cost.
    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>>;
}

/// The index could not be read while a question was answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct StoreError {
    /// The file, what is wrong with it, and what to do.
    pub reason: String,
}

impl StoreError {
    /// An error with this message.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}

/// What later stages may ask of an opened index. A failed read is an error: it must never look like a word that
/// the papers do not hold.
pub trait ChunkStore: Send + Sync {
    /// A chunk by id.
    fn chunk(&self, id: &ChunkId) -> Option<Arc<Chunk>>;
    /// Up to `reach` chunks on either side of `id` in the same source and section, in reading order, `id`
    /// itself left out.
    ///
    /// # Errors
    /// When the index cannot be read.
    fn neighbours(&self, id: &ChunkId, reach: usize) -> Result<Vec<Arc<Chunk>>, StoreError>;
    /// What is known of a source.
    fn source(&self, id: &SourceId) -> Option<Arc<SourceMeta>>;
    /// All sources, in the order of their ids.
    fn sources(&self) -> Vec<Arc<SourceMeta>>;
    /// Cosine of the unit vector `query` with each sentence of `chunk`, in order, in `-1..=1`, from the stored
    /// sentence vectors.
    fn sentence_similarities(&self, chunk: &Chunk, query: &[f32]) -> Vec<f32>;
    /// The stored vector of a sentence of a source, scaled back to unit length.
    fn sentence_vector(&self, source: &SourceId, number: u32) -> Option<Vec<f32>>;
    /// Inverse document frequency of a stem (as `text::terms` makes it) over chunks,
    /// `ln(1 + (N - n + 0.5) / (n + 0.5))`, with the number `n` of chunks that hold it.
    ///
    /// # Errors
    /// When the index cannot be read.
    fn idf(&self, stem: &str) -> Result<(f32, usize), StoreError>;
}

/// How far a passage supports a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    /// Probability that the passage supports the whole claim, 0 to 1.
    pub score: f32,
    /// What is missing or contradicted, for people.
    pub reasons: Vec<String>,
}

/// Judges support.
pub trait SupportScorer: Send + Sync {
    /// Names the method and its version.
    fn id(&self) -> &str;
    /// How far `passage` supports `claim`.
    fn support(&self, claim: &str, passage: &str) -> Support;
}

/// Answers questions: all that evaluation knows of the pipeline.
pub trait Answerer: Send + Sync {
    /// Answers one question in one mode and returns the whole record of it, not yet logged; or why there is no
    /// answer, whether asking again can help, and what it cost.
    fn answer<'a>(&'a self, query: &'a str, mode: Mode) -> BoxFuture<'a, Result<RunRecord, AnswerFailure>>;
}

/// A running task that a [`Reporter`] shows. Dropping it ends the task.
pub trait Task: Send + Sync {
    /// `n` more units are done.
    fn advance(&self, n: u64);
    /// The task is now thought to have `total` units.
    fn estimate(&self, _total: u64) {}
    /// What is being worked on.
    fn item(&self, name: &str);
}

/// Shows progress. Libraries report; only the binary draws.
pub trait Reporter: Send + Sync {
    /// Starts a task of `total` units, where known.
    fn task(&self, name: &str, unit: &str, total: Option<u64>) -> Box<dyn Task>;
    /// Something the user should see now.
    fn warn(&self, message: &str);
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
