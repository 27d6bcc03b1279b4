//! Settings of the two generators.

use serde::{Deserialize, Serialize};
use types::ranges::{OutOfRange, Ranges, positive, share};

/// Settings of the extractive generator, part of the section `[generate]`. Numbers out of range are
/// clamped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtractiveSettings {
    /// Maximum number of sentences in an answer; at least 1.
    pub max_sentences: usize,
    /// Weight of relevance against novelty when sentences are picked (MMR), 0 to 1; 1 uses relevance alone.
    pub mmr_lambda: f32,
    /// Minimum relevance of a sentence, 0 to 1.
    pub min_relevance: f32,
    /// Minimum relevance of a sentence as a fraction of the best sentence's relevance, 0 to 1.
    pub relative_relevance: f32,
    /// Minimum relevance of a sentence that counts as explicit evidence, 0 to 1; confidence depends on those.
    pub explicit_relevance: f32,
    /// Weight of term coverage in the relevance of a sentence, 0 to 1; cosine has the rest. 1 without vectors.
    pub lexical_weight: f32,
    /// Part of its relevance that a sentence loses in a chunk of rerank score 0, 0 to 1; none is lost at 10.
    pub chunk_weight: f32,
    /// Penalty for a further sentence of an already chosen source when sentences are picked, 0 to 1.
    pub source_penalty: f32,
    /// Sentences of fewer words are never used. Not a setting of the pipeline.
    #[serde(skip, default = "min_words")]
    pub min_words: usize,
    /// Sentences of more words are never used: they are tables or columns read as prose. Not a setting of the
    /// pipeline.
    #[serde(skip, default = "max_words")]
    pub max_words: usize,
}

fn min_words() -> usize {
    5
}

fn max_words() -> usize {
    100
}

impl Default for ExtractiveSettings {
    /// The values of `configs/default.toml`; a test of the settings compares them.
    fn default() -> Self {
        Self {
            max_sentences: 5,
            mmr_lambda: 0.7,
            min_relevance: 0.3,
            relative_relevance: 0.7,
            explicit_relevance: 0.5,
            lexical_weight: 0.35,
            chunk_weight: 0.2,
            source_penalty: 0.15,
            min_words: min_words(),
            max_words: max_words(),
        }
    }
}

impl Ranges for ExtractiveSettings {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        positive("max_sentences", self.max_sentences)?;
        share("mmr_lambda", self.mmr_lambda)?;
        share("min_relevance", self.min_relevance)?;
        share("relative_relevance", self.relative_relevance)?;
        share("explicit_relevance", self.explicit_relevance)?;
        share("source_penalty", self.source_penalty)?;
        share("lexical_weight", self.lexical_weight)?;
        share("chunk_weight", self.chunk_weight)?;
        if self.lexical_weight + self.chunk_weight > 1.0 {
            return Err(OutOfRange::new(
                "chunk_weight",
                self.chunk_weight,
                "at most 1 together with generate.lexical_weight",
            ));
        }
        Ok(())
    }
}

/// Settings of the generator that asks a language model.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The values of `configs/default.toml`; a test of the settings compares them.
    fn default() -> Self {
        Self {
            max_context_chars: 60_000,
            max_tokens: Some(2_000),
            accept_refusal_citations: false,
        }
    }
}
