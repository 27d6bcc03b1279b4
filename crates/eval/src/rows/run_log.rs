//! The run log of `pipeline eval`: which run is read, and the texts of its passages.

use crate::Sample;
use crate::rows::{
    Container, Format, Problem,
    field_map::FieldMap,
    reader::{self, Outcome},
    record::{Record, Records},
};
use serde_json::Value;
use std::{collections::BTreeSet, path::Path};
use types::RunRecord;
use types::run_log::{PassageTexts, check_version};

/// Gives the passages of records their texts, which are beside the log. Returns a problem for each record of another version,
/// which is left out, and a note for each whose texts cannot be read, which has no passages.
pub(crate) fn with_texts(records: Vec<Record>, log: &Path) -> (Vec<Record>, Vec<Problem>, Vec<String>) {
    let mut texts = PassageTexts::beside(log);
    let (mut whole, mut problems, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for mut record in records {
        if let Err(reason) = check_version(&record.fields) {
            problems.push(Problem::at(record.line, reason));
            continue;
        }
        if let Err(error) = texts.put_back(&mut record.fields) {
            notes.push(Problem::at(record.line, error.to_string()).to_string());
        }
        whole.push(record);
    }
    (whole, problems, notes)
}

/// The records of one run of a log, the last one if `wanted` is `None`, and a note if there are others. Where one query was
/// asked in several modes, each has a row, named after both.
pub(crate) fn of_one_run(records: Vec<Record>, wanted: Option<&str>) -> (Vec<Record>, Option<String>) {
    let run = |record: &Record| record.fields.get("run_id").cloned();
    let chosen = match wanted {
        Some(id) => Some(Value::from(id)),
        None => records.last().and_then(run),
    };
    let all = records.len();
    let mut own: Vec<Record> = records.into_iter().filter(|record| run(record) == chosen).collect();
    let note = (own.len() < all && wanted.is_none())
        .then(|| format!("the log has several runs; the last one is read ({} of {all} lines)", own.len()));
    let modes = own.iter().filter_map(|record| record.fields.get("mode")?.as_str());
    if modes.collect::<BTreeSet<_>>().len() > 1 {
        for record in &mut own {
            let text = |key: &str| record.fields.get(key).and_then(|value| value.as_str());
            if let (Some(query), Some(mode)) = (text("query_id"), text("mode")) {
                record.key = Some(format!("{query} {mode}"));
            }
        }
    }
    (own, note)
}

/// A row for each record, as `eval` scores it: named after its query, or its place; and what is to be said of lines of other
/// programs, which lack what ours have.
pub(crate) fn rows(records: &[Record]) -> (Outcome, Option<String>) {
    let mut out = Outcome::default();
    let mut others: Vec<Problem> = Vec::new();
    for (at, record) in records.iter().enumerate() {
        let read = serde_json::from_value::<RunRecord>(Value::Object(record.fields.clone()));
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                others.push(Problem::at(record.line, error.to_string()));
                let mut alone = Records::new(Container::JsonLines);
                alone.list.push(record.clone());
                let mut other = reader::rows(Format::RunLog.layout(), &FieldMap::default(), &alone);
                out.rows.append(&mut other.rows);
                out.problems.append(&mut other.problems);
                continue;
            }
        };
        let mut row = Sample::of_record(&read, &read.response, None);
        row.line = Some(record.line);
        row.latency_ms = read.timings_ms.get("total").copied();
        row.tags.extend(read.mode.map(|mode| mode.to_string()));
        if let Some(key) = &record.key {
            row.id.clone_from(key);
        } else if row.id.is_empty() {
            row.id = (at + 1).to_string();
        }
        out.rows.push(row);
    }
    let note = others.first().map(|first| {
        format!(
            "{} of {} lines are no whole records of this program, and are read for the fields that they share with them; the first: \
             {first}",
            others.len(),
            records.len()
        )
    });
    (out, note)
}
