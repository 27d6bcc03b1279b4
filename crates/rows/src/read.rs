//! Reads a file of answers, whatever its format.

use crate::{
    AnswerRow,
    error::{Problem, RowsError},
    field_map::FieldMap,
    format::Format,
    reader::{self, Outcome},
    record::{self, Container, Record, Records},
    trec,
};

const HINT: &str = "correct these lines, or name other keys with --map FIELD=KEY";

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; `None` to detect it.
    pub format: Option<Format>,
    /// Keys that the user names.
    pub map: FieldMap,
}

/// The rows of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct RowSet {
    /// In the order of the file; ids are unique.
    pub rows: Vec<AnswerRow>,
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
            format => format!("{format} ({})", self.container.as_str()),
        }
    }
}

/// The text of a file. A byte order mark is removed.
///
/// # Errors
/// When it is not UTF-8, with the first line that is not.
pub fn decode(name: &str, bytes: &[u8]) -> Result<String, RowsError> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(RowsError::file(name, "the text is UTF-16", "save it as UTF-8"));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.trim_start_matches('\u{feff}').to_owned()),
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let line = before.matches('\n').count() + 1;
            Err(RowsError::Unusable {
                name: name.to_owned(),
                problems: vec![Problem::at(line, "is not UTF-8")],
                hint: "save the file as UTF-8".to_owned(),
            })
        }
    }
}

/// Reads answers; messages call the file `name`.
///
/// # Errors
/// When the format is not known, no row has an answer, a retrieved document or a passage, or with every line that is wrong.
pub fn read(name: &str, text: &str, options: &ReadOptions) -> Result<RowSet, RowsError> {
    let set = read_any(name, text, options)?;
    let answers = |row: &AnswerRow| row.answer.is_some() || row.passages.is_some() || row.retrieved.is_some();
    if set.rows.iter().any(answers) {
        return Ok(set);
    }
    if set.rows.iter().any(|row| row.question.is_some()) {
        return Err(RowsError::OnlyQuestions {
            name: name.to_owned(),
        });
    }
    Err(RowsError::file(
        name,
        "the file has no rows",
        "name a file of answers",
    ))
}

/// The same, also for rows without answers.
pub(crate) fn read_any(name: &str, text: &str, options: &ReadOptions) -> Result<RowSet, RowsError> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(RowsError::file(
            name,
            "the file is empty",
            "name a file of answers",
        ));
    }
    let json = if options.format == Some(Format::Trec) {
        None
    } else {
        record::json(text)
    };
    let found = match json {
        Some(found) => found,
        None if options.format == Some(Format::Trec)
            || (options.format.is_none() && options.map.is_empty() && trec::is_run(text)) =>
        {
            let (rows, problems) = trec::run(text);
            return finish(
                name,
                Format::Trec,
                Container::Trec,
                Outcome {
                    rows,
                    problems,
                    unread: Vec::new(),
                },
            );
        }
        None => table(text),
    };
    let format = match options.format {
        Some(format) => format,
        None => detected(name, &found, &options.map)?,
    };
    let (records, older) = match format {
        Format::RunLog => latest_run(found.list),
        _ => (found.list, None),
    };
    let mut outcome = reader::rows(format.layout(), &options.map, found.container, &records);
    outcome.problems.extend(found.problems);
    if matches!(format, Format::RunLog | Format::Ask) {
        // Our own documents have many more fields than a row.
        outcome.unread.clear();
    }
    let mut set = finish(name, format, found.container, outcome)?;
    set.notes.extend(older);
    Ok(set)
}

fn table(text: &str) -> Records {
    let header = text.lines().next().unwrap_or_default();
    let delimiter = if header.contains('\t') && !header.contains(',') {
        b'\t'
    } else {
        b','
    };
    record::table(text, delimiter)
}

fn detected(name: &str, found: &Records, map: &FieldMap) -> Result<Format, RowsError> {
    if let Some(format) = Format::detect(found.list.iter().map(|record| &record.fields)) {
        return Ok(format);
    }
    if !map.is_empty() {
        return Ok(Format::Mapped);
    }
    if let (true, false) = (found.list.is_empty(), found.problems.is_empty()) {
        return Err(RowsError::Unusable {
            name: name.to_owned(),
            problems: found.problems.clone(),
            hint: "correct these lines".to_owned(),
        });
    }
    let mut keys: Vec<&str> = Vec::new();
    for key in found.list.iter().flat_map(|record| record.fields.keys()) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    keys.truncate(12);
    let formats: Vec<&str> = Format::ALL.iter().map(|format| format.as_str()).collect();
    Err(RowsError::file(
        name,
        format!(
            "the format is not known; its records have the keys {}",
            keys.join(", ")
        ),
        format!(
            "name the keys with --map, for example --map question={},answer=..., or force one of these formats with \
             --input-format: {}",
            keys.first().copied().unwrap_or("my_question"),
            formats.join(", ")
        ),
    ))
}

/// The records of the last run of a log, and a note if there are others. Where one query was asked in several modes, each has
/// a row, named after both.
fn latest_run(records: Vec<Record>) -> (Vec<Record>, Option<String>) {
    let run = |record: &Record| record.fields.get("run_id").cloned();
    let last = records.last().and_then(run);
    let all = records.len();
    let mut own: Vec<Record> = records.into_iter().filter(|record| run(record) == last).collect();
    let note = (own.len() < all).then(|| {
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

fn finish(name: &str, format: Format, container: Container, outcome: Outcome) -> Result<RowSet, RowsError> {
    let Outcome {
        rows,
        mut problems,
        unread,
    } = outcome;
    problems.sort_by_key(|problem| problem.line);
    if !problems.is_empty() {
        return Err(RowsError::Unusable {
            name: name.to_owned(),
            problems,
            hint: HINT.to_owned(),
        });
    }
    let mut notes = Vec::new();
    if !unread.is_empty() {
        notes.push(format!("fields that are not read: {}", unread.join(", ")));
    }
    Ok(RowSet {
        rows,
        format,
        container,
        notes,
    })
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
