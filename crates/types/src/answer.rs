//! The structured answer.

use crate::{ChunkId, SectionKind, SourceId};
use serde::{Deserialize, Serialize};

/// How far the evidence carries the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Thin or inferential evidence.
    #[default]
    Low,
    /// Partial evidence, or one chunk.
    Medium,
    /// Several explicit chunks.
    High,
}

impl Confidence {
    /// The word as printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// The evidence for a claim: a verbatim quote in a named place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
}

/// An answer. The answer's text carries inline marks `(source_id, chunk_id)` behind each claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RagResponse {
    /// The text; for a refusal, the sentence that says so.
    pub answer: String,
    /// Evidence, one entry for each chunk and quote; empty for a refusal.
    pub citations: Vec<Citation>,
    /// How far the evidence carries.
    pub confidence: Confidence,
    /// A sentence on the kind and strength of the evidence.
    pub evidence_quality: String,
    /// The corpus does not say. With citations this is a schema violation.
    pub no_evidence: bool,
    /// What the reader should know: repairs, removals, limits.
    pub caveats: Vec<String>,
}

/// The three outcomes of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerOutcome {
    /// A cited answer.
    Answered,
    /// A hedged, cited answer of low confidence.
    Partial,
    /// The corpus does not say.
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
    /// A refusal that says why.
    pub fn refusal(answer: impl Into<String>, evidence_quality: impl Into<String>) -> Self {
        Self {
            answer: answer.into(),
            confidence: Confidence::Low,
            evidence_quality: evidence_quality.into(),
            no_evidence: true,
            ..Self::default()
        }
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
        let mut r = RagResponse::refusal("The corpus does not say.", "none");
        assert_eq!(r.validate(), Ok(()));
        assert_eq!(r.outcome(), AnswerOutcome::None);
        r.citations.push(Citation {
            source_id: "a".into(),
            chunk_id: "a__body__000".into(),
            relevant_quote: "q".into(),
            section: None,
            page_start: None,
            page_end: None,
        });
        assert_eq!(r.validate(), Err(SchemaViolation::RefusalWithCitations(1)));
        r.no_evidence = false;
        r.answer = " ".into();
        assert_eq!(r.validate(), Err(SchemaViolation::EmptyAnswer));
    }
}
