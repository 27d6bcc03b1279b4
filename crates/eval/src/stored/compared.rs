//! Two runs, or two modes of one, question by question.

use super::StoredRun;
use crate::comparison::{Pairs, comparison};
use crate::metrics;
use crate::report::Setting;
use crate::stats::holm;
use crate::{ALPHA, Comparison, EvalError, Ordered, Row};
use std::collections::{BTreeMap, BTreeSet};

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The setting, as `section.key`, or what else differs.
    pub key: String,
    /// Its value in the first run; `None` if that has none.
    pub first: Option<String>,
    /// Its value in the second run.
    pub second: Option<String>,
}

/// One metric over the questions that have a value on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Mean of the first side over these questions; `None` without any.
    pub first: Option<f64>,
    /// Mean of the second side.
    pub second: Option<f64>,
    /// First minus second, with interval and paired test.
    pub difference: Comparison,
    /// p after Holm's correction over all metrics that have pairs; `None` without pairs.
    pub p_holm: Option<f64>,
    /// Questions for which the first side is better, by id.
    pub won: Vec<String>,
    /// Questions for which the second side is better, by id.
    pub lost: Vec<String>,
}

impl Measured {
    /// Whether the difference is significant after the correction.
    pub fn separates(&self) -> bool {
        self.p_holm.is_some_and(|p| p < ALPHA)
    }
}

/// Two sides compared. Ids are in the order of the first side, then of the second.
#[derive(Clone, Debug, PartialEq)]
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
    /// By metric of the final answer, in the order of the report.
    pub metrics: Ordered<Measured>,
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
    let mut pairs: Pairs<'_> = BTreeMap::new();
    let (mut only_first, mut asked_otherwise) = (Vec::new(), Vec::new());
    let theirs: BTreeMap<&str, &Row> = other.iter().map(|row| (row.query_id.as_str(), *row)).collect();
    for row in &own {
        match theirs.get(row.query_id.as_str()) {
            Some(found) if found.query.trim() == row.query.trim() => {
                pairs.insert(&row.query_id, (*row, *found));
            }
            Some(_) => asked_otherwise.push(row.query_id.clone()),
            None => only_first.push(row.query_id.clone()),
        }
    }
    let ours: BTreeSet<&str> = own.iter().map(|row| row.query_id.as_str()).collect();
    let only_second = other.iter().filter(|row| !ours.contains(row.query_id.as_str()));
    let only_second: Vec<String> = only_second.map(|row| row.query_id.clone()).collect();
    let (here, there) = (side(first, first_mode), side(second, second_mode));
    if pairs.is_empty() {
        return Err(EvalError::NothingInCommon {
            first: format!("{}:{}", here.run_id, here.mode),
            second: format!("{}:{}", there.run_id, there.mode),
        });
    }
    let order: Vec<&str> = own.iter().map(|row| row.query_id.as_str()).collect();
    let mut measured: Vec<(String, Measured)> = metrics::stage(false)
        .map(|column| {
            let key = column.key();
            let better = |improves: fn(f64) -> bool| -> Vec<String> {
                let direction = column.spec().direction;
                let ids = order.iter().filter(|id| {
                    let Some((a, b)) = pairs.get(**id) else {
                        return false;
                    };
                    let Some((a, b)) = a.value(&key).zip(b.value(&key)) else {
                        return false;
                    };
                    let sign = if direction.improves(1.0) { 1.0 } else { -1.0 };
                    improves(sign * (a - b))
                });
                ids.map(|id| (*id).to_owned()).collect()
            };
            let values: Vec<(f64, f64)> = pairs
                .values()
                .filter_map(|(a, b)| a.value(&key).zip(b.value(&key)))
                .collect();
            let mean = |of: fn(&(f64, f64)) -> f64| {
                (!values.is_empty()).then(|| values.iter().map(of).sum::<f64>() / values.len() as f64)
            };
            let measured = Measured {
                first: mean(|pair| pair.0),
                second: mean(|pair| pair.1),
                difference: comparison(&pairs, column, seed),
                p_holm: None,
                won: better(|difference| difference > 0.0),
                lost: better(|difference| difference < 0.0),
            };
            (key, measured)
        })
        .collect();
    let tested: Vec<f64> = measured.iter().filter_map(|(_, one)| one.difference.p).collect();
    let mut corrected = holm(&tested).into_iter();
    for (_, one) in &mut measured {
        one.p_holm = one.difference.p.and_then(|_| corrected.next());
    }
    Ok(Compared {
        differing: differing(first, second),
        first: here,
        second: there,
        pairs: pairs.len(),
        only_first,
        only_second,
        asked_otherwise,
        metrics: measured.into_iter().collect(),
    })
}

fn rows<'a>(run: &'a StoredRun<'_>, mode: &str) -> Vec<&'a Row> {
    run.evaluation
        .rows
        .iter()
        .filter(|row| row.mode == mode)
        .collect()
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
    let (a, b) = (&first.evaluation.provenance, &second.evaluation.provenance);
    let settings = |settings: &[Setting]| -> Vec<(String, String)> {
        let each = settings.iter();
        each.map(|one| (format!("{}.{}", one.section, one.key), one.value.clone()))
            .collect()
    };
    let models = |models: &BTreeMap<String, String>| -> Vec<(String, String)> {
        let each = models.iter();
        each.map(|(role, model)| (format!("model: {role}"), model.clone()))
            .collect()
    };
    let rest = |from: &crate::report::Provenance| {
        vec![
            ("query set".to_owned(), from.query_set_hash.clone()),
            ("index generation".to_owned(), from.generation.clone()),
            ("version".to_owned(), from.version.clone()),
            ("seed".to_owned(), from.seed.to_string()),
        ]
    };
    let all = |from: &crate::report::Provenance| {
        [settings(&from.architecture), models(&from.models), rest(from)].concat()
    };
    let (a, b) = (all(a), all(b));
    let find = |list: &[(String, String)], key: &str| {
        let found = list.iter().find(|(own, _)| own == key);
        found.map(|(_, value)| value.clone())
    };
    let mut keys: Vec<&String> = a.iter().map(|(key, _)| key).collect();
    keys.extend(b.iter().map(|(key, _)| key).filter(|key| find(&a, key).is_none()));
    keys.into_iter()
        .map(|key| Differing {
            key: key.clone(),
            first: find(&a, key),
            second: find(&b, key),
        })
        .filter(|one| one.first != one.second)
        .collect()
}
