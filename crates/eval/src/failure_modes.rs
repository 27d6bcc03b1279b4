//! The ways in which a row fails ([`FailureMode`]): the rules over what the row holds. Nobody labels rows by hand, and the same
//! row always has the same labels. A row can have several.

mod authors;

pub(crate) use authors::foreign_authors;

use crate::{FailureMode, GoldPath, LostAt, Ordered, Row};
use types::{GuardrailAction, GuardrailKind};

impl Row {
    /// The rank of the first candidate with a gold quote, by its place in [`Self::gold`]; `None` where nobody looked.
    pub fn gold_rank(&self, at: usize) -> Option<Option<usize>> {
        self.gold_ranks.get(at).copied()
    }

    /// Each gold quote that the answer does not show, with the stage that lost it; `None` if the context was not logged.
    pub fn lost_gold(&self) -> impl Iterator<Item = (&GoldPath, Option<LostAt>)> {
        let refused = self.no_evidence == Some(true);
        let missed = self.gold.iter().enumerate().filter(|(_, path)| !path.in_answer);
        missed.map(move |(at, path)| (path, path.lost_at(self.gold_rank(at), refused)))
    }
}

/// The failure modes of a row, in the order of [`FailureMode::ALL`]. A row without an answer has none: it is an error.
pub fn of_row(row: &Row) -> Vec<FailureMode> {
    if row.no_evidence.is_none() {
        return Vec::new();
    }
    FailureMode::ALL.into_iter().filter(|mode| applies(*mode, row)).collect()
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

fn applies(mode: FailureMode, row: &Row) -> bool {
    let refused = row.no_evidence == Some(true);
    let answered = row.no_evidence == Some(false);
    let lost = |stage: LostAt| row.lost_gold().any(|(_, lost)| lost == Some(stage));
    match mode {
        FailureMode::RetrievalMiss => lost(LostAt::Retrieval),
        FailureMode::RerankingMiss => lost(LostAt::Reranking) || lost(LostAt::Context),
        FailureMode::SelectionMiss => answered && lost(LostAt::Answer),
        FailureMode::RefusalDespiteEvidence => {
            refused && row.expected_no_evidence == Some(false) && lost(LostAt::Refusal)
        }
        FailureMode::AnswerWithoutEvidence => answered && row.expected_no_evidence == Some(true),
        FailureMode::UnsupportedClaim => !row.unsupported.is_empty(),
        FailureMode::ForeignAttribution => !row.foreign_authors.is_empty(),
        FailureMode::EntityRemoved => row.guardrails.iter().any(removes_an_entity),
    }
}

fn removes_an_entity(action: &GuardrailAction) -> bool {
    action.guardrail == GuardrailKind::Entity && action.action == "stripped"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unsupported;

    fn answered() -> Row {
        Row { no_evidence: Some(false), expected_no_evidence: Some(false), ..Row::default() }
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
        let unanswerable =
            |refused| Row { no_evidence: Some(refused), expected_no_evidence: Some(true), ..Row::default() };
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
        check(Row { no_evidence: None, ..missed(false, false, None, false) }, &[]);
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
        let own: Vec<usize> = counts.get("hybrid").expect("a mode").iter().map(|(_, n)| *n).collect();
        assert_eq!(own, [1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
