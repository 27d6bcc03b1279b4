//! Two runs, or two modes of one, question by question.

use super::StoredRun;
use crate::metrics;
use crate::paired::{compare_rows, leave_out_by_construction, pairs_of, won_and_lost};
use crate::report::Provenance;
use crate::{Comparison, EvalError, Ordered, Row};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "RunSide")]
pub struct Side {
    /// The run.
    pub run_id: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The mode.
    pub mode: String,
    /// The query set.
    pub query_set: String,
    /// Hash of the settings.
    pub config_hash: String,
}

/// A setting that the two runs do not share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "RunDifference")]
pub struct Differing {
    /// The setting, as `section.key`, or what else differs.
    pub key: String,
    /// Its value in the first run; null if that has none.
    pub first: Option<String>,
    /// Its value in the second run.
    pub second: Option<String>,
}

/// One metric over the questions that have a value on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "RunMeasured")]
pub struct Measured {
    /// The metric.
    pub metric: String,
    /// Its title.
    pub title: &'static str,
    /// Mean of the first side over these questions; null without any.
    pub first: Option<f64>,
    /// Mean of the second side.
    pub second: Option<f64>,
    /// First minus second, with interval and paired test.
    pub difference: Comparison,
    /// p after Holm's correction over all metrics that can differ; null outside of them.
    pub p_holm: Option<f64>,
    /// Whether the difference is significant after the correction.
    pub separates: bool,
    /// Questions for which the first side is better, by id.
    pub won: Vec<String>,
    /// Questions for which the second side is better, by id.
    pub lost: Vec<String>,
}

/// What `runs compare` prints: one comparison, or one for each mode that both runs have.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunComparison {
    /// The comparisons.
    pub comparisons: Vec<Compared>,
}

/// Two sides compared. Ids are in the order of the first side, then of the second.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "ModesCompared")]
pub struct Compared {
    /// The first side.
    pub first: Side,
    /// The second side.
    pub second: Side,
    /// What differs between the settings, the models and the index of the two.
    pub differing: Vec<Differing>,
    /// Questions that both sides were asked.
    pub pairs: usize,
    /// Questions that only the first side was asked.
    pub only_first: Vec<String>,
    /// Questions that only the second side was asked.
    pub only_second: Vec<String>,
    /// Ids under which the two were asked different questions; they are left out.
    pub asked_otherwise: Vec<String>,
    /// The metrics of the final answer, in the order of the report.
    pub metrics: Vec<Measured>,
}

/// Compares a mode of one run with a mode of another, or of the same.
///
/// # Errors
/// [`EvalError::NothingInCommon`] when no question was asked on both sides.
pub fn compare_modes(
    (first, first_mode): (&StoredRun<'_>, &str),
    (second, second_mode): (&StoredRun<'_>, &str),
    seed: u64,
) -> Result<Compared, EvalError> {
    let (own, other) = (rows(first, first_mode), rows(second, second_mode));
    let alone = |rows: &[&Row], without: &[&Row]| -> Vec<String> {
        let known: BTreeSet<&str> = without.iter().map(|row| row.query_id.as_str()).collect();
        rows.iter().map(|row| row.query_id.clone()).filter(|id| !known.contains(id.as_str())).collect()
    };
    let (only_first, only_second) = (alone(&own, &other), alone(&other, &own));
    let same = |(a, b): &(&&Row, &&Row)| a.query.trim() == b.query.trim();
    let (pairs, otherwise): (Vec<_>, Vec<_>) = pairs_of(&own, &other).into_iter().partition(same);
    let (here, there) = (side(first, first_mode), side(second, second_mode));
    if pairs.is_empty() {
        return Err(EvalError::NothingInCommon {
            first: format!("{}:{}", here.run_id, here.mode),
            second: format!("{}:{}", there.run_id, there.mode),
        });
    }
    let (a, b): (Vec<&Row>, Vec<&Row>) = pairs.iter().map(|(a, b)| (**a, **b)).unzip();
    let mut differences = compare_rows(&a, &b, seed);
    let extractive = |run: &StoredRun<'_>| run.evaluation.provenance.extractive();
    if extractive(first) && extractive(second) {
        leave_out_by_construction(&mut differences);
    }
    let measured = metrics::stage(false).filter_map(|column| {
        let key = column.key();
        let both = pairs.iter().filter_map(|(a, b)| a.value(&key).zip(b.value(&key)));
        let (ours, theirs): (Vec<f64>, Vec<f64>) = both.unzip();
        let mean = |of: &[f64]| (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64);
        let [won, lost] = won_and_lost(&pairs, &key, column.spec().direction);
        let difference = differences.get(&key)?.clone();
        Some(Measured {
            title: column.spec().title,
            first: mean(&ours),
            second: mean(&theirs),
            p_holm: difference.p_holm,
            separates: difference.separates(),
            difference,
            won,
            lost,
            metric: key,
        })
    });
    Ok(Compared {
        differing: differing(first, second),
        first: here,
        second: there,
        pairs: pairs.len(),
        only_first,
        only_second,
        asked_otherwise: otherwise.iter().map(|(row, _)| row.query_id.clone()).collect(),
        metrics: measured.collect(),
    })
}

fn rows<'a>(run: &'a StoredRun<'_>, mode: &str) -> Vec<&'a Row> {
    run.evaluation.rows.iter().filter(|row| row.mode == mode).collect()
}

fn side(run: &StoredRun<'_>, mode: &str) -> Side {
    let from = &run.evaluation.provenance;
    Side {
        run_id: run.id().to_owned(),
        name: run.name().map(str::to_owned),
        mode: mode.to_owned(),
        query_set: from.query_set.clone(),
        config_hash: from.config_hash.clone(),
    }
}

/// What the provenance of two runs does not share: settings, then models, then index and version.
fn differing(first: &StoredRun<'_>, second: &StoredRun<'_>) -> Vec<Differing> {
    let (a, b) = (facts(&first.evaluation.provenance), facts(&second.evaluation.provenance));
    let keys = a.keys().chain(b.keys().filter(|key| a.get(key).is_none()));
    let both = keys.map(|key| Differing {
        key: key.to_owned(),
        first: a.get(key).cloned(),
        second: b.get(key).cloned(),
    });
    both.filter(|one| one.first != one.second).collect()
}

fn facts(from: &Provenance) -> Ordered<String> {
    let settings = from.architecture.iter();
    let settings = settings.map(|one| (format!("{}.{}", one.section, one.key), one.value.clone()));
    let models = from.models.iter().map(|(role, model)| (format!("model: {role}"), model.clone()));
    let rest = [
        ("query set", from.query_set_hash.clone()),
        ("index generation", from.generation.clone()),
        ("version", from.version.clone()),
        ("seed", from.seed.to_string()),
    ];
    settings.chain(models).chain(rest.map(|(key, value)| (key.to_owned(), value))).collect()
}
