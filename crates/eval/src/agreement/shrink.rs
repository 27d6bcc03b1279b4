//! How much narrower the interval of a mean gets through a judge, tried out on rows that are all labelled.

use super::{JudgedRow, PpiRow, correct, draw, strata};
use crate::hash::seed_of;
use schemars::JsonSchema;
use serde::Serialize;

/// Samples that are drawn.
const DRAWS: u64 = 200;

/// Means over the samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "JudgeLabels")]
pub struct Shrink {
    /// Labels of each sample.
    pub labels: usize,
    /// Samples.
    pub samples: usize,
    /// Mean label of all rows: what is to be estimated.
    pub truth: f64,
    /// Share of the verdicts that are "supported": what an uncorrected judge says.
    pub uncorrected: f64,
    /// Mean width of the interval of the labels alone.
    pub width_labels_alone: f64,
    /// Mean width of the corrected interval.
    pub width_corrected: f64,
    /// Share of the samples whose corrected interval contains the truth.
    pub coverage: f64,
}

/// Draws samples of `labels` rows and forgets the other labels. `None` if there are not more rows than labels, or fewer than
/// two labels.
pub fn shrink(rows: &[JudgedRow], labels: usize, seed: u64) -> Option<Shrink> {
    if labels < 2 || rows.len() <= labels {
        return None;
    }
    let of = |value: bool| f64::from(u8::from(value));
    let share = |value: &dyn Fn(&JudgedRow) -> bool| {
        rows.iter().map(|row| of(value(row))).sum::<f64>() / rows.len() as f64
    };
    let truth = share(&|row| row.label);
    let scores: Vec<f64> = rows.iter().map(|row| row.score).collect();
    let strata = strata(&scores, labels);
    let (mut alone, mut corrected, mut covered) = (0.0, 0.0, 0.0);
    for at in 0..DRAWS {
        let mut sample: Vec<PpiRow> = (rows.iter().zip(&strata))
            .map(|(row, stratum)| PpiRow {
                stratum: *stratum,
                prediction: row.score,
                label: None,
            })
            .collect();
        for drawn in draw(&strata, labels, seed_of(seed, &at.to_string())) {
            sample[drawn.row].label = Some(rows[drawn.row].label);
        }
        let found = correct(&sample)?;
        let ends = |of: super::Estimate| of.low.zip(of.high);
        let (low, high) = ends(found.corrected)?;
        corrected += high - low;
        covered += of(low <= truth && truth <= high);
        let (low, high) = ends(found.labels_alone)?;
        alone += high - low;
    }
    let draws = DRAWS as f64;
    Some(Shrink {
        labels,
        samples: DRAWS as usize,
        truth,
        uncorrected: share(&|row| row.verdict),
        width_labels_alone: alone / draws,
        width_corrected: corrected / draws,
        coverage: covered / draws,
    })
}
