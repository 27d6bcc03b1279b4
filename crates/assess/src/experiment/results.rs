//! What came of an experiment.

use crate::metrics::Scored;
use crate::summary::{MetricSummary, Summary};
use crate::{AssessError, Limits};
use rows::AnswerRow;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use types::files::{DATA_BYTES, read_bounded, write_atomic};

/// What came of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Its name.
    pub name: String,
    /// The name of its data set.
    pub dataset: String,
    /// What judged the support of claims, with its version.
    pub judge: String,
    /// Seed of the intervals and tests.
    pub seed: u64,
    /// Means with intervals, pass rates (`relevance_pass_rate`, `groundedness_pass_rate`, …), targets.
    pub metrics: Summary,
    /// What counted as supported, relevant and failed.
    pub limits: Limits,
    /// In the order of the data set.
    pub rows: Vec<ExperimentRow>,
}

/// A question with its answer and its scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExperimentRow {
    /// Question, answer, passages and labels.
    pub row: AnswerRow,
    /// Its scores, and why it fails.
    #[serde(flatten)]
    pub scored: Scored,
    /// Why there is no answer; `None` if there is one.
    pub error: Option<String>,
}

impl Results {
    /// A metric over the rows; without a value or a row for a name that is none.
    pub fn metric(&self, key: &str) -> MetricSummary {
        self.metrics.metrics.get(key).cloned().unwrap_or_default()
    }

    /// Writes the results as JSON, whole or not at all.
    ///
    /// # Errors
    /// [`AssessError::Write`] or [`AssessError::Json`].
    pub fn save(&self, path: &Path) -> Result<(), AssessError> {
        let text = serde_json::to_string_pretty(self).map_err(AssessError::Json)?;
        write_atomic(path, &[text.as_bytes(), b"\n"]).map_err(|source| AssessError::Write {
            path: path.to_path_buf(),
            source,
        })
    }

    /// Reads what [`Results::save`] wrote.
    ///
    /// # Errors
    /// [`AssessError::Read`] or [`AssessError::Results`].
    pub fn load(path: &Path) -> Result<Self, AssessError> {
        let bytes = read_bounded(path, DATA_BYTES).map_err(|source| AssessError::Read {
            path: path.to_path_buf(),
            source,
        })?;
        serde_json::from_slice(&bytes).map_err(|source| AssessError::Results {
            path: path.to_path_buf(),
            source,
        })
    }
}

/// A table for a terminal: the metrics that have a value.
impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.rows.iter().filter(|row| row.error.is_some()).count();
        writeln!(
            f,
            "{:?} on {:?}: {} questions, {errors} without an answer, judge {}",
            self.name,
            self.dataset,
            self.rows.len(),
            self.judge
        )?;
        for (key, metric) in self.metrics.metrics.iter() {
            let Some(mean) = metric.mean else { continue };
            let interval = match (metric.ci_low, metric.ci_high) {
                (Some(low), Some(high)) => format!("[{low:.3}, {high:.3}]"),
                _ => String::new(),
            };
            writeln!(f, "{key:<26} {mean:>7.3} {interval:<16} {} rows", metric.n)?;
        }
        Ok(())
    }
}
