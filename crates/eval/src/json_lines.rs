//! Files with one JSON object a line, of which each has an id.

use crate::{EvalError, Problem, error::MAX_PROBLEMS};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{collections::BTreeMap, path::Path};
use types::{
    files::{DATA_BYTES, read_text_bounded},
    sealed::{self, Seal},
};

/// The lines that are not blank, each with its number.
pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.trim_start_matches('\u{feff}').lines()).filter(|(_, line)| !line.trim().is_empty())
}

/// Reads the rows of a file in its order. Blank lines are skipped. `row` gets the number of a line and its text. `id` gives the
/// id of a row, with the name of its field; `hint` says what a line must be.
///
/// # Errors
/// [`EvalError::Read`] when the file cannot be read; [`EvalError::Lines`] with every line that is not a row, or
/// repeats an id.
pub fn load<T>(
    path: &Path,
    hint: &'static str,
    row: impl Fn(usize, &str) -> Result<T, String>,
    id: impl Fn(&T) -> (&'static str, String),
) -> Result<Vec<T>, EvalError> {
    let text = read_text_bounded(path, DATA_BYTES)
        .map_err(|source| EvalError::Read { path: path.to_path_buf(), source })?;
    parse_rows(path, &text, hint, row, id)
}

/// As [`load`], from the text of a file; messages name it `path`.
///
/// # Errors
/// [`EvalError::Lines`] with every line that is not a row, or repeats an id.
pub(crate) fn parse_rows<T>(
    path: &Path,
    text: &str,
    hint: &'static str,
    row: impl Fn(usize, &str) -> Result<T, String>,
    id: impl Fn(&T) -> (&'static str, String),
) -> Result<Vec<T>, EvalError> {
    let mut rows: Vec<T> = Vec::new();
    let mut first_seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    for (number, line) in numbered(text) {
        if problems.len() > MAX_PROBLEMS {
            break;
        }
        let whole = sealed::check(b"", line.as_bytes()) != Seal::Damaged;
        let reason = match row(number, line) {
            _ if !whole => sealed::DAMAGED.to_owned(),
            Err(reason) => reason,
            Ok(row) => {
                let (field, id) = id(&row);
                if let Some(earlier) = first_seen.get(&id) {
                    format!("the {field} {id:?} is already on line {earlier}")
                } else {
                    first_seen.insert(id, number);
                    rows.push(row);
                    continue;
                }
            }
        };
        problems.push(Problem::at(number, reason));
    }
    if problems.is_empty() {
        return Ok(rows);
    }
    Err(EvalError::Lines { path: path.to_path_buf(), problems, hint })
}

/// A line as JSON.
///
/// # Errors
/// What is wrong with it, and in which column.
pub(crate) fn parse<T: DeserializeOwned>(line: &str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|error| syntax(&error))
}

/// What is wrong with JSON, without its line, and in which column.
pub(crate) fn syntax(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    format!("{text} (column {})", error.column())
}

/// An id that is written as a string or a number.
///
/// # Errors
/// When it is something else, or empty.
pub(crate) fn written_id(field: &str, id: &Value) -> Result<String, String> {
    let id = match id {
        Value::String(id) => id.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return Err(format!("{field} must be a string or a number")),
    };
    if id.is_empty() {
        return Err(format!("its {field} is empty"));
    }
    Ok(id)
}
