//! The judge's mean of a run, corrected by labels of its answers.

use crate::{error::LabError, runs};
use engine::settings::Settings;
use eval::{
    EvalError, Problem,
    agreement::{Confusion, Estimate, PpiRow, correct},
    judge::Label,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{collections::HashMap, path::PathBuf};
use types::Reporter;

/// What `judge correct` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeCorrected {
    /// The run.
    pub run_id: String,
    /// The retrieval mode.
    pub mode: String,
    /// Answers with a verdict of the judge.
    pub rows: usize,
    /// Answers with a label.
    pub labels: usize,
    /// Share of the answers that the judge calls faithful.
    pub uncorrected: f64,
    /// Share of faithful answers, from labels and judge.
    pub corrected: Estimate,
    /// The same from the labels alone.
    pub labels_alone: Estimate,
    /// The weight of the judge's scores in the corrected mean, from 0.
    pub lambda: f64,
    /// Labels against verdicts.
    pub confusion: Confusion,
    /// Cohen's kappa of labels and verdicts.
    pub kappa: Option<f64>,
}

/// Labels, and the run whose answers they are of.
#[derive(Clone, Debug)]
pub struct CorrectRequest {
    /// The labels: JSON objects with the `id` of a question and `faithful`, one a line.
    pub labels: PathBuf,
    /// The run log; that of the settings when `None`.
    pub log: Option<PathBuf>,
    /// The run, or `RUN:MODE`; the first mode of a run is taken.
    pub run: String,
}

/// Corrects the mean faithfulness of the run (prediction-powered inference).
///
/// # Errors
/// When a file cannot be read or is wrong, the run has not the answers that were labelled, or there are fewer than two labels.
pub async fn run(
    settings: &Settings,
    request: &CorrectRequest,
    reporter: &dyn Reporter,
) -> Result<JudgeCorrected, LabError> {
    let path = &request.labels;
    let labels = Label::load(path)?;
    let log = runs::open(settings, request.log.as_ref())?;
    let (run, mode) = runs::named(&log, &request.run)?;
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
        return Err(EvalError::Benchmark { path: path.clone(), problems, hint: Label::HINT }.into());
    }
    let Some(found) = correct(&rows) else {
        return Err(LabError::Message(format!(
            "{} has {} labels; set faithful to 1 or 0 on two lines or more",
            path.display(),
            confusion.rows()
        )));
    };
    let faithful = verdicts.iter().filter(|verdict| **verdict).count();
    Ok(JudgeCorrected {
        run_id: run.id().to_owned(),
        mode,
        rows: found.rows,
        labels: found.labels,
        uncorrected: faithful as f64 / found.rows as f64,
        corrected: found.corrected,
        labels_alone: found.labels_alone,
        lambda: found.lambda,
        kappa: confusion.kappa(),
        confusion,
    })
}
