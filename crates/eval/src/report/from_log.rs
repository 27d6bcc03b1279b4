//! The same report out of a run log, of this system or of the earlier one.

use super::log_notes::{Counts, notes};
use super::{Evaluation, Provenance, Setting, sort_rows};
use crate::evaluate::evaluate;
use crate::runlog::{LogIndex, LogRecord, LogRun, RunHeader};
use crate::{EvalError, Judge, Problem, QuerySet, Row, Score};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use types::{Mode, RunRecord};

/// With what rows are scored that carry no scores of their own.
#[derive(Clone, Copy, Default)]
pub struct LogScoring<'a> {
    /// Labels for logs that hold none.
    pub set: Option<&'a QuerySet>,
    /// Judges answers whose context was logged.
    pub judge: Option<&'a dyn Judge>,
    /// Seed of intervals and tests, where the run does not name its own.
    pub seed: u64,
    /// Whether refusals count as faithful, with citation precision 1, as the earlier system counted them.
    pub perfect_refusals: bool,
}

/// Reads and scores a run. Rows that carry their scores keep them; others are scored now, as far as the log
/// goes: metrics that need text or labels which are not there are n/a. A run that logged its header gives the
/// report that the evaluation itself wrote. Records are read one at a time; only rows are held.
///
/// Rows come in the order of the run's header, otherwise of the set, otherwise of the log. With
/// a set, records of the earlier system that ask something else are left out.
///
/// # Errors
/// [`EvalError::Read`] when the log cannot be read, [`EvalError::NotInLog`] when no record asks a question of
/// the set.
pub async fn from_log(
    log: &LogIndex,
    run: &LogRun,
    scoring: &LogScoring<'_>,
) -> Result<Evaluation, EvalError> {
    let header = run.header.clone().and_then(|header| serde_json::from_value::<RunHeader>(header).ok());
    let mut read = Reading::default();
    for record in log.records(run) {
        match record {
            Ok(found) => read.take(&found, scoring).await,
            Err(problem) => read.skipped.push(problem),
        }
    }
    if let (true, Some(set)) = (read.rows.is_empty() && read.counts.not_in_set > 0, scoring.set) {
        return Err(EvalError::NotInLog { set: set.name.clone(), records: read.counts.not_in_set });
    }
    let mut rows = std::mem::take(&mut read.rows);
    let (ids, modes) = match (&header, scoring.set) {
        (Some(header), _) => (header.queries.clone(), header.modes.clone()),
        (None, set) => {
            let ids = set.iter().flat_map(|set| &set.queries).map(|query| query.id.clone());
            (ids.collect(), [Mode::Hybrid, Mode::Vector, Mode::Bm25].map(|mode| mode.to_string()).to_vec())
        }
    };
    sort_rows(&mut rows, &ids, &modes);
    let controls = header.as_ref().is_some_and(|header| header.controls);
    let expected = header.as_ref().map(|header| (header.queries.clone(), header.modes.clone()));
    let provenance = match header {
        Some(header) => header.provenance,
        None => read.provenance(scoring),
    };
    let run_id = run.run_id.as_deref().unwrap_or("unnamed");
    let mut evaluation = Evaluation::new(run_id, rows, provenance);
    read.counts.superseded = run.superseded;
    read.counts.controls = controls;
    read.counts.missing = missing(expected, &evaluation.rows);
    let unread = [&read.skipped[..], &read.without_text].concat();
    let skipped = log.problems(Some(run), &unread);
    evaluation.notes = notes(&read.counts, &skipped, scoring.set, &evaluation.rows);
    evaluation.unread = run.damaged.iter().chain(&read.skipped).cloned().collect();
    evaluation.without_text = read.without_text;
    Ok(evaluation)
}

/// The rows that a run should have and has not, by query and mode.
fn missing(expected: Option<(Vec<String>, Vec<String>)>, rows: &[Row]) -> Vec<String> {
    let held: BTreeSet<(&str, &str)> = rows.iter().map(|row| (&*row.query_id, &*row.mode)).collect();
    let (queries, modes) = expected.unwrap_or_default();
    let all = queries.iter().flat_map(|query| modes.iter().map(move |mode| (query, mode)));
    all.filter(|(query, mode)| !held.contains(&(query, mode)))
        .map(|(query, mode)| format!("{query} ({mode})"))
        .collect()
}

/// What is known so far of the records read.
#[derive(Default)]
struct Reading {
    rows: Vec<Row>,
    skipped: Vec<Problem>,
    without_text: Vec<Problem>,
    /// One name for one question, so that its modes pair up.
    names: HashMap<String, String>,
    counts: Counts,
    models: BTreeMap<String, String>,
    modes: BTreeSet<String>,
    prompts: BTreeSet<String>,
    judged: bool,
}

impl Reading {
    async fn take(&mut self, found: &LogRecord, scoring: &LogScoring<'_>) {
        let (line, record) = (found.line, &found.record);
        self.without_text.extend(found.without_text.clone());
        let stored = record.evaluation.as_ref().and_then(|row| serde_json::from_value(row.clone()).ok());
        let mut row: Row = match stored {
            Some(row) => row,
            None => match self.score(line, record, scoring).await {
                Some(row) => row,
                None => return,
            },
        };
        row.timings_ms.clone_from(&record.timings_ms);
        self.counts.note(found);
        self.models.extend(record.models.clone());
        if !record.model.is_empty() {
            self.counts.generators.insert(record.model.clone());
        }
        if !record.prompt_version.is_empty() {
            self.prompts.insert(record.prompt_version.clone());
        }
        self.modes.insert(row.mode.clone());
        self.rows.push(row);
    }

    /// Scores a record that carries no scores; `None` when it asks something that is not in the set.
    async fn score(&mut self, line: usize, record: &RunRecord, scoring: &LogScoring<'_>) -> Option<Row> {
        let set = scoring.set;
        let known = record.query_id.as_deref().and_then(|id| set?.get(id));
        let query = known.or_else(|| set?.by_text(&record.query));
        if set.is_some() && query.is_none() && record.query_id.is_none() {
            self.counts.not_in_set += 1;
            return None;
        }
        self.counts.without_context += usize::from(record.context.is_none());
        let mut row = evaluate(record, query, scoring.judge).await;
        if scoring.perfect_refusals {
            row.count_refusal_as_perfect();
        }
        self.judged |= row.grade.is_some() || matches!(row.scores.get("faithful"), Some(Score::Error(_)));
        if row.query_id.is_empty() {
            let name = self.names.entry(record.query.trim().to_owned()).or_insert_with(|| format!("L{line}"));
            row.query_id = query.map_or_else(|| name.clone(), |q| q.id.clone());
        }
        if row.mode.is_empty() {
            "unknown".clone_into(&mut row.mode);
        }
        Some(row)
    }

    /// What can be told of a run that logged no header.
    fn provenance(&self, scoring: &LogScoring<'_>) -> Provenance {
        let joined = |values: &BTreeSet<String>| values.iter().cloned().collect::<Vec<_>>().join(", ");
        let mut provenance = Provenance {
            config_hash: joined(&self.counts.configurations),
            git_commit: joined(&self.counts.commits),
            query_set: scoring.set.map(|s| s.name.clone()).unwrap_or_default(),
            query_set_hash: scoring.set.map(|s| s.hash().to_owned()).unwrap_or_default(),
            seed: scoring.seed,
            models: self.models.clone(),
            ..Provenance::default()
        };
        let generator = joined(&self.counts.generators);
        if !generator.is_empty() {
            provenance.models.entry("generator".to_owned()).or_insert_with(|| generator.clone());
        }
        // A judge that judged nothing is not named.
        if let Some(judge) = scoring.judge.filter(|_| self.judged) {
            provenance.models.entry("judge".to_owned()).or_insert_with(|| judge.id());
        }
        for (section, key, value) in [
            ("Retrieval", "mode", joined(&self.modes)),
            ("Generation", "model", generator),
            ("Generation", "prompt version", joined(&self.prompts)),
        ] {
            if !value.is_empty() {
                provenance.architecture.push(Setting {
                    section: section.to_owned(),
                    key: key.to_owned(),
                    value,
                });
            }
        }
        provenance
    }
}
