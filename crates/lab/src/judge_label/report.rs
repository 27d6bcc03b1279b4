//! The judge's mean of a run, corrected by labels of its answers.

use super::{
    LabelLine,
    answers::{Answers, letters},
};
use crate::error::LabError;
use engine::settings::Settings;
use eval::{
    EvalError, Problem,
    agreement::{Confusion, Estimate, PpiRow, correct, strata},
    judge::label_of,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
};
use types::{
    Reporter,
    files::{DATA_BYTES, read_text_bounded},
};

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
    let lines = read(path)?;
    let Some((first, _)) = lines.first() else {
        return Err(bad(path, vec![problem(0, "it has no lines".to_owned())]));
    };
    let sample = first.sample.clone();
    let log = request.log.as_ref().unwrap_or(&settings.log.file);
    let answers = Answers::read(log, Some(&sample.run_id), Some(&sample.mode), reporter)?;
    let strata = strata(&answers.scores(), sample.drawn);
    let letters = letters(&strata, sample.seed);
    let places: HashMap<&str, usize> = answers.rows.iter().map(|row| row.id.as_str()).zip(0..).collect();

    let mut rows: Vec<PpiRow> = (answers.rows.iter().zip(&strata))
        .map(|(answer, stratum)| PpiRow {
            stratum: *stratum,
            prediction: answer.score,
            label: None,
        })
        .collect();
    let mut confusion = Confusion::default();
    let mut problems = Vec::new();
    for (number, (line, label)) in (1..).zip(&lines) {
        match places.get(line.id.as_str()) {
            Some(at) if letters[strata[*at]] == line.sample.stratum => {
                if let Some(label) = label {
                    rows[*at].label = Some(*label);
                    confusion.add(*label, answers.rows[*at].verdict, 1);
                }
            }
            Some(_) => problems.push(problem(
                number,
                format!("the score of {} has changed since it was drawn", line.id),
            )),
            None => problems.push(problem(
                number,
                format!("the run has no judged answer to {}", line.id),
            )),
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

/// The lines with their labels.
fn read(path: &Path) -> Result<Vec<(LabelLine, Option<bool>)>, LabError> {
    let text = read_text_bounded(path, DATA_BYTES).map_err(LabError::io("read", path))?;
    let (mut lines, mut problems, mut ids) = (Vec::new(), Vec::new(), BTreeSet::new());
    let of_one_run = |lines: &[(LabelLine, Option<bool>)], line: &LabelLine| {
        lines.first().is_none_or(|(first, _)| {
            (&first.sample.run_id, &first.sample.mode) == (&line.sample.run_id, &line.sample.mode)
        })
    };
    for (at, text) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let mut wrong = |reason: String| problems.push(problem(at + 1, reason));
        let line: LabelLine = match serde_json::from_str(text) {
            Ok(line) => line,
            Err(error) => {
                wrong(error.to_string());
                continue;
            }
        };
        let label = match line.faithful.as_ref().map(label_of).transpose() {
            Ok(label) => label.flatten(),
            Err(reason) => {
                wrong(reason);
                continue;
            }
        };
        if !ids.insert(line.id.clone()) {
            wrong(format!("{} is on an earlier line too", line.id));
        } else if of_one_run(&lines, &line) {
            lines.push((line, label));
        } else {
            wrong("it is of another run or mode than the first line".to_owned());
        }
    }
    if problems.is_empty() {
        return Ok(lines);
    }
    Err(bad(path, problems))
}

fn problem(line: usize, reason: String) -> Problem {
    Problem::at(line, reason)
}

fn bad(path: &Path, problems: Vec<Problem>) -> LabError {
    LabError::Eval(EvalError::Benchmark {
        path: path.to_path_buf(),
        problems,
        hint: HINT,
    })
}
