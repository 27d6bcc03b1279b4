//! Settings of the generators.

use serde::{Deserialize, Serialize};
use types::ranges::{OutOfRange, Ranges, positive, share, within};

/// Sentences of a ranking that are looked at: picking a few does not need more.
pub(crate) const POOL: usize = 64;

/// Settings of the extractive generator, part of the section `[generate]`. Probabilities are those of the ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtractiveSettings {
    /// Maximum number of sentences in an answer; at least 1.
    pub max_sentences: usize,
    /// The same when the question asks several papers; at least 1.
    pub max_sentences_across: usize,
    /// Sentences are added until one of them answers with this probability, 0 to 1.
    pub enough: f32,
    /// A sentence that answers with this probability by itself is added in any case, 0 to 1.
    pub likely: f32,
    /// Probability from which the confidence of an answer is high, 0 to 1.
    pub high_confidence: f32,
}

impl Default for ExtractiveSettings {
    /// The values of `configs/default.toml`; a test of the settings compares them.
    fn default() -> Self {
        Self {
            max_sentences: 3,
            max_sentences_across: 5,
            enough: 0.9,
            likely: 0.5,
            high_confidence: 0.8,
        }
    }
}

impl Ranges for ExtractiveSettings {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        positive("max_sentences", self.max_sentences)?;
        positive("max_sentences_across", self.max_sentences_across)?;
        share("enough", self.enough)?;
        share("likely", self.likely)?;
        share("high_confidence", self.high_confidence)
    }
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
    /// The values of `configs/default.toml`; a test of the settings compares them.
    fn default() -> Self {
        Self {
            max_context_chars: 60_000,
            max_tokens: Some(2_000),
            accept_refusal_citations: false,
        }
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
            max_sentences_shown: 12,
            max_tokens: Some(300),
            high_confidence: ExtractiveSettings::default().high_confidence,
        }
    }
}

impl Ranges for SelectSettings {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        within("max_sentences_shown", self.max_sentences_shown, &(1..=POOL))?;
        if let Some(max_tokens) = self.max_tokens {
            positive("max_tokens", max_tokens)?;
        }
        share("high_confidence", self.high_confidence)
    }
}
