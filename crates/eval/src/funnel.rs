//! Where the evidence of a question is lost: among the candidates, in reranking, on the way into the context, in the answer.

use crate::estimate::{Observation, Statistic, estimate};
use crate::gold_path::{Evidence, FUNNEL_STAGES, Funnel, Trace, lost_at};
use crate::metrics::{Range, gold};
use crate::{Ordered, Query, Row, failure_modes, seed_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use types::{ChunkId, Origin, RunRecord, SourceId};

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
    let trace = |paper: &SourceId| {
        let of = |sources: &Option<BTreeSet<&SourceId>>| sources.as_ref().map(|own| own.contains(paper));
        let candidates = listed.then(|| candidates.contains(paper));
        [candidates, of(&reranked), of(&context), Some(shown.contains(paper.as_str()))]
    };
    expected.into_iter().map(trace).collect()
}

impl Row {
    /// Follows the evidence of the question through the stages: its gold quotes, or its target papers if it has none. Sets the
    /// ranks of the gold quotes, the funnel, where the evidence that came furthest was lost, and the failure modes. `ranks` are
    /// those of [`crate::GoldChunks::ranks`]; empty if nobody looked.
    pub fn follow(&mut self, record: &RunRecord, query: Option<&Query>, ranks: Vec<Option<usize>>) {
        self.gold_ranks = ranks;
        let query = query.filter(|query| !query.expected_no_evidence);
        let (counts, traces) = match query {
            Some(query) if query.gold_evidence.is_empty() => (Evidence::Papers, papers(record, query)),
            Some(_) => (Evidence::Quotes, traces(self).collect()),
            None => (Evidence::Quotes, Vec::new()),
        };
        let count = |at: usize| traces.iter().map(|trace: &Trace| trace[at].map(usize::from)).sum();
        let [candidates, reranked, context, answer]: [Option<usize>; 4] = [0, 1, 2, 3].map(count);
        let answer = answer.unwrap_or_default();
        let lost = traces.iter().filter_map(|trace| lost_at(*trace, record.response.no_evidence));
        self.lost_at = lost.max().filter(|_| answer == 0);
        self.funnel = (!traces.is_empty()).then_some(Funnel {
            counts,
            gold: traces.len(),
            candidates,
            reranked,
            context,
            answer,
        });
        self.failure_modes = failure_modes::of_row(self);
    }
}

/// The share of the gold quotes that a stage still has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageGold {
    /// Quotes that it has.
    pub found: usize,
    /// The share of a question's quotes, averaged over the questions: the mean that gold recall reports.
    pub mean: f64,
    /// Lower end of the 95 % interval of the mean.
    pub ci_low: f64,
    /// Upper end.
    pub ci_high: f64,
}

/// Where the gold evidence of a mode is lost. A stage can have more than the one before: neighbouring chunks are added to
/// the context.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModeFunnel {
    /// Questions whose gold quotes could be followed through every stage.
    pub questions: usize,
    /// Their gold quotes.
    pub quotes: usize,
    /// Quotes that were in the context of a refusal.
    pub refused: usize,
    /// Rows that are about gold evidence, and whose log or error does not let it be followed.
    pub not_followed: usize,
    /// By stage of [`FUNNEL_STAGES`]; empty without questions.
    pub stages: Ordered<StageGold>,
}

impl ModeFunnel {
    /// Follows the gold quotes of the rows of one mode.
    pub fn new(rows: &[&Row], seed: u64) -> Self {
        let mut out = Self::default();
        let mut followed: Vec<(&Row, Vec<[bool; 4]>)> = Vec::new();
        for row in rows {
            match steps(row) {
                Some(steps) => followed.push((row, steps)),
                None => out.not_followed += usize::from(is_about_gold(row)),
            }
        }
        out.questions = followed.len();
        for (row, steps) in &followed {
            out.quotes += steps.len();
            let refused = row.no_evidence == Some(true);
            out.refused += steps.iter().filter(|step| refused && step[2] && !step[3]).count();
        }
        for (at, stage) in FUNNEL_STAGES.into_iter().enumerate() {
            let mut shares: Vec<Observation<'_>> = Vec::new();
            let mut found = 0;
            for (row, steps) in &followed {
                let own = steps.iter().filter(|step| step[at]).count();
                found += own;
                shares.push(Observation::new(row.cluster(), own as f64 / steps.len() as f64));
            }
            let share = estimate(&shares, Statistic::Mean, Range::UNIT, seed_of(seed, stage));
            let (Some(mean), Some(ci_low), Some(ci_high)) = (share.mean, share.ci_low, share.ci_high) else {
                continue;
            };
            let share = StageGold { found, mean, ci_low, ci_high };
            out.stages.insert(stage, share);
        }
        out
    }

    /// The stage after which most quotes are gone that the stage before had, with their number; the first of several.
    /// `None` if none is lost.
    pub fn largest_loss(&self) -> Option<(&str, usize)> {
        let mut before = self.quotes;
        let mut worst: Option<(&str, usize)> = None;
        for (stage, share) in self.stages.iter() {
            let lost = before.saturating_sub(share.found);
            if lost > worst.map_or(0, |(_, most)| most) {
                worst = Some((stage, lost));
            }
            before = share.found;
        }
        worst
    }
}

/// For each gold quote, whether each stage has it; `None` where a stage is not known.
fn steps(row: &Row) -> Option<Vec<[bool; 4]>> {
    let step =
        |[candidate, reranked, context, answer]: Trace| Some([candidate?, reranked?, context?, answer?]);
    traces(row).map(step).collect::<Option<Vec<_>>>().filter(|steps| !steps.is_empty())
}

fn traces(row: &Row) -> impl Iterator<Item = Trace> {
    row.gold.iter().enumerate().map(|(at, path)| path.trace(row.gold_rank(at).map(|rank| rank.is_some())))
}

fn is_about_gold(row: &Row) -> bool {
    let failed = row.error.is_some() && row.no_evidence.is_none() && row.expected_no_evidence == Some(false);
    failed || !row.gold.is_empty() || row.value("gold_recall_answer").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GoldPath, LostAt};
    use types::ContextRecord;

    fn follow(record: &RunRecord, query: Option<&Query>, ranks: &[Option<usize>]) -> Row {
        let mut row = Row {
            gold: gold::paths(record, query),
            no_evidence: Some(record.response.no_evidence),
            ..Row::default()
        };
        row.follow(record, query, ranks.to_vec());
        row
    }

    fn lost(row: &Row) -> Vec<Option<LostAt>> {
        row.lost_gold().map(|(_, lost)| lost).collect()
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
            assert_eq!(followed.lost_at, expect);
            assert!(lost(&followed).iter().all(|lost| *lost == expect));
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
        assert_eq!(lost(&followed), [Some(LostAt::Answer), Some(LostAt::Retrieval)]);
        // One of two quotes is shown: the other one is lost, the question is not.
        let shown = response("x", &[cite("a__body__000", ONE)]);
        let followed = follow(&record(Some(&context), shown), Some(&query), &[Some(2), None]);
        assert_eq!((followed.lost_at, lost(&followed)), (None, vec![Some(LostAt::Retrieval)]));
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

    /// A row of one letter for each quote: the first stage that lost it, or `-`.
    fn row(id: &str, quotes: &str, refused: bool) -> Row {
        let path = |c: char| GoldPath {
            source_id: "a".into(),
            quote: c.to_string(),
            reranked: Some(!"cr".contains(c)),
            in_context: Some(!"crx".contains(c)),
            in_answer: c == '-',
        };
        Row {
            query_id: id.into(),
            no_evidence: Some(refused),
            gold: quotes.chars().map(path).collect(),
            gold_ranks: quotes.chars().map(|c| (c != 'c').then_some(1)).collect(),
            ..Row::default()
        }
    }

    #[test]
    fn each_stage_by_hand() {
        let rows = [row("1", "-a", false), row("2", "c", false), row("3", "ra", true), row("4", "-", false)];
        let mut all: Vec<&Row> = rows.iter().collect();
        let untraced = Row { gold_ranks: Vec::new(), ..row("5", "c", false) };
        let unlabelled = Row::default();
        all.extend([&untraced, &unlabelled]);
        let funnel = ModeFunnel::new(&all, 7);
        assert_eq!((funnel.questions, funnel.quotes, funnel.refused, funnel.not_followed), (4, 6, 1, 1));
        let found: Vec<(&str, usize)> = funnel.stages.iter().map(|(s, share)| (s, share.found)).collect();
        assert_eq!(found, [("candidates", 5), ("reranked", 4), ("context", 4), ("answer", 2)]);
        // (2/2 + 0/1 + 2/2 + 1/1) / 4 and (1/2 + 0 + 0 + 1) / 4.
        let mean = |stage: &str| funnel.stages.get(stage).expect("a stage").mean;
        assert!((mean("candidates") - 0.75).abs() < 1e-12 && (mean("answer") - 0.375).abs() < 1e-12);
        assert!(funnel.stages.iter().all(|(_, s)| s.ci_low <= s.mean && s.mean <= s.ci_high));
        assert_eq!(funnel.largest_loss(), Some(("answer", 2)));
        let none = ModeFunnel::new(&[&unlabelled], 7);
        assert!(none.stages.is_empty() && none.largest_loss().is_none() && none.not_followed == 0);
    }
}
