//! The run log of `pipeline eval`: records of which a later one names the texts of an earlier one, and which run is read.

use crate::Sample;
use crate::rows::{
    Container, Format, Problem,
    field_map::FieldMap,
    reader::{self, Outcome},
    record::{Record, Records},
};
use serde_json::{Map, Value};
use std::{collections::HashMap, rc::Rc};
use types::RunRecord;
use types::packed::{FIELD, Packed, Part, unpack, whole_chunks};

/// Whose chunk it is: the run, the process that wrote it, what of the chunk, its id.
type Key = (Option<Value>, String, Part, String);

/// The records with the texts that they refer to, and a problem for each that cannot be made whole.
pub(crate) fn whole(mut records: Vec<Record>) -> (Vec<Record>, Vec<Problem>) {
    let mut texts: HashMap<Key, Rc<Map<String, Value>>> = HashMap::new();
    let mut problems = Vec::new();
    records.retain_mut(|record| {
        let run = record.fields.get("run_id").cloned();
        let packed = record.fields.get(FIELD).cloned();
        if let Some(Ok(Packed { by, .. })) = packed.map(serde_json::from_value) {
            for (part, id, held) in whole_chunks(&record.fields) {
                texts
                    .entry((run.clone(), by.clone(), part, id.to_owned()))
                    .or_insert_with(|| Rc::new(held));
            }
        }
        let done = unpack(&mut record.fields, |packed, part, id| {
            let key = (run.clone(), packed.by.clone(), part, id.to_owned());
            texts.get(&key).map(|held| (**held).clone())
        });
        match done {
            Ok(_) => true,
            Err(error) => {
                problems.push(Problem::at(record.line, error.to_string()));
                false
            }
        }
    });
    (records, problems)
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
    let mut own: Vec<Record> = records
        .into_iter()
        .filter(|record| run(record) == chosen)
        .collect();
    let note = (own.len() < all && wanted.is_none()).then(|| {
        format!(
            "the log has several runs; the last one is read ({} of {all} lines)",
            own.len()
        )
    });
    let mut modes: Vec<String> = Vec::new();
    for record in &own {
        if let Some(mode) = record.fields.get("mode").and_then(|mode| mode.as_str())
            && !modes.iter().any(|known| known == mode)
        {
            modes.push(mode.to_owned());
        }
    }
    if modes.len() > 1 {
        for record in &mut own {
            let text = |key: &str| record.fields.get(key).and_then(|value| value.as_str());
            if let (Some(query), Some(mode)) = (text("query_id"), text("mode")) {
                record.key = Some(format!("{query} {mode}"));
            }
        }
    }
    (own, note)
}

/// A row for each record, as `eval` scores it: named after its query, or its place.
pub(crate) fn rows(records: &[Record]) -> Outcome {
    let mut out = Outcome::default();
    for (at, record) in records.iter().enumerate() {
        let Ok(read) = serde_json::from_value::<RunRecord>(Value::Object(record.fields.clone())) else {
            // A line of another program, which lacks what ours have.
            let mut alone = Records::new(Container::JsonLines);
            alone.list.push(record.clone());
            let mut other = reader::rows(Format::RunLog.layout(), &FieldMap::default(), &alone);
            out.rows.append(&mut other.rows);
            out.problems.append(&mut other.problems);
            continue;
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
    out
}
