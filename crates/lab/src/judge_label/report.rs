//! The judge's mean of a run, corrected by labels of its answers.

use super::{LabelLine, answers::Answers};
use crate::error::LabError;
use engine::settings::Settings;
use eval::{
    EvalError, Problem,
    agreement::{Confusion, Estimate, PpiRow, correct},
    json_lines::load,
    judge::label_of,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};
use types::Reporter;

const HINT: &str =
    "each line must be one that `judge label` wrote, with faithful set to 1 or 0 (null: no label)";

/// What `judge correct` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LabelReport {
    /// The run.
    pub run_id: String,
    /// The retrieval mode.
    pub mode: String,
    /// Answers with a verdict of the judge.
    pub rows: usize,
    /// Answers with a label.
    pub labels: usize,
    /// Drawn answers without a label.
    pub unlabelled: usize,
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

/// Labels and the log that they were drawn from.
#[derive(Clone, Debug)]
pub struct LabelReportRequest {
    /// The file that `judge label` wrote, with labels filled in.
    pub labels: PathBuf,
    /// The run log; that of the settings when `None`.
    pub log: Option<PathBuf>,
}

/// Corrects the mean faithfulness of the run that the labels are of (prediction-powered inference).
///
/// # Errors
/// When a file cannot be read or is wrong, the log has not the answers that were drawn, or there are fewer than two labels.
pub fn label_report(
    settings: &Settings,
    request: &LabelReportRequest,
    reporter: &dyn Reporter,
) -> Result<LabelReport, LabError> {
    let path = &request.labels;
    let row = |number: usize, text: &str| {
        let line: LabelLine = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let label = line.faithful.as_ref().map(label_of).transpose()?;
        Ok((number, line, label.flatten()))
    };
    let lines = load(path, HINT, row, |(_, line, _)| ("id", line.id.clone()))?;
    let Some((_, first, _)) = lines.first() else {
        return Err(bad(path, vec![problem(0, "it has no lines".to_owned())]));
    };
    let sample = first.sample.clone();
    let log = request.log.as_ref().unwrap_or(&settings.log.file);
    let answers = Answers::read(log, Some(&sample.run_id), Some(&sample.mode), reporter)?;
    let places: HashMap<&str, usize> = answers.rows.iter().map(|row| row.id.as_str()).zip(0..).collect();

    let mut rows: Vec<PpiRow> =
        answers.rows.iter().map(|answer| PpiRow { prediction: answer.score, label: None }).collect();
    let mut confusion = Confusion::default();
    let mut problems = Vec::new();
    for (number, line, label) in &lines {
        let of_the_run = (&line.sample.run_id, &line.sample.mode) == (&sample.run_id, &sample.mode);
        match places.get(line.id.as_str()) {
            _ if !of_the_run => {
                let reason = "it is of another run or mode than the first line";
                problems.push(problem(*number, reason.to_owned()));
            }
            None => problems.push(problem(*number, format!("the run has no judged answer to {}", line.id))),
            Some(at) => {
                if let Some(label) = label {
                    rows[*at].label = Some(*label);
                    confusion.add(*label, answers.rows[*at].verdict, 1);
                }
            }
        }
    }
    if !problems.is_empty() {
        return Err(bad(path, problems));
    }
    let Some(found) = correct(&rows) else {
        return Err(LabError::Message(format!(
            "{} has {} labels; set faithful to 1 or 0 on two lines or more",
            path.display(),
            confusion.rows()
        )));
    };
    let faithful = answers.rows.iter().filter(|row| row.verdict).count();
    Ok(LabelReport {
        run_id: sample.run_id,
        mode: sample.mode,
        rows: found.rows,
        labels: found.labels,
        unlabelled: lines.len() - found.labels,
        uncorrected: faithful as f64 / found.rows as f64,
        corrected: found.corrected,
        labels_alone: found.labels_alone,
        lambda: found.lambda,
        kappa: confusion.kappa(),
        confusion,
    })
}

fn problem(line: usize, reason: String) -> Problem {
    Problem::at(line, reason)
}

fn bad(path: &Path, problems: Vec<Problem>) -> LabError {
    LabError::Eval(EvalError::Benchmark { path: path.to_path_buf(), problems, hint: HINT })
}
