//! Where labelled evidence was lost on its way to the answer.

use crate::{Query, Row};
use std::fmt;
use types::SourceId;

/// The step that lost a gold quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lost {
    /// No candidate has it.
    Retrieval,
    /// A candidate has it, but not the context.
    Reranking,
    /// The context does not have it; the log does not say whether a candidate does.
    Context,
    /// The context has it, but the question was refused.
    Refusal,
    /// The context has it, but not the answer.
    Answer,
}

impl Lost {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retrieval => "retrieval",
            Self::Reranking => "reranking",
            Self::Context => "context",
            Self::Refusal => "refusal",
            Self::Answer => "answer",
        }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A gold quote and how far it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gold {
    /// Its paper.
    pub source_id: SourceId,
    /// The quote.
    pub quote: String,
    /// The rank of the first candidate that has it, from 1; `None` if none has it, or nobody looked.
    pub rank: Option<usize>,
    /// The step that lost it; `None` if the answer shows it.
    pub lost: Option<Lost>,
}

/// The gold quotes of a row, in the order of the labels; without labels, those that the answer does not show. Empty for a
/// question without an answer: there the failure is another one.
pub fn gold(row: &Row, query: Option<&Query>) -> Vec<Gold> {
    if row.no_evidence.is_none() {
        return Vec::new();
    }
    let all: Vec<(SourceId, String)> = if let Some(query) = query {
        let gold = query.gold_evidence.iter();
        gold.map(|gold| (gold.source_id.clone(), gold.quote.clone()))
            .collect()
    } else {
        let missed = row.missed_gold.iter();
        missed
            .map(|gold| (gold.source_id.clone(), gold.quote.clone()))
            .collect()
    };
    // Ranks are in the order of the labels.
    let ranks = (row.gold_ranks.len() == all.len() && query.is_some()).then_some(&row.gold_ranks);
    let fate = |(at, (source_id, quote)): (usize, (SourceId, String))| {
        let rank = ranks.map(|ranks| ranks[at]);
        let missed = row
            .missed_gold
            .iter()
            .find(|missed| missed.source_id == source_id && missed.quote == quote);
        let lost = missed.map(|missed| match (missed.in_context, rank) {
            (Some(true), _) if row.no_evidence == Some(true) => Lost::Refusal,
            (Some(true), _) => Lost::Answer,
            (_, Some(None)) => Lost::Retrieval,
            (_, Some(Some(_))) => Lost::Reranking,
            (_, None) => Lost::Context,
        });
        Gold {
            source_id,
            quote,
            rank: rank.flatten(),
            lost,
        }
    };
    all.into_iter().enumerate().map(fate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MissedGold, QuerySet};

    fn row(ranks: &[Option<usize>], missed: &[(&str, Option<bool>)], refused: Option<bool>) -> Row {
        let missed = missed.iter().map(|(quote, in_context)| MissedGold {
            source_id: "a".into(),
            quote: (*quote).to_owned(),
            in_context: *in_context,
        });
        Row {
            no_evidence: refused,
            gold_ranks: ranks.to_vec(),
            missed_gold: missed.collect(),
            ..Row::default()
        }
    }

    #[test]
    fn each_quote_is_followed_through_the_steps() {
        let quotes = ["one", "two", "three", "four"];
        let gold_evidence: Vec<_> = quotes
            .map(|quote| serde_json::json!({"source_id": "a", "quote": quote}))
            .to_vec();
        let line = serde_json::json!({"id": "1", "type": "direct", "query": "q", "expected_no_evidence": false,
            "target_papers": ["a"], "reference_answer": "r", "gold_evidence": gold_evidence});
        let set = QuerySet::parse("set", &line.to_string()).expect("a set");
        let query = set.queries.first();
        let check = |row: &Row, want: &[Option<Lost>]| {
            let found: Vec<Option<Lost>> = gold(row, query).iter().map(|gold| gold.lost).collect();
            assert_eq!(found, want);
        };
        let missed = [("two", Some(true)), ("three", Some(false)), ("four", Some(false))];
        let ranks = [Some(1), None, Some(9), None];
        let (answer, reranking, retrieval) =
            (Some(Lost::Answer), Some(Lost::Reranking), Some(Lost::Retrieval));
        // Neighbours may bring into the context what no candidate has.
        check(
            &row(&ranks, &missed, Some(false)),
            &[None, answer, reranking, retrieval],
        );
        check(
            &row(&ranks, &missed, Some(true)),
            &[None, Some(Lost::Refusal), reranking, retrieval],
        );
        check(
            &row(&[], &missed, Some(false)),
            &[None, answer, Some(Lost::Context), Some(Lost::Context)],
        );
        check(&row(&[], &[], None), &[]);
        // Without labels, what is missed is known, and no rank.
        let found = gold(&row(&ranks, &missed, Some(false)), None);
        assert_eq!(found.len(), 3);
        assert_eq!((found[1].lost, found[1].rank), (Some(Lost::Context), None));
    }
}
