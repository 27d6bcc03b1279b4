//! Reads a file of answers, whatever its format.

use crate::rows::{
    Sample,
    error::RowsError,
    field_map::{FieldMap, NAMES},
    format::Format,
    reader::{self, Outcome},
    record::{self, Container, Records},
    run_log, trec,
};
use std::path::PathBuf;
use text::encoding::{Decoded, NoText};
use types::words::{NAMED, distinct, first_of};

const HINT: &str = "correct these lines, or name other keys with --map FIELD=KEY";

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; `None` to detect it.
    pub format: Option<Format>,
    /// Keys that the user names.
    pub map: FieldMap,
    /// The id of the run of a run log; its last run if `None`.
    pub run: Option<String>,
    /// The file, for a run log: the texts of its passages are beside it.
    pub path: PathBuf,
}

/// The rows of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct RowSet {
    /// In the order of the file; ids are unique.
    pub rows: Vec<Sample>,
    /// The format.
    pub format: Format,
    /// What it is written in.
    pub container: Container,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl RowSet {
    /// Format and container, for people.
    pub fn format_name(&self) -> String {
        match self.format {
            Format::Trec => "trec".to_owned(),
            format => format!("{format} ({})", self.container),
        }
    }
}

/// The text of a file: UTF-8, UTF-16 or Windows-1252, and what had to be guessed to have it.
///
/// # Errors
/// When it is no text.
pub fn decode(name: &str, bytes: &[u8]) -> Result<Decoded, RowsError> {
    text::encoding::decode(bytes)
        .map_err(|NoText| RowsError::file(name, "the file is no text", "save it as UTF-8"))
}

/// Reads answers; messages call the file `name`.
///
/// # Errors
/// When the format is not known, no row has an answer, a retrieved document or a passage, or with every line that is wrong.
pub fn read(name: &str, text: &str, options: &ReadOptions) -> Result<RowSet, RowsError> {
    let set = read_any(name, text, options)?;
    // Test sets that nothing has answered yet have a column for the answers.
    let answered = |row: &Sample| row.answer.as_deref().is_some_and(|answer| !answer.trim().is_empty());
    let answers = |row: &Sample| answered(row) || row.passages.is_some() || row.retrieved.is_some();
    if set.rows.iter().any(answers) {
        return Ok(set);
    }
    if set.rows.iter().any(|row| row.question.is_some()) {
        return Err(RowsError::OnlyQuestions { name: name.to_owned() });
    }
    Err(RowsError::file(name, "the file has no rows", "name a file of answers"))
}

/// The same, also for rows without answers.
pub(crate) fn read_any(name: &str, text: &str, options: &ReadOptions) -> Result<RowSet, RowsError> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(RowsError::file(name, "the file is empty", "name a file of answers"));
    }
    let json = if options.format == Some(Format::Trec) { None } else { record::json(text) };
    let mut found = match json {
        Some(found) => found,
        None if options.format == Some(Format::Trec)
            || (options.format.is_none() && options.map.is_empty() && trec::is_run(text)) =>
        {
            let (rows, problems) = trec::run(text);
            let outcome = Outcome { rows, problems, ..Outcome::default() };
            return finish(name, Format::Trec, Container::Trec, outcome);
        }
        None => record::table(text),
    };
    let format = options.format.map_or_else(|| detected(name, &found, &options.map), Ok)?;
    let mut notes = Vec::new();
    if format == Format::RunLog {
        let (records, older) = run_log::of_one_run(found.list, options.run.as_deref());
        let (whole, wrong, without_text) = run_log::with_texts(records, &options.path);
        found.list = whole;
        found.problems.extend(wrong);
        notes.extend(older.into_iter().chain(without_text));
    }
    let mut outcome = if format == Format::RunLog && options.map.is_empty() {
        let (outcome, others) = run_log::rows(&found.list);
        notes.extend(others);
        outcome
    } else {
        reader::rows(format.layout(), &options.map, &found)
    };
    outcome.problems.append(&mut found.problems);
    if matches!(format, Format::RunLog | Format::Ask) {
        // Our own documents have many more fields than a row.
        outcome.unread.clear();
    }
    let mut set = finish(name, format, found.container, outcome)?;
    set.notes.extend(notes);
    Ok(set)
}

fn detected(name: &str, found: &Records, map: &FieldMap) -> Result<Format, RowsError> {
    if let Some(format) = Format::detect(found.list.iter().map(|record| &record.fields)) {
        return Ok(format);
    }
    if !map.is_empty() {
        return Ok(Format::Mapped);
    }
    if let (true, false) = (found.list.is_empty(), found.problems.is_empty()) {
        return Err(RowsError::unusable(name, found.problems.clone(), "correct these lines"));
    }
    let keys = distinct(found.list.iter().flat_map(|record| record.fields.keys()));
    let has = if keys.is_empty() {
        "it holds no record with keys".to_owned()
    } else {
        format!("its records have the keys {}", first_of(&keys, NAMED))
    };
    let formats: Vec<&str> = Format::ALL.iter().map(|format| format.as_str()).collect();
    Err(RowsError::file(
        name,
        format!("the format is not known; {has}"),
        format!(
            "name the keys with --map, for example --map question={},answer=..., or force one of these formats with \
             --input-format: {}",
            keys.first().map_or("my_question", |key| key),
            formats.join(", ")
        ),
    ))
}

fn finish(name: &str, format: Format, container: Container, outcome: Outcome) -> Result<RowSet, RowsError> {
    let Outcome { rows, mut problems, unread } = outcome;
    problems.sort_by_key(|problem| problem.line);
    if !problems.is_empty() {
        return Err(RowsError::unusable(name, problems, HINT));
    }
    let mut notes = Vec::new();
    if !unread.is_empty() {
        let is_field = |key: &&String| NAMES.iter().any(|(name, _)| name == key);
        let known = unread.iter().find(is_field);
        let hint = known.map_or_else(String::new, |key| format!("; --map {key}={key} reads {key}"));
        let unread = first_of(&unread, NAMED);
        notes.push(format!("fields that are not read: {unread}{hint}"));
    }
    Ok(RowSet { rows, format, container, notes })
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
