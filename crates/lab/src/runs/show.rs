//! Lists runs, and shows one of them or one of its questions.

use super::{check_mode, named, open, stored};
use crate::error::LabError;
use ::eval::{
    EvalError, LostAt, Row,
    report::failures,
    stored::{Listed, RunInfo, StoredRun, listed},
};
use engine::{
    documents::Ask,
    settings::{Loaded, Settings},
    show::References,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use types::{
    AnswerOutcome, Reporter, SourceId,
    words::{NAMED, first_of},
};

/// What to show.
#[derive(Clone, Debug, Default)]
pub struct ShowRequest {
    /// The log; the settings' own when `None`.
    pub log: Option<PathBuf>,
    /// The run, or `RUN:MODE`.
    pub run: String,
    /// The question; all of them when `None`.
    pub query: Option<String>,
    /// The mode; all of them when `None`.
    pub mode: Option<String>,
    /// Only rows that failed.
    pub failed: bool,
    /// The query set of the run, for labels that are not in the log.
    pub queries: Option<PathBuf>,
}

/// A run, or one of its questions.
#[derive(Clone, Debug)]
pub enum Shown {
    /// Its rows.
    Rows(Box<RunRows>),
    /// A question.
    Question(Box<RunQuestion>),
}

/// What `runs` prints: the runs of a log, the newest last.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Runs {
    /// The log.
    pub log: PathBuf,
    /// Runs in the log.
    pub total: usize,
    /// The newest of them.
    pub runs: Vec<Listed>,
}

/// What `runs show RUN` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunRows {
    /// The run.
    pub run: RunInfo,
    /// What was left out, assumed or read differently.
    pub notes: Vec<String>,
    /// Rows that failed, of all rows of the modes shown.
    pub failed: usize,
    /// The rows, in the order of the run; with `--failed`, those that failed.
    pub rows: Vec<RunRow>,
}

/// One query in one mode, in short.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunRow {
    /// The query.
    pub query_id: String,
    /// The mode.
    pub mode: String,
    /// The query's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The question.
    pub query: String,
    /// Whether a refusal is the right answer; null if the log does not say it.
    pub expected_no_evidence: Option<bool>,
    /// Null without an answer.
    pub outcome: Option<AnswerOutcome>,
    /// `high`, `medium` or `low`; empty without an answer.
    pub confidence: String,
    /// What is wrong with the row; empty if nothing is.
    pub failures: Vec<String>,
    /// The gold quotes; without labels in the log, those that the answer does not show.
    pub gold: Vec<RunGold>,
    /// Milliseconds that the answer took.
    pub latency_ms: Option<f64>,
}

/// A gold quote and how far it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunGold {
    /// Its paper.
    pub source_id: SourceId,
    /// The quote.
    pub quote: String,
    /// The rank of the first candidate that has it, from 1; null if none has it, or the log does not say it.
    pub rank: Option<usize>,
    /// Whether the answer shows it.
    pub in_answer: bool,
    /// The stage that lost it. Null if the answer shows it, or if the context was not logged.
    pub lost_at: Option<LostAt>,
}

/// What `runs show RUN QUERY` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunQuestion {
    /// The run.
    pub run: RunInfo,
    /// The query.
    pub query_id: String,
    /// The question.
    pub query: String,
    /// Whether a refusal is the right answer; null if the log does not say it.
    pub expected_no_evidence: Option<bool>,
    /// The right answer, if the run logged its labels.
    pub reference_answer: Option<String>,
    /// What became of it in each mode.
    pub answers: Vec<RunAnswer>,
}

/// A question in one mode.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunAnswer {
    /// The mode.
    pub mode: String,
    /// What is wrong; empty if nothing is.
    pub failures: Vec<String>,
    /// The gold quotes.
    pub gold: Vec<RunGold>,
    /// The answer, with candidates and context.
    pub answer: Ask,
    /// The scores and verdicts.
    pub scores: Row,
    /// US dollars that language models cost; null if none was asked or a price is not known.
    pub cost: Option<f64>,
}

/// The newest runs of the log, at most `limit` of them, the newest last.
///
/// # Errors
/// When the log cannot be read.
pub fn list(
    settings: &Settings,
    log: Option<&PathBuf>,
    limit: usize,
    reporter: &dyn Reporter,
) -> Result<Runs, LabError> {
    let log = open(settings, log)?;
    if let Some(warning) = log.warning(None, &[]) {
        reporter.warn(&warning);
    }
    let runs: Vec<_> = log.runs.iter().filter(|run| run.run_id.is_some()).collect();
    let newest = &runs[runs.len().saturating_sub(limit)..];
    let each = newest.iter().map(|run| listed(&log, run, settings.eval.seed));
    Ok(Runs {
        log: log.path().to_path_buf(),
        total: runs.len(),
        runs: each.collect::<Result<_, EvalError>>()?,
    })
}

/// The rows of a run, or everything about one question.
///
/// # Errors
/// When the log has no such run, the run no such mode or question, or a record cannot be read whole.
pub async fn show(
    loaded: &Loaded,
    request: &ShowRequest,
    reporter: &dyn Reporter,
) -> Result<Shown, LabError> {
    let settings = &loaded.settings;
    let log = open(settings, request.log.as_ref())?;
    let (run, named_mode) = named(&log, &request.run)?;
    if let Some(mode) = &request.mode {
        check_mode(run, mode)?;
    }
    let mode = request.mode.as_ref().or(named_mode.as_ref());
    let set = request.queries.as_deref().map(crate::query_set::load).transpose()?;
    let stored = stored(settings, &log, run, set.as_ref(), reporter).await?;
    let wanted = |row: &Row| mode.is_none_or(|mode| row.mode == *mode);
    match &request.query {
        None => {
            let rows = || stored.evaluation.rows.iter().filter(|row| wanted(row));
            let chosen = rows().filter(|row| !request.failed || !failures(row).is_empty());
            let shown = RunRows {
                run: stored.info(),
                notes: stored.evaluation.notes.clone(),
                failed: rows().filter(|row| !failures(row).is_empty()).count(),
                rows: chosen.map(short).collect(),
            };
            Ok(Shown::Rows(Box::new(shown)))
        }
        Some(query) => {
            let shown = question(&stored, query, wanted)?;
            Ok(Shown::Question(Box::new(shown)))
        }
    }
}

/// A row in short.
fn short(row: &Row) -> RunRow {
    RunRow {
        query_id: row.query_id.clone(),
        mode: row.mode.clone(),
        kind: row.kind.clone(),
        query: row.query.clone(),
        expected_no_evidence: row.expected_no_evidence,
        outcome: row.outcome,
        confidence: row.confidence.clone(),
        failures: failures(row),
        gold: golds(row),
        latency_ms: row.timings_ms.get("total").copied(),
    }
}

/// The gold quotes of a row, as far as it has them.
fn golds(row: &Row) -> Vec<RunGold> {
    let refused = row.no_evidence == Some(true);
    let each = row.gold.iter().enumerate().map(|(at, path)| {
        let rank = row.gold_rank(at);
        RunGold {
            source_id: path.source_id.clone(),
            quote: path.quote.clone(),
            rank: rank.flatten(),
            in_answer: path.in_answer,
            lost_at: path.lost_at(rank, refused),
        }
    });
    each.collect()
}

fn question(
    run: &StoredRun<'_>,
    query: &str,
    wanted: impl Fn(&Row) -> bool,
) -> Result<RunQuestion, LabError> {
    let rows = || run.evaluation.rows.iter();
    let Some(first) = rows().find(|row| row.query_id == query) else {
        return Err(unknown(run, query));
    };
    let mut answers = Vec::new();
    run.each::<LabError>(
        |row| row.query_id == query && wanted(row),
        |row, found| {
            let references = References::of_context(found.record.context.as_deref().unwrap_or_default());
            answers.push(RunAnswer {
                mode: row.mode.clone(),
                failures: failures(row),
                gold: golds(row),
                answer: Ask::new(&references, &found.record, true),
                scores: row.clone(),
                cost: cost(run, row),
            });
            Ok(())
        },
    )?;
    Ok(RunQuestion {
        run: run.info(),
        query_id: query.to_owned(),
        query: first.query.clone(),
        expected_no_evidence: first.expected_no_evidence,
        reference_answer: run.query(first).and_then(|labels| labels.reference_answer.clone()),
        answers,
    })
}

/// What language models cost for a row, at the prices of its run.
fn cost(run: &StoredRun<'_>, row: &Row) -> Option<f64> {
    if row.usage.is_empty() {
        return None;
    }
    let prices = &run.evaluation.provenance.prices;
    let each = row.usage.iter();
    each.map(|(stage, usage)| Some(prices.get(stage)?.of(usage))).sum()
}

fn unknown(run: &StoredRun<'_>, query: &str) -> LabError {
    let mut ids: Vec<&str> = Vec::new();
    for row in &run.evaluation.rows {
        if !ids.contains(&row.query_id.as_str()) {
            ids.push(&row.query_id);
        }
    }
    LabError::Message(format!(
        "the log has no readable record of the question {query:?} of the run {}; its {} questions are {}",
        run.id(),
        ids.len(),
        first_of(&ids, NAMED)
    ))
}
