//! The vocabulary that every stage of the pipeline shares.
//!
//! A [`Document`] is cut into [`Chunk`]s; retrieval turns a question into [`Hit`]s; reranking and
//! expansion turn hits into a [`Context`]; a generator turns a context into a [`RagResponse`]; everything
//! that happened to one question is a [`RunRecord`]. Stages know each other only through these types and
//! through the traits of [`traits`].
//!
//! Units and ranges, everywhere: pages are 1-based; spans are UTF-8 byte offsets, half-open;
//! [`Hit::vector_score`] is `max(0, cosine)` in `0..=1`; [`Hit::bm25_score`] is the raw BM25 sum, at
//! least 0 and unbounded; rerank scores lie in `0..=10`; probabilities in `0..=1`.
//!
//! This crate does no I/O except in [`files`], loads no model, and holds no algorithm beyond what names a value
//! ([`digest`]), writes it as text ([`path_text`], [`csv`], [`words`]), keeps it valid, or asks a model once more when its
//! reply is not valid ([`ask`](ask())).

extern crate self as types; // as the code that `Explain` generates names this crate

mod answer;
mod ask;
mod boxed;
mod chat;
mod chunk;
mod claim;
pub mod csv;
pub mod digest;
mod document;
mod evaluate;
mod explain;
mod explanation;
mod failure;
pub mod files;
mod filter;
mod generator;
mod ids;
pub mod journal;
mod locked;
mod mode;
mod passage;
pub mod path_text;
mod price;
mod printed;
mod problem;
mod prompt;
mod question;
pub mod ranges;
mod record;
pub mod run_log;
pub mod sealed;
mod search;
mod section;
mod source_entry;
mod span;
mod stop;
mod store;
mod store_writer;
mod table;
pub mod traits;
mod understood;
mod usage;
pub mod vector;
pub mod words;
pub mod written;

/// Name of the file that marks a folder as an index: such a folder is never read as papers, and only such a folder is
/// written as an index.
pub const INDEX_MARKER: &str = "PIPELINE_INDEX";

pub use self::explain::{ErrorParts, Explain};
/// Implements [`Explain`](trait@Explain) from the messages of an enum of errors.
pub use ::explain::Explain;
pub use answer::{AnswerOutcome, Citation, Confidence, RagResponse, Refusal, RefusalReason, SchemaViolation};
pub use ask::{Unanswered, ask};
pub use boxed::{BoxError, BoxFuture};
pub use chat::{ChatModel, ChatReply, ChatRequest, JsonSchema, PROMPT_CUT};
pub use chunk::{Chunk, SentenceSpan};
pub use claim::{CheckedClaim, ClaimVerdict};
pub use document::{Block, BlockKind, Document, Section, SourceMeta, surname};
pub use evaluate::{EvaluateLimits, EvaluateWeights};
pub use explanation::{ChunkField, Explanation, FieldMatch, ListScore, TermMatch, TermWeight, WindowMatch};
pub use failure::{AnswerFailure, ChatError, ChatFailure, FailureKind};
pub use filter::Filter;
pub use generator::{Evidence, Generated, GenerationFailure, GenerationInput, Generator};
pub use ids::{ChunkId, SourceId};
pub use locked::locked;
pub use mode::{Mode, ParseModeError};
pub use passage::{Passage, SentenceData, TermStatistics, idf};
pub use price::Price;
pub use printed::{PageNumbers, Printed};
pub use problem::Problem;
pub use prompt::Prompt;
pub use question::{
    ComparedPaper, MAX_ANSWER_CHARS, MAX_PASSAGE_CHARS, MAX_QUESTION_CHARS, NamedSource, OtherForm, Question,
    QuestionEntity, QuestionKind, QuestionTerm, QuestionWord, StudyItem, check_chars, metadata_text,
};
pub use ranges::OutOfRange;
pub use record::{
    ContextRecord, FurtherSearch, GuardrailAction, GuardrailKind, ResponseRecord, RetrievalRecord,
    ReturnedChunk, RunRecord, TEXT_PREVIEW_CHARS,
};
pub use search::{Context, ContextChunk, Hit, Origin, Ranked, RankedSentence, Ranking, Retrieval, Scope};
pub use section::{ParseSectionError, SectionKind};
pub use source_entry::{SourceEntry, StoredSource};
pub use span::Span;
pub use stop::{Stop, StopWhenDropped};
pub use store::{
    ChunkQuery, ChunkScores, DenseList, Detail, LexicalList, LexicalQuery, MetadataWords, NoVocabulary,
    QueryTerm, RetrievalOutcome, RetrievalPlan, ScoreQuery, Scored, SourceQuery, Store, StoreError,
    StoreFuture, StoreInfo, TermScore, Tokenizer, Vocabulary,
};
pub use store_writer::{
    Compacted, Damage, HeldSource, Holdings, MadeBy, ManagedStore, NewVersion, Part, Removed, StoreUsage,
    StoreWriter, Verified, present_path,
};
pub use table::{TableRow, table_head};
pub use traits::{
    Answerer, Embedder, ModelError, PairScorer, ReadPassage, Reader, Reading, Reporter, Silent, Support,
    SupportError, SupportScorer, Task, TextParts, TextVectors,
};
pub use understood::{Abbreviated, Abbreviation, FilterKind, Neighbour, Spelling, TakenFilter, Understood};
pub use usage::{Spent, Usage};
