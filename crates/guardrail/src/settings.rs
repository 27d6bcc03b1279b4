//! What the guardrails hold a response to.

use serde::{Deserialize, Serialize};

/// How a citation is verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// The quote must stand in the chunk; the chunk id is repaired where it stands in another one.
    #[default]
    Quote,
    /// Only the chunk id is looked at, and completed where exactly one id of the context has the same end:
    /// what the earlier system did. Quotes are neither verified nor cut.
    IdOnly,
}

/// What to do with an answer without any citation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Uncited {
    /// Show it, with low confidence and a caveat. Its citation precision is 0.
    #[default]
    Flag,
    /// Withhold it, and say so.
    Refuse,
}

/// Which chunk an id means that is written in part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SuffixMatch {
    /// The only chunk whose id has that end.
    #[default]
    Unique,
    /// The first chunk whose id ends so, even when there are several: what the earlier system did.
    First,
}

/// What to do with a refusal that cites evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCitations {
    /// It becomes a partial answer.
    #[default]
    Hedge,
    /// Both stay, as in the earlier system. [`types::RagResponse::validate`] then fails.
    Keep,
}

/// How it is decided whether a question is answered at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TopicRule {
    /// Coverage of the question's terms and similarity, each with two cut-offs.
    #[default]
    Evidence,
    /// Enough words of the question occur in the context: what the earlier system did. Answer or refusal, nothing
    /// between.
    Keywords,
}

/// Settings of [`verify`](crate::verify).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct GuardrailSettings {
    /// How citations are verified.
    pub verification: Verification,
    /// Words of a quote at most; a longer one is cut to its best window and flagged.
    pub max_quote_words: usize,
    /// What to do with an answer without any citation.
    pub uncited: Uncited,
    /// Whether entities are checked.
    pub entity_check: bool,
    /// Share of the answer's words, `0..=1`, that must survive for ungrounded sentences to be stripped;
    /// where less would survive they stay, flagged.
    pub min_survival: f32,
    /// Whether each sentence is compared with the passages that it cites: flagged where they do not support it.
    /// Off by default: a verbatim answer needs no such check.
    pub support_check: bool,
    /// Whether confidence is lowered to what is left: high needs two cited chunks, an answer without
    /// citations or with flagged entities is low.
    pub check_confidence: bool,
    /// Which chunk an id means that is written in part; with [`Verification::IdOnly`].
    pub suffix_match: SuffixMatch,
    /// What to do with a refusal that cites evidence.
    pub refusal_citations: RefusalCitations,
    /// Whether high confidence becomes medium when a citation was dropped, or a sentence stripped or flagged.
    pub removal_lowers_confidence: bool,
}

impl Default for GuardrailSettings {
    fn default() -> Self {
        Self {
            verification: Verification::Quote,
            max_quote_words: 40,
            uncited: Uncited::Flag,
            entity_check: true,
            min_survival: 0.3,
            support_check: false,
            check_confidence: true,
            suffix_match: SuffixMatch::Unique,
            refusal_citations: RefusalCitations::Hedge,
            removal_lowers_confidence: false,
        }
    }
}

/// Cut-offs of [`judge`](crate::judge), each in `0..=1`.
///
/// Below the first cut-off a feature speaks against the question, from the second on for it, between the
/// two it leaves the matter open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TopicSettings {
    /// Coverage below which the question's terms count as missing.
    pub coverage_refuse: f32,
    /// Coverage from which they count as present.
    pub coverage_answer: f32,
    /// Similarity of the best sentence below which nothing counts as similar.
    pub similarity_refuse: f32,
    /// Similarity from which something does.
    pub similarity_answer: f32,
    /// Whether a question about a symbol or name that no paper mentions is refused. Otherwise its
    /// answer is partial: papers may write out what the question abbreviates.
    pub refuse_absent_entities: bool,
    /// Whether a question that names only papers that are not in the index is refused.
    pub refuse_unknown_sources: bool,
    /// How it is decided; the fields above belong to [`TopicRule::Evidence`].
    pub rule: TopicRule,
}

impl Default for TopicSettings {
    fn default() -> Self {
        Self {
            coverage_refuse: 0.5,
            coverage_answer: 0.75,
            similarity_refuse: 0.4,
            similarity_answer: 0.55,
            refuse_absent_entities: false,
            refuse_unknown_sources: true,
            rule: TopicRule::Evidence,
        }
    }
}
