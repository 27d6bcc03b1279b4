//! How many questions separate two systems, before anybody has written them.

use crate::{error::LabError, query_set};
use eval::{
    ALPHA,
    estimate::{POWER, detectable_difference, questions_to_separate},
};
use serde::Serialize;
use std::{collections::BTreeSet, path::Path};

/// Shares of questions on which two systems differ, unless one is given.
const DISCORDANT: [f64; 5] = [0.05, 0.1, 0.2, 0.3, 0.5];
/// Differences, unless one is given.
const DIFFERENCES: [f64; 5] = [0.02, 0.05, 0.1, 0.15, 0.2];

/// What a set of questions can separate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueriesPlan {
    /// The p below which a difference of one metric is found.
    pub alpha: f64,
    /// The probability that it is.
    pub power: f64,
    /// Questions of the query set; null without one.
    pub questions: Option<usize>,
    /// Sets of papers that these are about, and questions without a paper.
    pub clusters: Option<usize>,
    /// By share of questions on which the systems differ.
    pub plan: Vec<Planned>,
}

/// What is needed where two systems differ on a share of the questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Planned {
    /// The share.
    pub discordant: f64,
    /// For each difference, the questions that separate it; null where the difference is larger than the share.
    pub needed: Vec<(f64, Option<usize>)>,
    /// The smallest difference that the query set separates; null without a set, or if it separates none.
    pub detectable: Option<f64>,
}

/// Plans for the differences and shares given, or for usual ones; with a query set, for its number of questions too.
///
/// # Errors
/// When the file cannot be read, or is no query set.
pub fn plan(
    file: Option<&Path>,
    difference: Option<f64>,
    discordant: Option<f64>,
) -> Result<QueriesPlan, LabError> {
    let set = file.map(query_set::load).transpose()?;
    let questions = set.as_ref().map(|set| set.queries.len());
    let differences = difference.map_or(DIFFERENCES.to_vec(), |one| vec![one]);
    let shares = discordant.map_or(DISCORDANT.to_vec(), |one| vec![one]);
    let planned = shares.into_iter().map(|discordant| Planned {
        discordant,
        needed: (differences.iter())
            .map(|difference| (*difference, questions_to_separate(*difference, discordant)))
            .collect(),
        detectable: questions.and_then(|questions| detectable_difference(questions, discordant)),
    });
    Ok(QueriesPlan {
        alpha: ALPHA,
        power: POWER,
        questions,
        clusters: set.map(|set| {
            let clusters = set.queries.iter().map(eval::Query::cluster);
            clusters.collect::<BTreeSet<_>>().len()
        }),
        plan: planned.collect(),
    })
}
