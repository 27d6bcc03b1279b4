//! The ways in which a row fails. Each is a rule over what the row holds, with its definition beside it: nobody labels
//! rows by hand, and the same row always has the same labels. A row can have several.

mod authors;

pub(crate) use authors::foreign_authors;

use crate::{LostAt, Ordered, Row};
use serde::{Deserialize, Serialize};
use types::{GuardrailAction, GuardrailKind};

/// A way in which a row fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    pub const ALL: [Self; 8] = [
        Self::RetrievalMiss,
        Self::RerankingMiss,
        Self::SelectionMiss,
        Self::RefusalDespiteEvidence,
        Self::AnswerWithoutEvidence,
        Self::UnsupportedClaim,
        Self::ForeignAttribution,
        Self::EntityRemoved,
    ];

    /// Its name in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::RetrievalMiss => "retrieval_miss",
            Self::RerankingMiss => "reranking_miss",
            Self::SelectionMiss => "selection_miss",
            Self::RefusalDespiteEvidence => "refusal_despite_evidence",
            Self::AnswerWithoutEvidence => "answer_without_evidence",
            Self::UnsupportedClaim => "unsupported_claim",
            Self::ForeignAttribution => "foreign_attribution",
            Self::EntityRemoved => "entity_removed",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::RetrievalMiss => "Retrieval miss",
            Self::RerankingMiss => "Reranking miss",
            Self::SelectionMiss => "Selection miss",
            Self::RefusalDespiteEvidence => "Refusal despite evidence",
            Self::AnswerWithoutEvidence => "Answer without evidence",
            Self::UnsupportedClaim => "Unsupported claim",
            Self::ForeignAttribution => "Foreign attribution",
            Self::EntityRemoved => "Entity removed",
        }
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
                "the entity check removed a sentence, because a number, symbol or name in it is not in the context"
            }
        }
    }

    fn applies(self, row: &Row) -> bool {
        let refused = row.no_evidence == Some(true);
        let answered = row.no_evidence == Some(false);
        let lost = |stage: LostAt| row.lost_gold().iter().any(|(_, lost)| *lost == Some(stage));
        match self {
            Self::RetrievalMiss => lost(LostAt::Retrieval),
            Self::RerankingMiss => lost(LostAt::Reranking) || lost(LostAt::Context),
            Self::SelectionMiss => answered && lost(LostAt::Answer),
            Self::RefusalDespiteEvidence => {
                refused && row.expected_no_evidence == Some(false) && lost(LostAt::Refusal)
            }
            Self::AnswerWithoutEvidence => answered && row.expected_no_evidence == Some(true),
            Self::UnsupportedClaim => !row.unsupported.is_empty(),
            Self::ForeignAttribution => !row.foreign_authors.is_empty(),
            Self::EntityRemoved => row.guardrails.iter().any(removes_an_entity),
        }
    }
}

/// The failure modes of a row, in the order of [`FailureMode::ALL`]. A row without an answer has none: it is an error.
pub fn of_row(row: &Row) -> Vec<FailureMode> {
    if row.no_evidence.is_none() {
        return Vec::new();
    }
    FailureMode::ALL
        .into_iter()
        .filter(|mode| mode.applies(row))
        .collect()
}

/// How many rows have each failure mode, by mode of retrieval. Every failure mode is listed, also with 0 rows.
pub fn counts(rows: &[Row]) -> Ordered<Ordered<usize>> {
    let mut out: Ordered<Ordered<usize>> = Ordered::default();
    for row in rows {
        let own = out.entry(&row.mode);
        for mode in FailureMode::ALL {
            *own.entry(mode.key()) += usize::from(row.failure_modes.contains(&mode));
        }
    }
    out
}

fn removes_an_entity(action: &GuardrailAction) -> bool {
    action.guardrail == GuardrailKind::Entity && action.action == "stripped"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GoldPath, Unsupported};

    fn answered() -> Row {
        Row {
            no_evidence: Some(false),
            expected_no_evidence: Some(false),
            ..Row::default()
        }
    }

    /// A row with one gold quote that was not shown.
    fn missed(kept: bool, in_context: bool, rank: Option<usize>, refused: bool) -> Row {
        Row {
            no_evidence: Some(refused),
            gold: vec![GoldPath {
                source_id: "a".into(),
                quote: "q".into(),
                reranked: Some(kept),
                in_context: Some(in_context),
                in_answer: false,
            }],
            gold_ranks: vec![rank],
            ..answered()
        }
    }

    #[test]
    fn each_rule_finds_its_rows_and_no_others() {
        use FailureMode as F;
        let check = |row: Row, want: &[FailureMode]| assert_eq!(of_row(&row), want, "{row:?}");
        check(answered(), &[]);
        check(missed(false, false, None, false), &[F::RetrievalMiss]);
        check(missed(false, false, Some(9), false), &[F::RerankingMiss]);
        check(missed(true, false, Some(1), false), &[F::RerankingMiss]);
        check(missed(true, true, Some(1), false), &[F::SelectionMiss]);
        check(missed(true, true, Some(1), true), &[F::RefusalDespiteEvidence]);
        check(missed(false, false, None, true), &[F::RetrievalMiss]);
        let unanswerable = |refused| Row {
            no_evidence: Some(refused),
            expected_no_evidence: Some(true),
            ..Row::default()
        };
        check(unanswerable(false), &[F::AnswerWithoutEvidence]);
        check(unanswerable(true), &[]);
        let mut row = answered();
        row.unsupported.push(Unsupported {
            claim: "c".into(),
            cited: Vec::new(),
            score: 0.1,
            reason: "r".into(),
        });
        row.foreign_authors.push("Tandrik".into());
        check(row, &[F::UnsupportedClaim, F::ForeignAttribution]);
        let entity = |action: &str| {
            let mut row = answered();
            row.guardrails.push(GuardrailAction {
                guardrail: GuardrailKind::Entity,
                action: action.into(),
                subject: "s".into(),
                reason: "not in the context: X".into(),
                sentence: true,
            });
            row
        };
        check(entity("stripped"), &[F::EntityRemoved]);
        check(entity("flagged"), &[]);
        // Without an answer there is only an error.
        check(
            Row {
                no_evidence: None,
                ..missed(false, false, None, false)
            },
            &[],
        );
    }

    #[test]
    fn names_in_json_are_the_keys_and_counts_list_all() {
        for mode in FailureMode::ALL {
            assert_eq!(serde_json::to_value(mode).expect("a word"), mode.key());
        }
        let mut row = missed(false, false, None, false);
        row.mode = "hybrid".into();
        row.failure_modes = of_row(&row);
        let counts = counts(&[row]);
        let own: Vec<usize> = counts
            .get("hybrid")
            .expect("a mode")
            .iter()
            .map(|(_, n)| *n)
            .collect();
        assert_eq!(own, [1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
