//! How far one gold quote came on the way from the candidates to the answer, and where it was lost.

use serde::{Deserialize, Serialize};
use types::SourceId;

/// A gold quote of a question, and which stages still had it. Its rank among the candidates is in [`crate::Row::gold_ranks`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldPath {
    /// The paper.
    pub source_id: SourceId,
    /// The passage.
    pub quote: String,
    /// Whether a chunk that the reranker kept held it; `None` where the context was not logged, as the next.
    pub reranked: Option<bool>,
    /// Whether the context held it: the chunks that were kept, and their neighbours.
    pub in_context: Option<bool>,
    /// Whether the answer shows it. A refusal shows nothing.
    pub in_answer: bool,
}

/// The stage that lost a gold quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lost {
    /// No candidate holds it.
    Retrieval,
    /// A candidate holds it, but the reranker did not keep that candidate.
    Reranking,
    /// The reranker kept a chunk that holds it, but the context does not.
    Context,
    /// It is in the context, and the answer does not show it.
    Answer,
    /// It is not in the context, and the log does not say which stage lost it.
    BeforeContext,
    /// The answer does not show it, and the context was not logged.
    Unknown,
}

impl Lost {
    /// The stage alone, after "lost".
    pub fn stage(self) -> &'static str {
        match self {
            Self::Retrieval => "in retrieval",
            Self::Reranking => "in reranking",
            Self::Context => "on the way into the context",
            Self::Answer => "in the answer",
            Self::BeforeContext => "before the context",
            Self::Unknown => "at an unknown stage",
        }
    }

    /// In words, after "lost".
    pub fn place(self) -> &'static str {
        match self {
            Self::Retrieval => "in retrieval: no candidate holds it",
            Self::Reranking => "in reranking: a candidate holds it and was not kept",
            Self::Context => "on the way into the context: a chunk that was kept holds it",
            Self::Answer => "in the answer: the context holds it",
            Self::BeforeContext => "before the context",
            Self::Unknown => "at an unknown stage: the context was not logged",
        }
    }
}

impl GoldPath {
    /// Where it was lost; `None` if the answer shows it. `rank` is its entry of [`crate::Row::gold_ranks`], if there is one.
    pub fn lost(&self, rank: Option<Option<usize>>) -> Option<Lost> {
        if self.in_answer {
            return None;
        }
        Some(match (self.in_context, self.reranked, rank) {
            (Some(true), _, _) => Lost::Answer,
            (Some(false), Some(true), _) => Lost::Context,
            (Some(false), _, Some(Some(_))) => Lost::Reranking,
            (Some(false), _, Some(None)) => Lost::Retrieval,
            (Some(false), _, None) => Lost::BeforeContext,
            (None, ..) => Lost::Unknown,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(reranked: Option<bool>, in_context: Option<bool>, in_answer: bool) -> GoldPath {
        GoldPath {
            source_id: "a".into(),
            quote: "q".into(),
            reranked,
            in_context,
            in_answer,
        }
    }

    #[test]
    fn the_stage_that_lost_a_quote() {
        let (yes, no) = (Some(true), Some(false));
        let check = |reranked, in_context, in_answer, rank, want| {
            let found = path(reranked, in_context, in_answer).lost(rank);
            assert_eq!(found, want, "{reranked:?} {in_context:?} {in_answer} {rank:?}");
        };
        check(yes, yes, true, Some(Some(1)), None);
        check(yes, yes, false, Some(Some(1)), Some(Lost::Answer));
        // A neighbour of a kept chunk holds it, although no candidate does.
        check(no, yes, false, Some(None), Some(Lost::Answer));
        check(yes, no, false, Some(Some(1)), Some(Lost::Context));
        check(no, no, false, Some(Some(9)), Some(Lost::Reranking));
        check(no, no, false, Some(None), Some(Lost::Retrieval));
        check(no, no, false, None, Some(Lost::BeforeContext));
        check(None, None, false, Some(None), Some(Lost::Unknown));
    }
}
