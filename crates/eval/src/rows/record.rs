//! Divides a file into records: lines of JSON, entries of a JSON document, or lines of a table.

use crate::json_lines;
use crate::rows::{
    Problem,
    scan::{Lines, clean, entries},
};
use serde_json::{Map, Value};
use types::sealed::{self, Seal};

/// What the records are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Container {
    /// One JSON object on each line.
    #[strum(to_string = "JSON lines")]
    JsonLines,
    /// One JSON document, or several one after the other.
    Json,
    /// A table with a header.
    Csv,
    /// Lines of six columns.
    Trec,
}

/// One record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// Where it begins, from 1.
    pub(crate) line: usize,
    /// Its key, if the records are the entries of an object.
    pub(crate) key: Option<String>,
    /// Its fields.
    pub(crate) fields: Map<String, Value>,
}

/// The records of a file, and what is wrong with the others.
#[derive(Debug)]
pub(crate) struct Records {
    pub(crate) container: Container,
    /// Whether numbers have a comma before their decimals: those of tables that part columns otherwise.
    pub(crate) decimal_comma: bool,
    pub(crate) list: Vec<Record>,
    pub(crate) problems: Vec<Problem>,
}

/// Keys under which test cases and rows are wrapped.
const WRAPPERS: [&str; 9] =
    ["testCases", "test_cases", "goldens", "rows", "data", "samples", "examples", "results", "queries"];

impl Records {
    pub(crate) fn new(container: Container) -> Self {
        Self { container, decimal_comma: false, list: Vec::new(), problems: Vec::new() }
    }

    fn add(&mut self, line: usize, key: Option<String>, value: Value) {
        match value {
            Value::Object(fields) => self.list.push(Record { line, key, fields }),
            other => {
                self.problems.push(Problem::at(line, format!("must be a JSON object, got {}", kind(&other))));
            }
        }
    }
}

/// What a value is, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Records of a text that is JSON or else a table.
pub(crate) fn any(text: &str) -> Records {
    json(text).unwrap_or_else(|| table(text))
}

/// Records of a text that is JSON; `None` if it does not look like JSON.
pub(crate) fn json(text: &str) -> Option<Records> {
    let text = &*clean(text);
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        if let Some(records) = columns(&value).filter(|_| wrapped(&value).is_none()) {
            return Some(records);
        }
        return match value {
            // A file with a single line may be either; it makes no difference.
            Value::Object(_)
                if text.trim().lines().count() == 1 && wrapped(&value).is_none() && !is_map(&value) =>
            {
                Some(lines(text))
            }
            Value::Array(_) | Value::Object(_) => Some(document(text, &value)),
            _ => None,
        };
    }
    let body = text.trim_start();
    let objects = text
        .lines()
        .filter(|line| line.starts_with('{') && serde_json::from_str::<Map<String, Value>>(line).is_ok())
        .count();
    let first = body.lines().next().unwrap_or_default();
    let first_is_whole = serde_json::from_str::<Value>(first).is_ok();
    if objects > 0 && (first_is_whole || !body.starts_with('[')) {
        return Some(lines(text));
    }
    if body.starts_with(['{', '[']) {
        return Some(stream(text));
    }
    None
}

/// The rows of a table that is saved by column: each key has the list of its values, or an object of them by row, as pandas and
/// Hugging Face datasets write them. `None` if it is none.
fn columns(value: &Value) -> Option<Records> {
    let columns = value.as_object().filter(|columns| columns.len() > 1)?;
    let mut names: Option<Vec<&String>> = None;
    let mut cells: Vec<(&String, Vec<&Value>)> = Vec::new();
    for (key, column) in columns {
        let own = match column {
            Value::Array(cells) => cells.iter().collect(),
            Value::Object(rows) if rows.keys().all(|row| row.bytes().all(|b| b.is_ascii_digit())) => {
                let keys: Vec<&String> = rows.keys().collect();
                if *names.get_or_insert_with(|| keys.clone()) != keys {
                    return None;
                }
                rows.values().collect()
            }
            _ => return None,
        };
        cells.push((key, own));
    }
    let rows = cells.first().map_or(0, |(_, cells)| cells.len());
    if rows == 0 || cells.iter().any(|(_, cells)| cells.len() != rows) {
        return None;
    }
    let mut out = Records::new(Container::Json);
    for at in 0..rows {
        let fields = cells.iter().map(|(key, cells)| ((*key).clone(), cells[at].clone()));
        out.add(at + 1, None, Value::Object(fields.collect()));
    }
    Some(out)
}

/// One object on each line; blank lines are skipped.
fn lines(text: &str) -> Records {
    let mut out = Records::new(Container::JsonLines);
    for (number, line) in json_lines::numbered(text) {
        let damaged = sealed::check(b"", line.as_bytes()) == Seal::Damaged;
        match serde_json::from_str(line) {
            _ if damaged => out.problems.push(Problem::at(number, sealed::DAMAGED)),
            Ok(value) => out.add(number, None, value),
            Err(error) => out.problems.push(Problem::at(number, syntax(&error))),
        }
    }
    out
}

fn syntax(error: &serde_json::Error) -> String {
    format!("not JSON: {}", json_lines::syntax(error))
}

/// Documents one after the other.
fn stream(text: &str) -> Records {
    let mut out = Records::new(Container::Json);
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut places = Lines::new(text);
    loop {
        let start = values.byte_offset();
        let skipped = text[start..].len() - text[start..].trim_start().len();
        match values.next() {
            None => return out,
            Some(Ok(value)) => out.add(places.of(start + skipped), None, value),
            Some(Err(error)) => {
                out.problems.push(Problem::at(error.line(), syntax(&error)));
                return out;
            }
        }
    }
}

/// The keys under which the records are wrapped: one, or one inside another.
fn wrapped(value: &Value) -> Option<Vec<&'static str>> {
    let list_in = |value: &Value| {
        let mut keys = WRAPPERS.into_iter();
        keys.find(|key| value.get(key).is_some_and(Value::is_array))
    };
    let inside = |outer: &&'static str| Some(vec![*outer, list_in(value.get(outer)?)?]);
    let alone = list_in(value).map(|key| vec![key]);
    alone.or_else(|| ["results", "data"].iter().find_map(inside))
}

/// Whether an object has one object under each key, as test results by test id do.
fn is_map(value: &Value) -> bool {
    let answers = |entry: &Value| entry.get("answers").is_some() || entry.get("top_k_chunks").is_some();
    value
        .as_object()
        .is_some_and(|map| !map.is_empty() && map.values().any(answers) && map.values().any(Value::is_object))
}

/// The entries of a list, of a wrapped list or of a map; a single object is one record.
fn document(text: &str, value: &Value) -> Records {
    let mut out = Records::new(Container::Json);
    let mut places = Lines::new(text);
    let start = text.len() - text.trim_start().len();
    let mut found = entries(text, start);
    if value.is_object() && !is_map(value) {
        let Some(keys) = wrapped(value) else {
            out.add(places.of(start), None, value.clone());
            return out;
        };
        for key in keys {
            let list = found.iter().find(|entry| entry.key.as_deref() == Some(key));
            found = list.map(|entry| entries(text, entry.at)).unwrap_or_default();
        }
    }
    for entry in found {
        let mut own = serde_json::Deserializer::from_str(&text[entry.at..]).into_iter::<Value>();
        if let Some(Ok(value)) = own.next() {
            out.add(places.of(entry.at), entry.key, value);
        }
    }
    out
}

/// Records of a table with a header. Cells are strings.
pub(crate) fn table(text: &str) -> Records {
    let mut out = Records::new(Container::Csv);
    let (delimiter, text) = types::csv::layout(text);
    out.decimal_comma = delimiter != b',';
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
    let header: Vec<String> = match reader.headers() {
        Ok(header) => header.iter().map(|name| name.trim().to_owned()).collect(),
        Err(error) => {
            out.problems.push(Problem::at(1, error.to_string()));
            return out;
        }
    };
    for (at, name) in header.iter().enumerate() {
        if header[..at].contains(name) && !name.is_empty() {
            out.problems.push(Problem::at(1, format!("the column {name:?} is there twice")));
        }
    }
    let mut places = Lines::new(text);
    // The reader places a record behind the one before it: line ends and blank lines may follow there.
    let mut line_of = |position: Option<&csv::Position>| {
        let at = position.map_or(0, |position| position.byte() as usize).min(text.len());
        let blank = text[at..].len() - text[at..].trim_start_matches(['\r', '\n']).len();
        places.of(at + blank)
    };
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                out.problems.push(Problem::at(line_of(error.position()), error.to_string()));
                continue;
            }
        };
        let line = line_of(record.position());
        if record.len() != header.len() {
            let reason = format!("has {} cells, the header has {}", record.len(), header.len());
            out.problems.push(Problem::at(line, reason));
            continue;
        }
        let cells = header.iter().zip(record.iter());
        let fields = cells
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, cell)| (name.clone(), Value::String(types::csv::plain(cell).to_owned())))
            .collect();
        out.list.push(Record { line, key: None, fields });
    }
    out
}
