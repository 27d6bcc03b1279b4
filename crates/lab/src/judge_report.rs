//! Measures judges against the labels of people, on one set or several, side by side.

mod document;
mod measure;
mod render;
mod sets;

pub use crate::judging::{JudgeClaim, JudgeScore};
pub use document::JudgeReport;
pub use render::{interval, page};

use crate::{
    benchmark::check_output,
    error::LabError,
    judge_run::verdict_line,
    judging::{InOrder, JudgeLine, judge_all, judge_named},
};
use document::{JudgeResult, JudgeTime};
use engine::settings::{JudgeChoice, Settings};
use eval::{agreement::RESAMPLES, judge::JudgeOutput};
use measure::{comparison, on_sets};
use serde_json::Value;
use sets::LabelledSet;
use std::{path::PathBuf, time::Instant};
use types::{
    Reporter, Stop, sealed,
    written::{marked, write_output},
};

/// The file of `--output` with one line for each judge and row.
pub const SCORES: &str = "scores.jsonl";

/// The file of `--output` with the tables.
pub const REPORT: &str = "report.md";

/// What to measure.
#[derive(Clone, Debug)]
pub struct ReportRequest {
    /// Files of labelled rows, or folders of such files.
    pub paths: Vec<PathBuf>,
    /// The judges; empty for that of the settings.
    pub judges: Vec<JudgeChoice>,
    /// Rows of each set, drawn at random; `None` for all.
    pub limit: Option<usize>,
    /// Mistakes to show of each set.
    pub examples: usize,
    /// The folder for [`SCORES`] and [`REPORT`].
    pub output: Option<PathBuf>,
    /// The most that calls to language models may cost, in US dollars.
    pub max_cost: Option<f64>,
    /// Set by the caller to stop.
    pub stop: Stop,
}

/// A judge with its verdicts on all rows of all sets.
pub(crate) struct Verdicts {
    pub(crate) name: String,
    pub(crate) id: String,
    /// By set, then by row.
    pub(crate) sets: Vec<Vec<JudgeScore>>,
    pub(crate) time: JudgeTime,
}

/// Judges the rows and measures how often the verdicts agree with the labels.
///
/// # Errors
/// When a set or the output is wrong, a judge cannot be built, or the user stopped the work. A row that fails is counted.
pub async fn run(
    settings: &Settings,
    request: &ReportRequest,
    reporter: &dyn Reporter,
) -> Result<JudgeReport, LabError> {
    let seed = settings.eval.seed;
    let sets = sets::load(&request.paths, request.limit, seed)?;
    let mut choices = request.judges.clone();
    if choices.is_empty() {
        choices.push(settings.eval.judge);
    }
    choices.dedup();
    if let Some(folder) = &request.output {
        std::fs::create_dir_all(folder).map_err(LabError::io("create", folder))?;
        check_output(&folder.join(SCORES))?;
    }
    let mut all = Vec::new();
    for choice in &choices {
        let verdicts = judged(settings, *choice, &sets, request, reporter).await?;
        if !all.iter().any(|other: &Verdicts| other.id == verdicts.id) {
            all.push(verdicts);
        }
    }
    let report = report(settings, request, &sets, &all);
    if let Some(folder) = &request.output {
        let mut scores = String::new();
        for line in all.iter().flat_map(|verdicts| verdicts.sets.iter().flatten()) {
            let text = sealed::seal(b"", line);
            scores += &text.map_err(|error| LabError::Message(format!("cannot write a verdict: {error}")))?;
            scores.push('\n');
        }
        let text = marked(&page(&report, false).markdown());
        for (name, text) in [(SCORES, scores), (REPORT, text)] {
            let path = folder.join(name);
            write_output(&path, &[text.as_bytes()]).map_err(LabError::io("write", &path))?;
        }
    }
    Ok(report)
}

/// The verdicts of one judge.
async fn judged(
    settings: &Settings,
    choice: JudgeChoice,
    sets: &[LabelledSet],
    request: &ReportRequest,
    reporter: &dyn Reporter,
) -> Result<Verdicts, LabError> {
    let (judge, tau) = judge_named(settings, choice, request.max_cost, reporter)?;
    let id = judge.id();
    let blank = |set: &LabelledSet, row: usize| {
        let item = &set.rows[row].item;
        JudgeScore {
            set: set.name.clone(),
            line: JudgeLine {
                id: item.id.clone(),
                judge: id.clone(),
                key: item.key(&id, tau),
                ..JudgeLine::default()
            },
            label: u8::from(set.rows[row].label),
            cluster: set.rows[row].cluster,
            claims: Vec::new(),
        }
    };
    let mut lines: Vec<Vec<JudgeScore>> =
        sets.iter().map(|set| (0..set.rows.len()).map(|row| blank(set, row)).collect()).collect();
    let (mut places, mut rows) = (Vec::new(), Vec::new());
    for (at, set) in sets.iter().enumerate() {
        for (row, labelled) in set.rows.iter().enumerate() {
            places.push((at, row));
            rows.push(&labelled.item);
        }
    }
    let started = Instant::now();
    let mut claims = 0;
    let mut take = |row: usize, verdict: Result<JudgeOutput, String>| {
        let (at, row) = places[row];
        let line = &mut lines[at][row];
        line.line = JudgeLine {
            id: line.line.id.clone(),
            judge: id.clone(),
            key: line.line.key.clone(),
            ..verdict_line(verdict.as_ref())
        };
        line.claims = verdict.as_ref().map(claims_of).unwrap_or_default();
        claims += line.claims.len();
        Ok(())
    };
    let in_order = InOrder::new(settings, &request.stop, reporter);
    judge_all(&in_order, &*judge, &rows, &mut take).await?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(Verdicts {
        name: name_of(choice),
        id,
        sets: lines,
        time: JudgeTime {
            claims,
            workers: settings.eval.workers,
            seconds,
            seconds_per_1000_claims: (claims > 0).then(|| seconds * 1000.0 / claims as f64),
        },
    })
}

fn claims_of(output: &JudgeOutput) -> Vec<JudgeClaim> {
    let claim = |of: &eval::judge::ClaimVerdict| JudgeClaim {
        claim: of.claim.clone(),
        score: of.score,
        verdict: word(&of.verdict),
        reason: of.reason.clone(),
    };
    output.claims.iter().map(claim).collect()
}

/// The name of a judge as settings and arguments have it.
fn name_of(choice: JudgeChoice) -> String {
    word(&choice)
}

/// The word by which a value is written as JSON.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

fn report(
    settings: &Settings,
    request: &ReportRequest,
    sets: &[LabelledSet],
    all: &[Verdicts],
) -> JudgeReport {
    let seed = settings.eval.seed;
    let mut judges = Vec::new();
    for verdicts in all {
        let (of_sets, macro_mean) = on_sets(verdicts, sets, request, seed);
        judges.push(JudgeResult {
            judge: verdicts.name.clone(),
            id: verdicts.id.clone(),
            sets: of_sets,
            macro_mean,
            time: verdicts.time,
        });
    }
    let mut comparisons = Vec::new();
    for (at, first) in all.iter().enumerate() {
        for second in &all[at + 1..] {
            comparisons.push(comparison(first, second, sets, seed));
        }
    }
    JudgeReport {
        threshold: decimal(settings.eval.support_threshold),
        sets: sets.iter().map(LabelledSet::document).collect(),
        judges,
        comparisons,
        seed,
        resamples: RESAMPLES,
    }
}

/// A setting as it was written.
fn decimal(setting: f32) -> f64 {
    (f64::from(setting) * 1e6).round() / 1e6
}
