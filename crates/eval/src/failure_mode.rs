//! The names and definitions of the ways in which a row fails. The rules are in [`crate::failure_modes`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

/// A way in which a row fails.
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureMode {
    /// See [`FailureMode::definition`], as for all.
    RetrievalMiss,
    /// The reranker dropped it.
    RerankingMiss,
    /// The answer left it out.
    SelectionMiss,
    /// Refused with evidence at hand.
    RefusalDespiteEvidence,
    /// Answered what the papers do not answer.
    AnswerWithoutEvidence,
    /// A claim without support.
    UnsupportedClaim,
    /// An author from elsewhere.
    ForeignAttribution,
    /// A term that the entity check removed.
    EntityRemoved,
}

impl FailureMode {
    /// All, in the order of the stages of a question.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        self.into()
    }

    /// Its name for people.
    pub fn title(self) -> String {
        let words = self.key().replace('_', " ");
        words[..1].to_uppercase() + &words[1..]
    }

    /// The rule, for people: without a full stop.
    pub fn definition(self) -> &'static str {
        match self {
            Self::RetrievalMiss => "a gold quote is in no candidate and not in the context",
            Self::RerankingMiss => {
                "a gold quote is in a candidate, but not in the context: the reranker did not keep that candidate"
            }
            Self::SelectionMiss => {
                "the question is answered, and a gold quote is in the context but not in the answer"
            }
            Self::RefusalDespiteEvidence => {
                "an answerable question is refused, and a gold quote is in the context"
            }
            Self::AnswerWithoutEvidence => "a question that the papers do not answer is answered",
            Self::UnsupportedClaim => {
                "the judge finds a claim of the answer that no passage it cites supports"
            }
            Self::ForeignAttribution => {
                "the answer names an author (before \"et al.\" or a year in brackets) that neither the context nor the \
                 question names"
            }
            Self::EntityRemoved => {
                "the entity check removed a sentence, because a number, symbol, name or address in it is not in the context"
            }
        }
    }
}
