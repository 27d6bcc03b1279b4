//! Compares the combinations.

use super::{
    combinations::{Combination, Combinations},
    document::{Sweep, SweepAxis, SweepChoice, SweepCombination, SweepMetric, SweepValue},
    rows::Kept,
};
use crate::{error::LabError, eval_run};
use engine::chat_models::{self, ChatModels};
use eval::{
    Comparison, QuerySet, Score,
    metrics::Direction,
    sweep::{Asked, Candidates, Choice, Measure, Values, choice, estimate},
};

/// What was measured.
pub(super) struct Measured<'a> {
    pub(super) combinations: &'a Combinations,
    pub(super) set: &'a QuerySet,
    pub(super) measure: Measure,
    /// By combination, then by question.
    pub(super) rows: &'a [Vec<Kept>],
    pub(super) models: &'a ChatModels,
    pub(super) generation: String,
    pub(super) folds: usize,
    pub(super) sampled: Option<usize>,
    pub(super) name: String,
    pub(super) seed: u64,
}

/// The questions that every combination has a score or a reason for, with the values of each combination.
pub(super) struct Compared {
    pub(super) questions: Vec<Asked>,
    /// Their places in the set.
    pub(super) places: Vec<usize>,
    pub(super) values: Vec<Vec<Option<f64>>>,
    pub(super) left_out: Vec<String>,
}

impl Compared {
    fn new(measured: &Measured<'_>) -> Self {
        let failed = |at: &usize| {
            let error = |rows: &Vec<Kept>| matches!(rows[*at].score, Score::Error(_));
            measured.rows.iter().any(error)
        };
        let all = Asked::of(&measured.set.queries);
        let (without, places): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(failed);
        let value = |rows: &Vec<Kept>| places.iter().map(|at| rows[*at].score.get()).collect();
        Self {
            values: measured.rows.iter().map(value).collect(),
            questions: places.iter().map(|at| all[*at].clone()).collect(),
            left_out: without.iter().map(|at| all[*at].id.clone()).collect(),
            places,
        }
    }
}

/// The document.
///
/// # Errors
/// When no question is left to compare, or the metric applies to none.
pub(super) fn results(measured: &Measured<'_>) -> Result<Sweep, LabError> {
    let compared = Compared::new(measured);
    let combinations = measured.combinations;
    let candidates = Candidates {
        questions: &compared.questions,
        values: &compared.values,
        choices: combinations.in_grid,
        start: combinations.start,
        measure: measured.measure,
        seed: measured.seed,
    };
    let choice = choice::choose(&candidates, measured.folds);
    if choice.best.is_none() {
        return Err(no_value(measured, &compared));
    }
    let (measure, seed) = (&measured.measure, measured.seed);
    let (questions, values) = (&compared.questions, &compared.values);
    let against = estimate::against_start(questions, values, combinations.start, measure, seed);
    let combinations_out: Vec<SweepCombination> = (against.iter().enumerate())
        .map(|(at, against)| combination(measured, &compared, at, against))
        .collect();
    let notes = notes(measured, &compared, &choice, &combinations_out);
    Ok(Sweep {
        query_set: measured.name.clone(),
        query_set_hash: measured.set.hash().to_owned(),
        questions: compared.questions.len(),
        metric: SweepMetric {
            key: measured.measure.key(),
            definition: measured.measure.definition().to_owned(),
            better: match measured.measure.direction() {
                Direction::Higher | Direction::Neither => "higher",
                Direction::Lower => "lower",
            }
            .to_owned(),
        },
        varied: combinations
            .axes
            .iter()
            .map(|axis| SweepAxis { key: axis.key.clone(), values: axis.values.clone() })
            .collect(),
        grid_size: combinations.grid_size,
        sampled: measured.sampled,
        failed: combinations_out.iter().map(|row| row.failed).sum(),
        choice: SweepChoice::new(choice, combinations),
        combinations: combinations_out,
        calls_sent: measured.models.counts().misses(),
        calls_cached: measured.models.counts().hits(),
        left_out: compared.left_out,
        notes,
        generation: measured.generation.clone(),
        version: eval_run::version(),
        seed: measured.seed,
    })
}

fn no_value(measured: &Measured<'_>, compared: &Compared) -> LabError {
    let key = measured.measure.key();
    let problem = if compared.questions.is_empty() {
        let first = measured.rows.iter().flatten().find_map(|row| row.error.clone());
        format!("every question failed with at least one combination: {}", first.unwrap_or_default())
    } else {
        format!("no question of {} has a value of {key}", measured.name)
    };
    LabError::Sweep {
        problems: vec![problem],
        hint: "the metric may need labels that the query set lacks, such as gold_evidence; choose another one with --metric \
               (`pipeline metrics` defines them)"
            .to_owned(),
    }
}

fn combination(
    measured: &Measured<'_>,
    compared: &Compared,
    at: usize,
    against: &Comparison,
) -> SweepCombination {
    let own: &Combination = &measured.combinations.all[at];
    let (measure, seed) = (&measured.measure, measured.seed);
    let values = Values { questions: &compared.questions, values: &compared.values[at] };
    let rows: Vec<&Kept> = compared.places.iter().map(|place| &measured.rows[at][*place]).collect();
    let right = |unanswerable: bool| {
        let of_kind = compared.questions.iter().zip(&rows);
        let of_kind: Vec<bool> = of_kind
            .filter(|(question, _)| question.unanswerable == unanswerable)
            .filter_map(|(_, row)| Some(row.refused? == unanswerable))
            .collect();
        let n = of_kind.len();
        (n > 0).then(|| of_kind.iter().filter(|right| **right).count() as f64 / n as f64)
    };
    let mut times: Vec<f64> = rows.iter().filter_map(|row| row.latency_ms).collect();
    times.sort_by(f64::total_cmp);
    let usage = rows.iter().fold(types::Usage::default(), |mut sum, row| {
        sum.add(row.usage());
        sum
    });
    let failed = measured.rows[at].iter().filter(|row| row.error.is_some()).count();
    SweepCombination {
        number: at + 1,
        settings: own
            .values
            .iter()
            .map(|(key, value)| SweepValue { key: key.clone(), value: value.clone() })
            .collect(),
        start: at == measured.combinations.start,
        in_grid: own.in_grid,
        config_hash: own.settings.config_hash(),
        mode: own.mode().to_string(),
        summary: estimate::summarise(values, measure, seed),
        against_start: against.clone(),
        answered: right(false),
        refused: right(true),
        latency_ms: (!times.is_empty()).then(|| times[(times.len() - 1) / 2]),
        timed: times.len(),
        calls: u64::from(usage.requests),
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: usage.completion_tokens,
        cost: cost(measured, own, &rows),
        failed,
    }
}

/// US dollars for the answers; `None` if the price of a model that was asked is not known.
fn cost(measured: &Measured<'_>, combination: &Combination, rows: &[&Kept]) -> Option<f64> {
    let by_stage = chat_models::by_stage(&combination.settings);
    let mut sum = 0.0;
    for (stage, usage) in rows.iter().flat_map(|row| row.spent.iter()) {
        let price = measured.models.price(by_stage.get(stage)?)?;
        sum += price.of(usage);
    }
    Some(sum)
}

/// What limits the numbers.
fn notes(
    measured: &Measured<'_>,
    compared: &Compared,
    choice: &Choice,
    combinations: &[SweepCombination],
) -> Vec<String> {
    let mut out = Vec::new();
    let key = measured.measure.key();
    let kinds = [false, true].map(|kind| {
        let known = |(at, question): (usize, &Asked)| {
            question.unanswerable == kind && compared.values.iter().any(|values| values[at].is_some())
        };
        compared.questions.iter().enumerate().any(known)
    });
    if !matches!(measured.measure, Measure::Metric(_)) && kinds != [true, true] {
        let (lacks, rewards) =
            if kinds[0] { ("unanswerable", "always answer") } else { ("answerable", "always refuse") };
        out.push(format!(
            "the questions have no {lacks} ones with labels, so {key} cannot punish settings that {rewards}"
        ));
    }
    if measured.measure.skips_refusals() {
        out.push(format!(
            "{key} does not apply to refusals, so combinations are compared on different questions, and one that refuses \
             more may look better; balanced_evidence applies to all"
        ));
    }
    let folds = choice.folds.len();
    if folds < measured.folds {
        out.push(format!(
            "only {folds} of {} folds, because questions that share papers stay together",
            measured.folds
        ));
    }
    let largest = choice.folds.iter().map(|fold| fold.questions).max().unwrap_or_default();
    if folds > 1 && 2 * largest > compared.questions.len() {
        out.push(format!(
            "one fold has {largest} of the {} questions, because they share papers: what is chosen for it is chosen on few",
            compared.questions.len()
        ));
    }
    if !compared.left_out.is_empty() {
        out.push(format!(
            "{} questions failed with at least one combination and are left out of all numbers",
            compared.left_out.len()
        ));
    }
    if combinations.iter().any(|one| one.timed < one.summary.n + one.summary.n_a) {
        out.push(
            "answers are not timed once a reply came from the cache; for the latency of all, run with --no-cache".to_owned(),
        );
    }
    out
}
