//! The structured answer.

use crate::{ChunkId, SectionKind, SourceId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far the evidence carries the answer.
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Thin or inferential evidence, or a low estimated probability that it answers the question.
    #[default]
    Low,
    /// Partial evidence, one chunk, or a medium probability.
    Medium,
    /// Several explicit chunks, or a high probability.
    High,
}

impl Confidence {
    /// The word as printed.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The evidence for a claim: a verbatim quote in a named place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Citation {
    /// The paper.
    pub source_id: SourceId,
    /// The chunk.
    pub chunk_id: ChunkId,
    /// At most 40 words, a contiguous slice of the chunk's text.
    pub relevant_quote: String,
    /// Normalised section of the chunk; `None` until the chunk is known to exist.
    #[serde(default)]
    pub section: Option<SectionKind>,
    /// First page of the quote; `None` until verified.
    #[serde(default)]
    pub page_start: Option<u32>,
    /// Last page of the quote; `None` until verified.
    #[serde(default)]
    pub page_end: Option<u32>,
    /// Whether the quote begins inside a sentence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_start: bool,
    /// Whether the quote ends inside a sentence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_end: bool,
}

impl Citation {
    /// The quote on one line, with "…" at each end at which its sentence goes on: the form to show.
    pub fn shown_quote(&self) -> String {
        let cut = |cut: bool| cut.then_some("…");
        let words = self.relevant_quote.split_whitespace();
        let parts: Vec<&str> =
            (cut(self.cut_start).into_iter()).chain(words).chain(cut(self.cut_end)).collect();
        parts.join(" ")
    }
}

/// Why a question got no answer, for programs; the answer itself says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefusalReason {
    /// The search found nothing at all: the index is empty, or no word of the question stands in it.
    NoCandidates,
    /// No passage was similar enough to the question.
    BelowThreshold,
    /// The filter left no passage to search.
    FilterExcludedAll,
    /// The question is about the library, as "Which papers were published in 2020?", not about what papers say.
    AboutLibrary,
    /// The question names a paper that is not in the index.
    UnknownSource,
    /// The question names something that no paper mentions.
    AbsentTerm,
    /// The passages found lack the question's terms, and none is similar to it.
    LowCoverage,
    /// The question is not in the language of the papers, and nothing could be matched with it.
    OtherLanguage,
    /// The generator read the passages and found no answer in them.
    NotInPassages,
    /// The generator returned no text.
    EmptyAnswer,
    /// An answer was generated but not shown, because nothing that it cites could be verified.
    Withheld,
    /// A reason that this version does not know.
    #[serde(other)]
    Other,
}

/// Why a question got no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Refusal {
    /// For programs.
    pub reason: RefusalReason,
    /// For people: what was found or missing, without a full stop.
    pub detail: String,
}

/// An answer. The answer's text carries inline marks `(source_id, chunk_id)` behind each claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RagResponse {
    /// The text; for a refusal, the sentence that says so.
    pub answer: String,
    /// Evidence, one entry for each chunk and quote; empty for a refusal.
    pub citations: Vec<Citation>,
    /// How far the evidence carries.
    pub confidence: Confidence,
    /// The probability that the question is answered, 0 to 1, if it was estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f32>,
    /// A sentence on the kind and strength of the evidence.
    pub evidence_quality: String,
    /// The papers do not answer the question. With citations this is a schema violation.
    pub no_evidence: bool,
    /// What the reader should know: repairs, removals, limits.
    pub caveats: Vec<String>,
    /// Why there is no answer; `None` for an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

/// The three outcomes of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnswerOutcome {
    /// A cited answer.
    Answered,
    /// A hedged, cited answer of low confidence.
    Partial,
    /// The papers do not answer the question, or the answer was withheld.
    None,
}

/// A response that contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaViolation {
    /// `no_evidence` and citations at once.
    #[error("no_evidence is true but {0} citations are given")]
    RefusalWithCitations(usize),
    /// Neither text nor refusal.
    #[error("the answer is empty but no_evidence is false")]
    EmptyAnswer,
}

impl RagResponse {
    /// A refusal. [`Self::because`] adds the reason.
    pub fn refusal(answer: impl Into<String>, evidence_quality: impl Into<String>) -> Self {
        Self {
            answer: answer.into(),
            confidence: Confidence::Low,
            evidence_quality: evidence_quality.into(),
            no_evidence: true,
            ..Self::default()
        }
    }

    /// The same with the reason of the refusal.
    #[must_use]
    pub fn because(mut self, reason: RefusalReason, detail: impl Into<String>) -> Self {
        self.refusal = Some(Refusal { reason, detail: detail.into() });
        self
    }

    /// Which of the three outcomes this is.
    pub fn outcome(&self) -> AnswerOutcome {
        match (self.no_evidence, self.confidence) {
            (true, _) => AnswerOutcome::None,
            (false, Confidence::Low) => AnswerOutcome::Partial,
            (false, _) => AnswerOutcome::Answered,
        }
    }

    /// Checks what the schema promises beyond the types.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn validate(&self) -> Result<(), SchemaViolation> {
        if self.no_evidence && !self.citations.is_empty() {
            return Err(SchemaViolation::RefusalWithCitations(self.citations.len()));
        }
        if !self.no_evidence && self.answer.trim().is_empty() {
            return Err(SchemaViolation::EmptyAnswer);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_with_citations_is_a_violation() {
        let mut r = RagResponse::refusal("No answer found in your papers.", "none");
        assert_eq!(r.validate(), Ok(()));
        assert_eq!(r.outcome(), AnswerOutcome::None);
        r.citations.push(Citation {
            source_id: "a".into(),
            chunk_id: "a__body__000".into(),
            relevant_quote: "q".into(),
            ..Citation::default()
        });
        assert_eq!(r.validate(), Err(SchemaViolation::RefusalWithCitations(1)));
        r.no_evidence = false;
        r.answer = " ".into();
        assert_eq!(r.validate(), Err(SchemaViolation::EmptyAnswer));
    }

    #[test]
    fn a_cut_quote_shows_where_its_sentence_goes_on() {
        let check = |cut_start: bool, cut_end: bool, want: &str| {
            let citation = Citation {
                relevant_quote: "fell by\n5 mmHg".into(),
                cut_start,
                cut_end,
                ..Citation::default()
            };
            assert_eq!(citation.shown_quote(), want);
            let json = serde_json::to_string(&citation).expect("serialises");
            assert_eq!(json.contains("cut_start"), cut_start, "{json}");
            assert_eq!(serde_json::from_str::<Citation>(&json).expect("loads"), citation);
        };
        check(false, false, "fell by 5 mmHg");
        check(true, false, "… fell by 5 mmHg");
        check(false, true, "fell by 5 mmHg …");
        check(true, true, "… fell by 5 mmHg …");
    }

    #[test]
    fn refusals_say_why_to_programs() {
        let r =
            RagResponse::refusal("No.", "none").because(RefusalReason::FilterExcludedAll, "year from 2030");
        let json = serde_json::to_value(&r).expect("serialises");
        assert_eq!(json["refusal"]["reason"], "filter_excluded_all");
        let newer = r#"{"reason": "made_up_later", "detail": "d"}"#;
        let read: Refusal = serde_json::from_str(newer).expect("loads");
        assert_eq!(read.reason, RefusalReason::Other);
        let json = serde_json::to_value(RagResponse::default()).expect("serialises");
        assert!(json.get("refusal").is_none(), "an answer has none: {json}");
    }
}
