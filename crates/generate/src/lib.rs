//! Generation: a question and the context that retrieval chose become a cited answer.
//!
//! Place in the flow: after expansion and the topic check, before the guardrails. The result is the
//! generator's own response, a [`types::RagResponse`]; it is logged and scored as it is, beside the response after
//! guardrails.
//!
//! Three generators implement [`types::Generator`]:
//! - [`Extractive`] works offline: whole sentences of the context, verbatim, the most likely to answer the question,
//!   each with its citation. Its citations and quotes are correct by construction, so scores for them say nothing.
//! - [`LanguageModel`] calls a language model through [`types::ChatModel`], requires a reply that follows a JSON
//!   schema, and asks once more if the reply does not. It can revise its answer.
//! - [`SelectOnly`] is for small models: the model only picks sentences by number, and the answer is made of them as an
//!   extractive one is. If the reply cannot be used, the sentences are chosen offline, with a caveat.
//!
//! This crate does not search, does not verify citations or entities (the guardrails do), does not send
//! HTTP requests, and never adds to an answer what the context does not contain. Text from papers is data: it goes to
//! a model only inside delimited blocks that it cannot close.
//!
//! Units and ranges: similarities are cosines in `-1..=1` of which the negative part counts as 0; term
//! coverage and relevance lie in `0..=1`; quotes have at most [`QUOTE_WORDS`] words separated by white space.

mod ask;
mod draft;
mod extractive;
mod language_model;
mod prompts;
mod select_only;
mod settings;

pub use ask::GenerateError;
pub use draft::Draft;
pub use extractive::{Extractive, compose::citation, extractive};
pub use language_model::LanguageModel;
pub use select_only::SelectOnly;
pub use settings::{ExtractiveSettings, LlmGenerateSettings, SelectSettings};

/// Longest quote of a citation, in words.
pub const QUOTE_WORDS: usize = 40;

/// Version of the extractive method, as logged in place of a prompt's version.
pub const EXTRACTIVE_VERSION: &str = "extractive-4";

/// Version of the prompts of [`LanguageModel`], as logged. Any change of one of these files raises it: a test
/// compares the files with their fingerprint.
pub const PROMPT_VERSION: &str = "answer-4";

/// Version of the prompts and of the method of [`SelectOnly`], as logged. Any change of a file in `src/prompts` whose name
/// begins with `select` raises it: a test compares them with their fingerprint.
pub const SELECT_VERSION: &str = "select-2";

/// The first sentence of a refusal.
pub const REFUSAL: &str = "No answer found in your papers.";
