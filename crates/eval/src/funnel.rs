//! Follows the evidence of a question through the stages: candidates, reranked, context, answer.

use crate::losses::{Evidence, Funnel, LostAt};
use crate::metrics::gold;
use crate::{GoldPath, Query};
use std::collections::BTreeSet;
use types::{ChunkId, Origin, RunRecord, SourceId};

/// Which stages have one piece of evidence.
#[derive(Clone, Copy, Debug, Default)]
struct Trace {
    candidates: Option<bool>,
    reranked: Option<bool>,
    context: Option<bool>,
    answer: bool,
}

impl Trace {
    /// `None` if it is not lost, or if the log does not have the context.
    fn lost_at(self, refused: bool) -> Option<LostAt> {
        if self.answer {
            return None;
        }
        Some(match (self.context?, self.reranked, self.candidates) {
            (true, ..) if refused => LostAt::Refusal,
            (true, ..) => LostAt::Answer,
            (false, Some(true), _) => LostAt::Context,
            (false, _, Some(true)) => LostAt::Reranking,
            (false, _, Some(false)) => LostAt::Retrieval,
            (false, _, None) => LostAt::BeforeContext,
        })
    }
}

/// The evidence of one question, followed through the stages.
pub(crate) struct Followed {
    /// `None` for a question without evidence.
    pub(crate) funnel: Option<Funnel>,
    /// Where the evidence that came furthest was lost; `None` if the answer shows some of it.
    pub(crate) lost_at: Option<LostAt>,
    /// For each gold quote in order, where it was lost; empty if papers are counted.
    pub(crate) quotes: Vec<Option<LostAt>>,
}

/// Follows the gold quotes of a question, or its target papers if it has no quotes. `paths` are those of its gold quotes,
/// `ranks` those of [`crate::GoldChunks::ranks`]; empty if nobody looked.
pub(crate) fn follow(
    record: &RunRecord,
    query: Option<&Query>,
    paths: &[GoldPath],
    ranks: &[Option<usize>],
) -> Followed {
    let none = Followed { funnel: None, lost_at: None, quotes: Vec::new() };
    let Some(query) = query.filter(|query| !query.expected_no_evidence) else {
        return none;
    };
    let (counts, traces) = if query.gold_evidence.is_empty() {
        (Evidence::Papers, papers(record, query))
    } else {
        let traces =
            paths.iter().enumerate().map(|(at, path)| path.trace(ranks.get(at).map(Option::is_some)));
        (Evidence::Quotes, traces.collect())
    };
    if traces.is_empty() {
        return none;
    }
    let count = |at: fn(&Trace) -> Option<bool>| {
        let all: Option<Vec<bool>> = traces.iter().map(at).collect();
        all.map(|held| held.into_iter().filter(|held| *held).count())
    };
    let answer = traces.iter().filter(|trace| trace.answer).count();
    let refused = record.response.no_evidence;
    let lost: Vec<Option<LostAt>> = traces.iter().map(|trace| trace.lost_at(refused)).collect();
    Followed {
        funnel: Some(Funnel {
            counts,
            gold: traces.len(),
            candidates: count(|trace| trace.candidates),
            reranked: count(|trace| trace.reranked),
            context: count(|trace| trace.context),
            answer,
        }),
        lost_at: if answer == 0 { lost.iter().flatten().max().copied() } else { None },
        quotes: match counts {
            Evidence::Quotes => lost,
            Evidence::Papers => Vec::new(),
        },
    }
}

impl GoldPath {
    /// The stage that lost the quote; `None` if the answer shows it, or if the context was not logged. `rank` is its entry of
    /// [`Row::gold_ranks`](crate::Row::gold_ranks), if there is one.
    pub fn lost_at(&self, rank: Option<Option<usize>>, refused: bool) -> Option<LostAt> {
        self.trace(rank.map(|rank| rank.is_some())).lost_at(refused)
    }

    fn trace(&self, candidates: Option<bool>) -> Trace {
        Trace { candidates, reranked: self.reranked, context: self.in_context, answer: self.in_answer }
    }
}

fn papers(record: &RunRecord, query: &Query) -> Vec<Trace> {
    let candidates = record.retrieval.candidates();
    let listed = !candidates.is_empty() || record.context.is_some();
    let candidates: BTreeSet<SourceId> = candidates.into_iter().filter_map(ChunkId::source).collect();
    let of_context = |kept: bool| {
        let chunks = record.context.as_ref()?.iter();
        let chunks = chunks.filter(|chunk| !kept || chunk.origin == Origin::Reranked);
        Some(chunks.map(|chunk| &chunk.source_id).collect::<BTreeSet<_>>())
    };
    let (reranked, context) = (of_context(true), of_context(false));
    let shown = gold::shown_in(record).into_iter();
    let shown: BTreeSet<String> = shown.filter_map(|(document, _)| document).collect();
    let expected: BTreeSet<&SourceId> = query.target_papers.iter().collect();
    let trace = |paper: &SourceId| Trace {
        candidates: listed.then(|| candidates.contains(paper)),
        reranked: reranked.as_ref().map(|sources| sources.contains(paper)),
        context: context.as_ref().map(|sources| sources.contains(paper)),
        answer: shown.contains(paper.as_str()),
    };
    expected.into_iter().map(trace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::ContextRecord;

    fn follow(record: &RunRecord, query: Option<&Query>, ranks: &[Option<usize>]) -> Followed {
        let paths = gold::paths(record, query);
        super::follow(record, query, &paths, ranks)
    }
    use crate::metrics::testing::{chunk, cite, query_with_gold, refusal, response};
    use types::ResponseRecord;

    const ONE: &str = "Walking raised VO2max by 12 % in forty older adults over one year.";
    const TWO: &str = "Mice lived longer on the restricted diet.";

    fn record(context: Option<&[(&str, &str, Origin)]>, response: ResponseRecord) -> RunRecord {
        let chunks = |context: &[(&str, &str, Origin)]| {
            let chunk = |(id, text, origin): &(&str, &str, Origin)| ContextRecord {
                origin: *origin,
                ..chunk(id, text)
            };
            context.iter().map(chunk).collect()
        };
        RunRecord { context: context.map(chunks), response, ..RunRecord::default() }
    }

    #[test]
    fn a_quote_is_lost_after_the_last_stage_that_has_it() {
        let query = query_with_gold(&[("a", ONE)]);
        let context = [("a__body__000", ONE, Origin::Reranked)];
        let other = [("b__body__000", TWO, Origin::Reranked)];
        let check = |context: Option<&[_]>, response: ResponseRecord, ranks: &[Option<usize>], expect| {
            let followed = follow(&record(context, response), Some(&query), ranks);
            assert_eq!((followed.lost_at, followed.quotes), (expect, vec![expect]));
        };
        let silent = || response("Nothing of it.", &[]);
        let shows = || response("x", &[cite("a__body__000", ONE)]);
        check(Some(&other), silent(), &[None], Some(LostAt::Retrieval));
        check(Some(&other), silent(), &[Some(7)], Some(LostAt::Reranking));
        check(Some(&other), silent(), &[], Some(LostAt::BeforeContext));
        check(Some(&context), silent(), &[Some(1)], Some(LostAt::Answer));
        check(Some(&context), refusal(), &[Some(1)], Some(LostAt::Refusal));
        check(Some(&context), shows(), &[Some(1)], None);
        // Without a context nobody can tell.
        check(None, silent(), &[Some(1)], None);
        // A neighbour brings in what no candidate has.
        let neighbour = [("a__body__001", ONE, Origin::Expanded)];
        check(Some(&neighbour), silent(), &[None], Some(LostAt::Answer));
    }

    #[test]
    fn the_funnel_counts_quotes_and_the_row_names_the_furthest() {
        let query = query_with_gold(&[("a", ONE), ("b", TWO)]);
        let context = [("a__body__000", ONE, Origin::Expanded), ("c__body__000", "x", Origin::Reranked)];
        let followed = follow(&record(Some(&context), response("No.", &[])), Some(&query), &[Some(2), None]);
        let funnel = Funnel {
            counts: Evidence::Quotes,
            gold: 2,
            candidates: Some(1),
            reranked: Some(0),
            context: Some(1),
            answer: 0,
        };
        assert_eq!(followed.funnel, Some(funnel));
        assert_eq!(followed.lost_at, Some(LostAt::Answer));
        assert_eq!(followed.quotes, [Some(LostAt::Answer), Some(LostAt::Retrieval)]);
        // One of two quotes is shown: the other one is lost, the question is not.
        let shown = response("x", &[cite("a__body__000", ONE)]);
        let followed = follow(&record(Some(&context), shown), Some(&query), &[Some(2), None]);
        assert_eq!((followed.lost_at, followed.quotes), (None, vec![None, Some(LostAt::Retrieval)]));
    }

    #[test]
    fn without_quotes_target_papers_are_followed() {
        let mut query = query_with_gold(&[]);
        query.target_papers = vec!["a".into(), "b".into(), "c".into()];
        let mut record = record(
            Some(&[("a__body__000", "x", Origin::Reranked)]),
            response("x", &[cite("d__body__000", "x")]),
        );
        record.retrieval.candidates = vec![ChunkId::from("a__body__000"), ChunkId::from("b__body__001")];
        let followed = follow(&record, Some(&query), &[]);
        let funnel = Funnel {
            counts: Evidence::Papers,
            gold: 3,
            candidates: Some(2),
            reranked: Some(1),
            context: Some(1),
            answer: 0,
        };
        assert_eq!((followed.funnel, followed.lost_at), (Some(funnel), Some(LostAt::Answer)));
        assert!(followed.quotes.is_empty());
    }

    #[test]
    fn a_question_without_evidence_has_no_funnel() {
        let mut unanswerable = query_with_gold(&[]);
        unanswerable.expected_no_evidence = true;
        unanswerable.target_papers = vec!["a".into()];
        for query in [None, Some(&unanswerable), Some(&query_with_gold(&[]))] {
            let followed = follow(&record(None, refusal()), query, &[]);
            assert!(followed.funnel.is_none() && followed.lost_at.is_none());
        }
    }
}
