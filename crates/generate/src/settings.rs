//! Settings of the generators.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Sentences of a ranking that are looked at: picking a few does not need more.
pub(crate) const POOL: usize = 64;

/// Settings of the extractive generator, part of the section `[generate]`. Probabilities are those of the ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct ExtractiveSettings {
    /// Maximum number of sentences in an extractive answer; two more if the question is about several papers, such as
    /// "Which studies found …?". Passages of an unsure answer and comparisons of papers may have more.
    #[default(3)]
    #[schemars(range(min = 1), extend("main" = true))]
    pub max_sentences: usize,
    /// The same when the question asks several papers; at least 1.
    #[serde(skip)]
    #[default(5)]
    pub max_sentences_across: usize,
    /// Sentences are added until one of them answers with this probability, 0 to 1.
    #[serde(skip)]
    #[default(0.9)]
    pub enough: f32,
    /// A sentence that answers with this probability by itself is added in any case, 0 to 1.
    #[serde(skip)]
    #[default(0.5)]
    pub likely: f32,
    /// An extractive answer has high confidence if the probability that one of the three best sentences answers the
    /// question is at least this. Otherwise, the confidence is medium, or low for a partial answer
    /// (`guardrail.partial_below`).
    #[default(0.8)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub high_confidence: f32,
}

/// Settings of the generator that asks a language model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmGenerateSettings {
    /// Characters of all excerpts together, their headers included. The chunks with the highest scores are taken first;
    /// those that do not fit are left out, with a caveat that names them. A revision adds the earlier answer to this.
    pub max_context_chars: usize,
    /// Bound of the reply in the model's tokens; `None` leaves it to the client.
    pub max_tokens: Option<u32>,
    /// Whether a reply may be a refusal and cite passages, as in the earlier system. Otherwise it breaks the schema.
    pub accept_refusal_citations: bool,
}

impl Default for LlmGenerateSettings {
    fn default() -> Self {
        Self { max_context_chars: 60_000, max_tokens: Some(2_000), accept_refusal_citations: false }
    }
}

/// Settings of the generator that asks a language model to pick sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectSettings {
    /// Sentences that the model chooses from, the most likely ones; 1 to 64.
    pub max_sentences_shown: usize,
    /// Bound of the reply in the model's tokens, at least 1; `None` leaves it to the client.
    pub max_tokens: Option<u32>,
    /// Probability from which the confidence of an answer is high, 0 to 1: that of
    /// [`ExtractiveSettings::high_confidence`].
    pub high_confidence: f32,
}

impl Default for SelectSettings {
    fn default() -> Self {
        Self {
            max_sentences_shown: 36,
            max_tokens: Some(300),
            high_confidence: ExtractiveSettings::default().high_confidence,
        }
    }
}
