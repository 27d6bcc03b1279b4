//! The same report out of a run log, of this system or of the earlier one.

use super::{Evaluation, Provenance, Setting};
use crate::evaluate::evaluate;
use crate::runlog::RunLog;
use crate::{Judge, QuerySet, Row};
use std::collections::{BTreeSet, HashMap};
use types::{Mode, RunRecord};

/// The records of one run, or those that belong to none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogGroup {
    /// The run; `None` for logs of the earlier system and single questions.
    pub run_id: Option<String>,
    /// Its records with their line numbers, one for each query and mode: the last.
    pub records: Vec<(usize, RunRecord)>,
    /// Earlier records of the same query and mode, left out.
    pub superseded: usize,
}

/// The runs of a log in the order of their first line.
pub fn groups(log: &RunLog) -> Vec<LogGroup> {
    let mut places: HashMap<Option<&str>, usize> = HashMap::new();
    let mut slots: HashMap<(usize, String, String), usize> = HashMap::new();
    let mut out: Vec<LogGroup> = Vec::new();
    for (line, record) in &log.records {
        let place = *places.entry(record.run_id.as_deref()).or_insert_with(|| {
            out.push(LogGroup {
                run_id: record.run_id.clone(),
                ..LogGroup::default()
            });
            out.len() - 1
        });
        let group = &mut out[place];
        let name = record
            .query_id
            .clone()
            .unwrap_or_else(|| record.query.trim().to_owned());
        let slot = (place, name, mode_of(record));
        if let Some(at) = slots.get(&slot) {
            group.records[*at] = (*line, record.clone());
            group.superseded += 1;
        } else {
            slots.insert(slot, group.records.len());
            group.records.push((*line, record.clone()));
        }
    }
    out
}

/// Scores a group. Rows that carry their scores keep them; others are scored now, as far as the log goes:
/// metrics that need text or labels which are not there are n/a. Rows come in the order of the set, otherwise
/// of their ids, otherwise of the log.
pub async fn from_log(
    log: &RunLog,
    group: &LogGroup,
    set: Option<&QuerySet>,
    judge: Option<&dyn Judge>,
    seed: u64,
) -> Evaluation {
    let mut rows: Vec<(Place, Row)> = Vec::new();
    let mut names: HashMap<String, String> = HashMap::new();
    let (mut unreadable, mut without_context) = (0usize, 0usize);
    for (line, record) in &group.records {
        let stored = record
            .evaluation
            .as_ref()
            .map(|e| serde_json::from_value::<Row>(e.clone()));
        unreadable += usize::from(matches!(stored, Some(Err(_))));
        without_context += usize::from(record.context.is_none() && !matches!(stored, Some(Ok(_))));
        let row = if let Some(Ok(row)) = stored {
            row
        } else {
            let known = record.query_id.as_deref().and_then(|id| set?.get(id));
            let query = known.or_else(|| set?.by_text(&record.query));
            let mut row = evaluate(record, query, judge).await;
            if row.query_id.is_empty() {
                // One name for one question, so that its modes pair up.
                let name = names
                    .entry(record.query.trim().to_owned())
                    .or_insert_with(|| format!("L{line}"));
                row.query_id = query.map_or_else(|| name.clone(), |q| q.id.clone());
            }
            if row.mode.is_empty() {
                "unknown".clone_into(&mut row.mode);
            }
            row
        };
        rows.push((place(&row, set), row));
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    let run_id = group.run_id.as_deref().unwrap_or("unnamed");
    let notes = notes(log, group, set, &rows, unreadable, without_context);
    let mut evaluation = Evaluation::new(run_id, rows, provenance(group, set, judge, seed));
    evaluation.notes = notes;
    evaluation
}

/// Sorts rows: by the set, by id, by the line; then by mode.
type Place = (usize, String, usize, (usize, String));

fn place(row: &Row, set: Option<&QuerySet>) -> Place {
    let in_set = set.and_then(|set| set.queries.iter().position(|q| q.id == row.query_id));
    let by_line = row.query_id.strip_prefix('L').and_then(|n| n.parse().ok());
    let modes = [Mode::Hybrid, Mode::Vector, Mode::Bm25];
    let mode = modes
        .iter()
        .position(|m| m.as_str() == row.mode)
        .unwrap_or(modes.len());
    let id = if by_line.is_some() {
        String::new()
    } else {
        row.query_id.clone()
    };
    (
        in_set.unwrap_or(usize::MAX),
        id,
        by_line.unwrap_or(0),
        (mode, row.mode.clone()),
    )
}

fn mode_of(record: &RunRecord) -> String {
    record
        .mode
        .map_or_else(|| record.retrieval.method.clone(), |mode| mode.to_string())
}

fn notes(
    log: &RunLog,
    group: &LogGroup,
    set: Option<&QuerySet>,
    rows: &[Row],
    unreadable: usize,
    without_context: usize,
) -> Vec<String> {
    let mut out = Vec::new();
    if !log.skipped.is_empty() {
        let lines: Vec<String> = log.skipped.iter().take(10).map(|p| p.line.to_string()).collect();
        let more = if log.skipped.len() > lines.len() {
            ", …"
        } else {
            ""
        };
        out.push(format!(
            "{} line(s) of the log are no record and were skipped: {}{more}",
            log.skipped.len(),
            lines.join(", ")
        ));
    }
    if group.superseded > 0 {
        out.push(format!(
            "{} record(s) were replaced by a later one of the same query and mode",
            group.superseded
        ));
    }
    if unreadable > 0 {
        out.push(format!(
            "{unreadable} record(s) hold scores of another form and were scored anew"
        ));
    }
    if without_context > 0 {
        out.push(format!(
            "{without_context} record(s) hold no context: metrics that need its text are n/a, and citations are counted against the returned chunks"
        ));
    }
    if let Some(set) = set {
        let seen: BTreeSet<&str> = rows.iter().map(|r| r.query_id.as_str()).collect();
        let missing = set
            .queries
            .iter()
            .filter(|q| !seen.contains(q.id.as_str()))
            .count();
        if missing > 0 {
            out.push(format!(
                "{missing} of {} queries of the set have no record",
                set.queries.len()
            ));
        }
    }
    for (what, values) in [
        ("configuration", distinct(group, |r| r.config_hash.clone())),
        ("commit", distinct(group, |r| r.git_commit.clone())),
        ("generator", distinct(group, |r| r.model.clone())),
    ] {
        if values.len() > 1 {
            out.push(format!(
                "the records come from {} different values of: {what}",
                values.len()
            ));
        }
    }
    out
}

/// The values that occur in a group's records, empty ones left out.
fn distinct(group: &LogGroup, value: impl Fn(&RunRecord) -> String) -> Vec<String> {
    let values: BTreeSet<String> = group
        .records
        .iter()
        .map(|(_, r)| value(r))
        .filter(|v| !v.is_empty())
        .collect();
    values.into_iter().collect()
}

fn provenance(group: &LogGroup, set: Option<&QuerySet>, judge: Option<&dyn Judge>, seed: u64) -> Provenance {
    let joined = |value: fn(&RunRecord) -> String| distinct(group, value).join(", ");
    let mut provenance = Provenance {
        config_hash: joined(|r| r.config_hash.clone()),
        git_commit: joined(|r| r.git_commit.clone()),
        query_set: set.map(|s| s.name.clone()).unwrap_or_default(),
        query_set_hash: set.map(|s| s.hash().to_owned()).unwrap_or_default(),
        seed,
        ..Provenance::default()
    };
    for (_, record) in &group.records {
        provenance.models.extend(record.models.clone());
    }
    let model = joined(|r| r.model.clone());
    if !model.is_empty() {
        provenance.models.entry("generator".to_owned()).or_insert(model);
    }
    if let Some(judge) = judge {
        provenance
            .models
            .entry("judge".to_owned())
            .or_insert_with(|| judge.id());
    }
    for (section, key, value) in [
        ("Retrieval", "method", joined(mode_of)),
        ("Generation", "model", joined(|r| r.model.clone())),
        (
            "Generation",
            "prompt version",
            joined(|r| r.prompt_version.clone()),
        ),
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
