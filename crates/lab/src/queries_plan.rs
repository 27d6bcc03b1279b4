//! How many questions separate two systems, before anybody has written them.

use crate::{error::LabError, query_set};
use eval::estimate::{ALPHA, POWER, detectable_difference, questions_to_separate};
use serde::Serialize;
use std::path::Path;

/// What a number of questions can separate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueriesPlan {
    /// The p below which a difference of one metric is found.
    pub alpha: f64,
    /// The probability that it is.
    pub power: f64,
    /// Questions of the query set; null without one.
    pub questions: Option<usize>,
    /// Differences of the rates of two systems.
    pub differences: Vec<f64>,
    /// By the share of questions on which two systems differ. Questions about the same papers count for less.
    pub plan: Vec<Planned>,
}

/// What is needed where two systems differ on a share of the questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Planned {
    /// The share.
    pub discordant: f64,
    /// For each difference, the questions that separate it; null where the difference is larger than the share.
    pub needed: Vec<Option<usize>>,
    /// The smallest difference that the query set separates; null without a set, or if it separates none.
    pub detectable: Option<f64>,
}

/// Plans for these differences and shares; with a query set, for its number of questions too.
///
/// # Errors
/// When the file cannot be read, or is no query set.
pub fn plan(file: Option<&Path>, differences: &[f64], shares: &[f64]) -> Result<QueriesPlan, LabError> {
    let set = file.map(query_set::load).transpose()?;
    let questions = set.map(|set| set.queries.len());
    let planned = shares.iter().map(|share| {
        let needed = |difference: &f64| questions_to_separate(*difference, *share);
        Planned {
            discordant: *share,
            needed: differences.iter().map(needed).collect(),
            detectable: questions.and_then(|questions| detectable_difference(questions, *share)),
        }
    });
    let plan = planned.collect();
    Ok(QueriesPlan { alpha: ALPHA, power: POWER, questions, differences: differences.to_vec(), plan })
}
