//! What a row knows of its gold quotes: how far each came, and which stage lost it.

use crate::{GoldPath, LostAt, MissedGold, Row};
use std::borrow::Cow;

impl From<&MissedGold> for GoldPath {
    fn from(missed: &MissedGold) -> Self {
        Self {
            source_id: missed.source_id.clone(),
            quote: missed.quote.clone(),
            reranked: None,
            in_context: missed.in_context,
            in_answer: false,
        }
    }
}

impl Row {
    /// The gold quotes of the question, as far as the row has them: rows of older logs have only those that the answer does
    /// not show.
    pub fn gold_paths(&self) -> Cow<'_, [GoldPath]> {
        if self.gold.is_empty() {
            Cow::Owned(self.missed_gold.iter().map(GoldPath::from).collect())
        } else {
            Cow::Borrowed(&self.gold)
        }
    }

    /// The rank of the first candidate with a gold quote, by its place in [`Self::gold_paths`]; `None` where nobody looked.
    pub fn gold_rank(&self, at: usize) -> Option<Option<usize>> {
        let parallel = self.gold_ranks.len() == self.gold.len();
        self.gold_ranks.get(at).copied().filter(|_| parallel)
    }

    /// Each gold quote that the answer does not show, with the stage that lost it; `None` if the context was not logged.
    pub fn lost_gold(&self) -> Vec<(GoldPath, Option<LostAt>)> {
        let refused = self.no_evidence == Some(true);
        let paths = self.gold_paths();
        let missed = paths.iter().enumerate().filter(|(_, path)| !path.in_answer);
        missed.map(|(at, path)| (path.clone(), path.lost_at(self.gold_rank(at), refused))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(reranked: Option<bool>, in_context: Option<bool>, in_answer: bool) -> GoldPath {
        GoldPath { source_id: "a".into(), quote: "q".into(), reranked, in_context, in_answer }
    }

    #[test]
    fn the_stage_that_lost_a_quote() {
        let (yes, no) = (Some(true), Some(false));
        let check = |reranked, in_context, in_answer, rank, want| {
            let found = path(reranked, in_context, in_answer).lost_at(rank, false);
            assert_eq!(found, want, "{reranked:?} {in_context:?} {in_answer} {rank:?}");
        };
        check(yes, yes, true, Some(Some(1)), None);
        check(yes, yes, false, Some(Some(1)), Some(LostAt::Answer));
        // A neighbour of a kept chunk holds it, although no candidate does.
        check(no, yes, false, Some(None), Some(LostAt::Answer));
        check(yes, no, false, Some(Some(1)), Some(LostAt::Context));
        check(no, no, false, Some(Some(9)), Some(LostAt::Reranking));
        check(no, no, false, Some(None), Some(LostAt::Retrieval));
        check(no, no, false, None, Some(LostAt::BeforeContext));
        check(None, None, false, Some(None), None);
        let refused = path(yes, yes, false).lost_at(Some(Some(1)), true);
        assert_eq!(refused, Some(LostAt::Refusal));
    }

    #[test]
    fn rows_of_older_logs_know_what_was_missed() {
        let mut row = Row {
            missed_gold: vec![MissedGold {
                source_id: "a".into(),
                quote: "q".into(),
                in_context: Some(false),
                lost_at: None,
            }],
            gold_ranks: vec![None, Some(2)],
            ..Row::default()
        };
        // Two ranks and one quote: which rank is whose is not known.
        assert_eq!(row.lost_gold(), [(path(None, Some(false), false), Some(LostAt::BeforeContext))]);
        row.gold = vec![path(Some(false), Some(false), false), path(Some(true), Some(true), true)];
        assert_eq!(row.lost_gold(), [(row.gold[0].clone(), Some(LostAt::Retrieval))]);
    }
}
