//! Which combination is best, and what that is worth on questions that took no part in the choice.

use super::estimate::{Values, compare, summarise};
use super::{Asked, Measure, folds::folds};
use crate::{Comparison, MetricSummary, seed_of};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// The values of every combination.
pub struct Candidates<'a> {
    /// The questions.
    pub questions: &'a [Asked],
    /// By combination, one value for each question.
    pub values: &'a [Vec<Option<f64>>],
    /// How many of them, from the first on, can be chosen. The start may be one more.
    pub choices: usize,
    /// The settings that one started from: the place of their values.
    pub start: usize,
    /// What they are compared by.
    pub measure: Measure,
    /// Seed of folds, intervals and tests.
    pub seed: u64,
}

/// What was chosen for a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "SweepFold")]
pub struct FoldChoice {
    /// Questions of the fold.
    pub questions: usize,
    /// The combination that was best on the other folds, numbered from 1 in documents; `None` if none had a value there.
    #[serde(serialize_with = "number")]
    pub chosen: Option<usize>,
}

/// Combinations are numbered from 1 in documents.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn number<S: Serializer>(place: &Option<usize>, to: S) -> Result<S::Ok, S::Error> {
    place.map(|at| at + 1).serialize(to)
}

/// What the comparison of the held-out choice with the start says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SweepVerdict")]
pub enum Verdict {
    /// The choice is significantly better than the start on questions that it was not made on.
    Better,
    /// It is not.
    NotBetter,
    /// It could not be tested: all questions share papers, or no combination has a value.
    Untested,
}

/// The choice among the combinations.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Choice {
    /// The combination that is best on all questions, numbered from 1 in documents; `None` if none has a value.
    #[serde(serialize_with = "number")]
    pub best: Option<usize>,
    /// Its mean on the same questions: too good, because it was chosen by it.
    pub in_sample: MetricSummary,
    /// The mean of the start.
    #[serde(rename = "start_summary")]
    pub start: MetricSummary,
    /// The choice of each fold.
    pub folds: Vec<FoldChoice>,
    /// The mean of the held-out values: for each question, that of the combination chosen on the other folds.
    pub held_out: MetricSummary,
    /// Held-out values minus those of the start.
    pub against_start: Comparison,
    /// What that says.
    pub verdict: Verdict,
}

impl Candidates<'_> {
    fn of(&self, combination: usize) -> Values<'_> {
        Values { questions: self.questions, values: self.values.get(combination).map_or(&[], Vec::as_slice) }
    }

    /// The best combination on the questions for which `of` holds. Among equals, it is the start, or the first.
    fn best(&self, of: impl Fn(usize) -> bool) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for at in 0..self.choices {
            let Some(mean) = self.of(at).mean(&self.measure, &of) else {
                continue;
            };
            let takes = best.is_none_or(|(_, best)| {
                let lead = mean - best;
                let equal = lead.abs() <= 1e-12;
                (!equal && self.measure.direction().improves(lead)) || (equal && at == self.start)
            });
            if takes {
                best = Some((at, mean));
            }
        }
        best.map(|(at, _)| at)
    }
}

/// The choices on all folds but one, and the values that they have on that fold.
fn hold_out(candidates: &Candidates<'_>, count: usize) -> (Vec<FoldChoice>, Vec<Option<f64>>) {
    let own = folds(candidates.questions, count, seed_of(candidates.seed, "folds"));
    let count = own.iter().max().map_or(0, |last| last + 1);
    let folds: Vec<FoldChoice> = (0..count)
        .map(|fold| FoldChoice {
            questions: own.iter().filter(|other| **other == fold).count(),
            chosen: (count > 1).then(|| candidates.best(|at| own[at] != fold)).flatten(),
        })
        .collect();
    let value = |(at, fold): (usize, &usize)| *candidates.values.get(folds.get(*fold)?.chosen?)?.get(at)?;
    let held_out = own.iter().enumerate().map(value).collect();
    (folds, held_out)
}

/// Chooses on all questions, and on each set of folds but one.
pub fn choose(candidates: &Candidates<'_>, count: usize) -> Choice {
    let best = candidates.best(|_| true);
    let (folds, held_out) = hold_out(candidates, count);
    let (measure, seed) = (&candidates.measure, candidates.seed);
    let held = Values { questions: candidates.questions, values: &held_out };
    let start = candidates.of(candidates.start);
    let against_start = compare(held, start.values, measure, seed);
    let verdict = match (against_start.delta, against_start.separates()) {
        (None, _) => Verdict::Untested,
        (Some(delta), true) if measure.direction().improves(delta) => Verdict::Better,
        _ => Verdict::NotBetter,
    };
    Choice {
        best,
        in_sample: best
            .map_or_else(MetricSummary::default, |best| summarise(candidates.of(best), measure, seed)),
        start: summarise(start, measure, seed),
        folds,
        held_out: summarise(held, measure, seed),
        against_start,
        verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::super::folds::tests::asked;
    use super::*;
    use crate::stats::Draws;

    fn questions(count: usize) -> Vec<Asked> {
        (0..count).map(|id| asked(id, id % 4 == 0, &[])).collect()
    }

    fn chosen(
        questions: &[Asked],
        values: &[Vec<Option<f64>>],
        start: usize,
        measure: Measure,
        seed: u64,
    ) -> Choice {
        let candidates = Candidates { questions, values, choices: values.len(), start, measure, seed };
        choose(&candidates, 5)
    }

    /// Values that are right with a probability of its own for each combination.
    fn noise(rates: &[f64], count: usize, seed: u64) -> Vec<Vec<Option<f64>>> {
        let mut draws = Draws::new(seed);
        let mut one = |rate: f64| Some(f64::from(u8::from((draws.below(1_000_000) as f64) < rate * 1e6)));
        rates.iter().map(|rate| (0..count).map(|_| one(*rate)).collect()).collect()
    }

    #[test]
    fn of_one_combination_that_one_is_chosen() {
        let values = noise(&[0.6], 40, 1);
        let done = chosen(&questions(40), &values, 0, Measure::BalancedEvidence, 1);
        assert_eq!((done.best, done.verdict), (Some(0), Verdict::NotBetter));
        assert!(done.folds.len() == 5 && done.folds.iter().all(|fold| fold.chosen == Some(0)));
        assert_eq!((done.in_sample.mean, done.against_start.delta), (done.held_out.mean, Some(0.0)));
    }

    #[test]
    fn a_combination_that_is_better_is_found() {
        for seed in 0..20 {
            let mut rates = [0.5; 12];
            rates[7] = 0.85;
            let values = noise(&rates, 120, seed);
            let done = chosen(&questions(120), &values, 0, Measure::BalancedEvidence, seed);
            assert_eq!((done.best, done.verdict), (Some(7), Verdict::Better), "seed {seed}");
            assert!(done.folds.iter().all(|fold| fold.chosen == Some(7)));
        }
    }

    #[test]
    fn lower_is_better_where_the_metric_says_so() {
        let measure = Measure::find("hallucinated_numbers").expect("known");
        let values = noise(&[0.6, 0.1, 0.5], 60, 3);
        let done = chosen(&questions(60), &values, 0, measure, 3);
        assert_eq!((done.best, done.verdict), (Some(1), Verdict::Better));
        assert!(done.against_start.delta < Some(0.0));
    }

    #[test]
    fn noise_is_seldom_called_better_and_its_best_is_too_good() {
        // Combinations of the same quality that agree on most questions, as neighbours of a grid do. Of 1,000 seeds, 41 find
        // one better: more than the 2.5 % of one side of the test, because the folds share the questions that they choose on.
        let (mut better, mut lead) = (0, 0.0);
        let questions = questions(60);
        for seed in 0..200 {
            let mut draws = Draws::new(seed);
            let shared: Vec<usize> = (0..60).map(|_| draws.below(2)).collect();
            let mut one = |own: &usize| if draws.below(3) == 0 { draws.below(2) } else { *own } as f64;
            let values: Vec<Vec<Option<f64>>> =
                (0..12).map(|_| shared.iter().map(|own| Some(one(own))).collect()).collect();
            let candidates = Candidates {
                questions: &questions,
                values: &values,
                choices: 12,
                start: 0,
                measure: Measure::BalancedAccuracy,
                seed,
            };
            let (_, held_out) = hold_out(&candidates, 5);
            let held = Values { questions: &questions, values: &held_out };
            let tested = compare(held, &values[0], &candidates.measure, seed);
            better += usize::from(tested.delta > Some(0.0) && tested.separates());
            let best = candidates.best(|_| true).expect("values");
            let mean = |values: Values<'_>| values.mean(&candidates.measure, |_| true).expect("values");
            lead += mean(candidates.of(best)) - mean(held);
        }
        assert!(better <= 13, "{better} of 200");
        assert!(lead / 200.0 > 0.04, "the best in sample leads by {}", lead / 200.0);
    }

    #[test]
    fn among_equals_the_start_stays() {
        let values = vec![vec![Some(0.5); 10]; 4];
        let done = chosen(&questions(10), &values, 2, Measure::BalancedAccuracy, 1);
        assert_eq!(done.best, Some(2));
        let done = chosen(&questions(10), &values, 9, Measure::BalancedAccuracy, 1);
        assert_eq!((done.best, done.verdict), (Some(0), Verdict::Untested), "a start without values");
    }

    #[test]
    fn one_group_of_questions_cannot_be_held_out() {
        let questions: Vec<Asked> = (0..10).map(|id| asked(id, false, &["a"])).collect();
        let done = chosen(&questions, &noise(&[0.2, 0.9], 10, 1), 0, Measure::BalancedEvidence, 1);
        assert_eq!((done.best, done.verdict), (Some(1), Verdict::Untested));
        assert_eq!((done.held_out.n, done.folds.len()), (0, 1));
    }
}
