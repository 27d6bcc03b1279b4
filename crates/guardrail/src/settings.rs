//! What the guardrails hold a response to.

use serde::{Deserialize, Serialize};
use types::ranges::{OutOfRange, Ranges, positive, share};

/// How a citation is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// The quote must stand in the chunk; the chunk id is repaired where it stands in another one.
    Quote,
    /// Only the chunk id is looked at, and completed where exactly one id of the context has the same end:
    /// what the earlier system did. Quotes are neither verified nor cut.
    #[serde(rename = "id")]
    IdOnly,
}

/// What to do with an answer without any citation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Uncited {
    /// Show it, with low confidence and a caveat. Its citation precision is 0.
    Flag,
    /// Withhold it, and say so.
    Refuse,
}

/// Which chunk an id means that is written in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SuffixMatch {
    /// The only chunk whose id has that end.
    Unique,
    /// The first chunk whose id ends so, even when there are several: what the earlier system did.
    First,
}

/// What to do with a refusal that cites evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCitations {
    /// It becomes a partial answer.
    Hedge,
    /// Both stay, as in the earlier system. [`types::RagResponse::validate`] then fails.
    Keep,
}

/// How it is decided whether a question is answered at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TopicRule {
    /// The estimated probabilities that the papers, and that the best sentences, answer the question.
    Probability,
    /// Enough words of the question occur in the context: what the earlier system did. Answer or refusal, nothing
    /// between.
    Keywords,
}

/// Settings of [`verify`](crate::verify), part of the section `[guardrail]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct GuardrailSettings {
    /// How citations are verified.
    #[serde(rename = "citations")]
    pub verification: Verification,
    /// Which chunk an id means that is written in part; with [`Verification::IdOnly`].
    pub suffix_match: SuffixMatch,
    /// What to do with a refusal that cites evidence.
    pub refusal_citations: RefusalCitations,
    /// Words of a quote at most; a longer one is cut to its best window and flagged.
    pub max_quote_words: usize,
    /// What to do with an answer without any citation.
    pub uncited: Uncited,
    /// Whether entities are checked.
    #[serde(rename = "entities")]
    pub entity_check: bool,
    /// Share of the answer's words, `0..=1`, that must survive for ungrounded sentences to be stripped;
    /// where less would survive they stay, flagged.
    pub min_survival: f32,
    /// Whether each sentence is compared with the passages that it cites: flagged where they do not support it.
    /// A verbatim answer needs no such check.
    #[serde(rename = "support")]
    pub support_check: bool,
    /// Probability of support, `0..=1`, below which a sentence is removed with those that depend on it, where enough of
    /// the answer is left. 0: sentences are only flagged.
    pub remove_below: f32,
    /// Whether confidence is lowered to what is left: high needs two cited chunks, an answer without
    /// citations or with flagged entities is low.
    pub check_confidence: bool,
    /// Whether high confidence becomes medium when a citation was dropped, or a sentence stripped or flagged.
    pub removal_lowers_confidence: bool,
}

impl Default for GuardrailSettings {
    /// The values of `configs/default.toml`; a test of the settings compares them.
    fn default() -> Self {
        Self {
            verification: Verification::Quote,
            suffix_match: SuffixMatch::Unique,
            refusal_citations: RefusalCitations::Hedge,
            max_quote_words: 40,
            uncited: Uncited::Refuse,
            entity_check: true,
            min_survival: 0.3,
            support_check: true,
            remove_below: 0.1,
            check_confidence: true,
            removal_lowers_confidence: false,
        }
    }
}

impl Ranges for GuardrailSettings {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        share("min_survival", self.min_survival)?;
        share("remove_below", self.remove_below)?;
        positive("max_quote_words", self.max_quote_words)
    }
}

/// Cut-offs of [`judge`](crate::judge), each in `0..=1`; part of the section `[guardrail]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicSettings {
    /// How it is decided.
    #[serde(rename = "topic_rule")]
    pub rule: TopicRule,
    /// Probability that the papers answer below which a question is refused; with [`TopicRule::Probability`].
    pub refuse_below: f32,
    /// Probability that the best sentences answer below which the answer is partial.
    pub partial_below: f32,
    /// Whether a question that names only papers that are not in the index is refused.
    pub refuse_unknown_sources: bool,
    /// Whether a question about a symbol or name that no paper mentions is refused. Otherwise its
    /// answer is partial: papers may write out what the question abbreviates.
    pub refuse_absent_entities: bool,
}

impl Default for TopicSettings {
    /// The values of `configs/default.toml`; a test of the settings compares them.
    fn default() -> Self {
        Self {
            rule: TopicRule::Probability,
            refuse_below: 0.45,
            partial_below: 0.5,
            refuse_unknown_sources: true,
            refuse_absent_entities: true,
        }
    }
}

impl Ranges for TopicSettings {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        share("refuse_below", self.refuse_below)?;
        share("partial_below", self.partial_below)
    }
}
