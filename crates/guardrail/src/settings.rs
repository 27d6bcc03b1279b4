//! What the guardrails hold a response to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// How a citation is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    /// The quote must stand in the chunk; the chunk id is repaired where it stands in another one.
    Quote,
    /// Only the chunk id is looked at, and completed where exactly one id of the context has the same end:
    /// what the earlier system did. Quotes are neither verified nor cut.
    IdOnly,
}

/// What to do with an answer without any citation, and with one that cites nothing but study protocols for a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncited {
    /// Show it, with low confidence and a caveat. Its citation precision is 0.
    Flag,
    /// Withhold it, and say so.
    Refuse,
}

/// Which chunk an id means that is written in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuffixMatch {
    /// The only chunk whose id has that end.
    Unique,
    /// The first chunk whose id ends so, even when there are several: what the earlier system did.
    First,
}

/// What to do with a refusal that cites evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalCitations {
    /// It becomes a partial answer.
    Hedge,
    /// Both stay, as in the earlier system. [`types::RagResponse::validate`] then fails.
    Keep,
}

/// How it is decided whether a question is answered at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopicRule {
    /// The estimated probabilities that the papers, and that the best sentences, answer the question.
    Probability,
    /// Enough words of the question occur in the context: what the earlier system did. Answer or refusal, nothing
    /// between.
    Keywords,
}

/// Settings of [`verify`](crate::verify), part of the section `[guardrail]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct GuardrailSettings {
    /// How citations are verified.
    #[serde(skip)]
    #[default(Verification::Quote)]
    pub verification: Verification,
    /// Which chunk an id means that is written in part; with [`Verification::IdOnly`].
    #[serde(skip)]
    #[default(SuffixMatch::Unique)]
    pub suffix_match: SuffixMatch,
    /// What to do with a refusal that cites evidence.
    #[serde(skip)]
    #[default(RefusalCitations::Hedge)]
    pub refusal_citations: RefusalCitations,
    /// Words of a quote at most; a longer one is cut to its best window and flagged.
    #[serde(skip)]
    #[default(40)]
    pub max_quote_words: usize,
    /// What to do with an answer without any citation.
    #[serde(skip)]
    #[default(Uncited::Refuse)]
    pub uncited: Uncited,
    /// Require that the numbers, symbols and names in the answer occur in the context, and addresses in what it cites (the
    /// entity check).
    #[serde(rename = "entities")]
    #[default(true)]
    pub entity_check: bool,
    /// Share of the answer's words, `0..=1`, that must survive for ungrounded sentences to be stripped;
    /// where less would survive they stay, flagged.
    #[serde(skip)]
    #[default(0.3)]
    pub min_survival: f32,
    /// Compare each sentence of a language model's answer with the passages that it cites (offline, the same check as
    /// `eval.judge = "lexical"`). If they do not support a sentence, it is flagged.
    #[serde(rename = "support")]
    #[default(true)]
    pub support_check: bool,
    /// Remove a sentence, and those that depend on it, if the estimated probability that the passages it cites support it
    /// is below this. 0: never.
    #[default(0.1)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub remove_below: f32,
    /// Whether what a language model says of a claim outweighs the offline check: what it finds supported is not flagged, and a
    /// sentence that it finds contradicted is removed.
    #[serde(skip)]
    pub trust_verdicts: bool,
    /// Whether confidence is lowered to what is left: high needs two cited chunks, an answer without
    /// citations or with flagged entities is low.
    #[serde(skip)]
    #[default(true)]
    pub check_confidence: bool,
    /// Whether high confidence becomes medium when a citation was dropped, or a sentence stripped or flagged.
    #[serde(skip)]
    pub removal_lowers_confidence: bool,
}

/// Cut-offs of [`judge`](crate::judge), each in `0..=1`; part of the section `[guardrail]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct TopicSettings {
    /// How it is decided.
    #[serde(skip)]
    #[default(TopicRule::Probability)]
    pub rule: TopicRule,
    /// Minimum probability that the papers answer. Below it, the question is refused, unless one sentence contains all its
    /// terms. `pipeline calibrate` chooses it from questions about your papers.
    #[default(0.4)]
    #[schemars(range(min = 0.0, max = 1.0), extend("main" = true))]
    pub refuse_below: f32,
    /// Minimum probability that one of the three best sentences answers. Below it, the two likeliest
    /// passages are shown, with low confidence.
    #[default(0.5)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub partial_below: f32,
    /// Whether a question that names only papers that are not in the index is refused.
    #[serde(skip)]
    #[default(true)]
    pub refuse_unknown_sources: bool,
    /// Whether a question about a symbol or name that no paper mentions is refused. Otherwise its
    /// answer is partial: papers may write out what the question abbreviates.
    #[serde(skip)]
    #[default(true)]
    pub refuse_absent_entities: bool,
}
