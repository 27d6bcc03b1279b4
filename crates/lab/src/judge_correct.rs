//! The judge's mean of a run, corrected by labels of its answers.

use crate::{error::LabError, runs};
use engine::settings::Settings;
use eval::{
    EvalError, Problem,
    agreement::{Confusion, Corrected, PpiRow, correct},
    judge::Label,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};
use types::Reporter;

/// What `judge correct` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeCorrected {
    /// The run.
    pub run_id: String,
    /// The retrieval mode.
    pub mode: String,
    /// Share of the answers that the judge calls supported.
    pub uncorrected: f64,
    /// The same with labels.
    #[serde(flatten)]
    pub estimated: Corrected,
    /// Labels against verdicts.
    pub confusion: Confusion,
    /// Cohen's kappa of labels and verdicts.
    pub kappa: Option<f64>,
}

/// Corrects the mean faithfulness of `RUN` or `RUN:MODE` (else its first mode) in the log, or in that of the settings, by
/// prediction-powered inference. `path`: JSON objects with the `id` of a question and the label `supported`, one a line.
///
/// # Errors
/// When a file cannot be read or is wrong, the run has not the answers that were labelled, or there are fewer than two labels.
pub async fn run(
    settings: &Settings,
    path: &Path,
    (log, run): (Option<&PathBuf>, &str),
    reporter: &dyn Reporter,
) -> Result<JudgeCorrected, LabError> {
    let labels = Label::load(path)?;
    let log = runs::open(settings, log)?;
    let (run, mode) = runs::named(&log, run, None)?;
    let run = runs::stored(settings, &log, run, reporter).await?;
    let mode = mode.or_else(|| run.modes().first().map(|mode| (*mode).to_owned())).unwrap_or_default();

    let (mut rows, mut verdicts, mut places) = (Vec::new(), Vec::new(), HashMap::new());
    // Refusals and failed rows have no verdict of a judge.
    let judged = run.evaluation.rows.iter().filter(|row| row.mode == mode && row.grade.is_some());
    for (row, verdict) in judged.filter_map(|row| Some((row, row.value("faithful")?))) {
        places.insert(row.query_id.as_str(), rows.len());
        rows.push(PpiRow { prediction: row.judge_score.unwrap_or(verdict), label: None });
        verdicts.push(verdict >= 0.5);
    }
    let (mut confusion, mut problems) = (Confusion::default(), Vec::new());
    for own in &labels {
        match (places.get(own.id.as_str()), own.label) {
            (_, None) => {}
            (None, _) => {
                let reason = format!("the run {} ({mode}) has no judged answer to {}", run.id(), own.id);
                problems.push(Problem::at(own.line, reason));
            }
            (Some(at), Some(label)) => {
                rows[*at].label = Some(label);
                confusion.add(label, verdicts[*at], 1);
            }
        }
    }
    if !problems.is_empty() {
        return Err(EvalError::Lines { path: path.to_path_buf(), problems, hint: Label::HINT }.into());
    }
    let Some(estimated) = correct(&rows) else {
        return Err(LabError::Message(format!(
            "{} has {} labels; set supported to 1 or 0 on two lines or more",
            path.display(),
            confusion.rows()
        )));
    };
    let faithful = verdicts.iter().filter(|verdict| **verdict).count();
    Ok(JudgeCorrected {
        run_id: run.id().to_owned(),
        mode,
        uncorrected: faithful as f64 / estimated.rows as f64,
        estimated,
        kappa: confusion.kappa(),
        confusion,
    })
}
