//! Two experiments on the same questions.

use super::{ExperimentRow, Results};
use crate::AssessError;
use crate::metrics::{Spec, specs};
use eval::metrics::{Direction, Range};
use eval::paired::{Scored, compare, won_and_lost};
use eval::{Comparison, Ordered};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// An experiment minus an earlier one, question by question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The experiment.
    pub name: String,
    /// The earlier one.
    pub earlier: String,
    /// Questions that both have.
    pub pairs: usize,
    /// Ids of the questions that only the experiment has.
    pub only_here: Vec<String>,
    /// Ids of the questions that only the earlier one has.
    pub only_there: Vec<String>,
    /// By metric, those that have a value in both for some question.
    pub metrics: Ordered<MetricDifference>,
}

/// One metric of two experiments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricDifference {
    /// Mean difference with interval and test. All metrics are one family.
    #[serde(flatten)]
    pub difference: Comparison,
    /// Ids of the questions for which the experiment is better.
    pub better: Vec<String>,
    /// Ids of the questions for which it is worse.
    pub worse: Vec<String>,
}

impl Scored for ExperimentRow {
    fn id(&self) -> &str {
        &self.row.id
    }

    fn cluster(&self) -> &str {
        self.scored.cluster()
    }

    fn value_of(&self, key: &str) -> Option<f64> {
        self.scored.scores.get(key).and_then(eval::Score::get)
    }
}

impl Results {
    /// Compares with an earlier experiment. Questions are matched by id.
    ///
    /// # Errors
    /// [`AssessError::Compare`] when the two have other judges or limits, or no question in common, or an id names two questions.
    pub fn compare(&self, earlier: &Self) -> Result<Compared, AssessError> {
        let cannot = |reason: String| AssessError::Compare {
            first: self.name.clone(),
            second: earlier.name.clone(),
            reason,
        };
        if self.judge != earlier.judge {
            return Err(cannot(format!(
                "they were judged by {:?} and {:?}; use the same judge for both",
                self.judge, earlier.judge
            )));
        }
        if self.limits != earlier.limits {
            return Err(cannot(
                "they have different limits; use the same limits for both".to_owned(),
            ));
        }
        let there: HashMap<&str, &ExperimentRow> = earlier
            .rows
            .iter()
            .map(|row| (row.row.id.as_str(), row))
            .collect();
        let mut pairs: Vec<(&ExperimentRow, &ExperimentRow)> = Vec::new();
        let mut only_here = Vec::new();
        for row in &self.rows {
            match there.get(row.row.id.as_str()) {
                None => only_here.push(row.row.id.clone()),
                Some(other) if asked(row) == asked(other) => pairs.push((row, other)),
                Some(_) => {
                    return Err(cannot(format!(
                        "the id {:?} names two questions; give each question an id of its own",
                        row.row.id
                    )));
                }
            }
        }
        if pairs.is_empty() {
            return Err(cannot("they have no question in common".to_owned()));
        }
        let paired = |id: &String| pairs.iter().any(|(row, _)| row.row.id == *id);
        let only_there = earlier.rows.iter().map(|row| row.row.id.clone());
        Ok(Compared {
            name: self.name.clone(),
            earlier: earlier.name.clone(),
            pairs: pairs.len(),
            only_here,
            only_there: only_there.filter(|id| !paired(id)).collect(),
            metrics: differences(&pairs, self.seed),
        })
    }
}

fn asked(row: &ExperimentRow) -> &str {
    row.row.question.as_deref().unwrap_or_default().trim()
}

fn differences(pairs: &[(&ExperimentRow, &ExperimentRow)], seed: u64) -> Ordered<MetricDifference> {
    let specs: Vec<&Spec> = specs().filter(|spec| spec.range == Range::UNIT).collect();
    let keys: Vec<&str> = specs.iter().map(|spec| spec.key).collect();
    let (here, there): (Vec<&ExperimentRow>, Vec<&ExperimentRow>) = pairs.iter().copied().unzip();
    let compared = compare(&here, &there, &keys, seed);
    let tested = specs
        .iter()
        .zip(compared.iter())
        .filter(|(_, (_, found))| found.n_pairs > 0);
    tested
        .map(|(spec, (key, difference))| {
            let direction = spec.direction.unwrap_or(Direction::Higher);
            let [better, worse] = won_and_lost(pairs, key, direction);
            let found = MetricDifference {
                difference: difference.clone(),
                better,
                worse,
            };
            (key.to_owned(), found)
        })
        .collect()
}
