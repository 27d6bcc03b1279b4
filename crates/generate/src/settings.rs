//! Settings of the two generators.

use serde::{Deserialize, Serialize};

/// Settings of the extractive generator. Numbers out of range are taken as the nearest one in range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractiveSettings {
    /// Sentences of an answer at most; at least 1.
    pub max_sentences: usize,
    /// A sentence qualifies from this relevance on, 0 to 1.
    pub min_relevance: f32,
    /// A sentence qualifies from this part of the best sentence's relevance on, 0 to 1.
    pub relative_relevance: f32,
    /// A sentence is explicit evidence from this relevance on, 0 to 1: confidence counts those.
    pub explicit_relevance: f32,
    /// Part of term coverage in the relevance of a sentence, 0 to 1; cosine has the rest. 1 without vectors.
    pub lexical_weight: f32,
    /// Part of its relevance that a sentence loses in a chunk of rerank score 0, 0 to 1; none is lost at 10.
    pub chunk_weight: f32,
    /// Relevance against redundancy when sentences are picked, 0 to 1; 1 looks at relevance alone.
    pub mmr_lambda: f32,
    /// What another sentence of an already chosen source costs when sentences are picked, 0 to 1.
    pub source_penalty: f32,
    /// Sentences of fewer words are never used.
    pub min_words: usize,
    /// Sentences of more words are never used: they are tables or columns read as prose.
    pub max_words: usize,
}

impl Default for ExtractiveSettings {
    fn default() -> Self {
        Self {
            max_sentences: 5,
            min_relevance: 0.3,
            relative_relevance: 0.7,
            explicit_relevance: 0.5,
            lexical_weight: 0.35,
            chunk_weight: 0.2,
            mmr_lambda: 0.7,
            source_penalty: 0.15,
            min_words: 5,
            max_words: 100,
        }
    }
}

/// Settings of the generator that asks a language model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmGenerateSettings {
    /// Characters of all excerpts together, their headers included. Chunks that do not fit are left out from
    /// the end, with a caveat that names them.
    pub max_context_chars: usize,
    /// Bound of the reply in the model's tokens; `None` leaves it to the client.
    pub max_tokens: Option<u32>,
    /// Whether a reply may be a refusal and cite passages, as in the earlier system. Otherwise it breaks the schema.
    pub accept_refusal_citations: bool,
}

impl Default for LlmGenerateSettings {
    fn default() -> Self {
        Self {
            max_context_chars: 48_000,
            max_tokens: Some(2_000),
            accept_refusal_citations: false,
        }
    }
}
