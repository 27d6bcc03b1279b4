//! A JSON document as a page: for documents that are rarely read and have no page of their own.

use crate::report::page::Page;
use crate::report::words::{LINES, NONE, beginning, corrected, difference_of, interval, mean_of, number};
use eval::{Comparison, MetricSummary};
use serde_json::{Map, Value};
use types::path_text;

/// Characters of a cell of a table.
const CELL: usize = 400;
/// Most columns of a table that is made of an object.
const NARROW: usize = 5;

/// The page of a document: its values by name, and a table for each list of objects. Means with their intervals and
/// differences with their tests are one value. `without` names keys that only JSON has.
pub fn page(document: &Value, without: &[&str]) -> Page {
    let mut page = Page::new();
    match document {
        Value::Object(fields) => add(&mut page, "", fields, without),
        other => page.line(value("", other)),
    }
    page
}

/// Adds an object: first what is one value, then what has parts.
fn add(page: &mut Page, name: &str, fields: &Map<String, Value>, without: &[&str]) {
    let fields = || fields.iter().filter(|(key, _)| !without.contains(&key.as_str()));
    for (key, field) in fields().filter(|(_, field)| is_value(field)) {
        // Sizes are named after what they are sizes of.
        let unit = if name.ends_with("bytes") { name } else { key };
        page.fact(words(key), value(unit, field));
    }
    for (key, field) in fields() {
        match field {
            Value::Object(of) if !is_value(field) && !of.is_empty() => {
                page.heading(heading(name, key));
                match named_rows(of) {
                    Some(rows) => list(page, key, &rows, without),
                    None => add(page, key, of, without),
                }
            }
            Value::Array(items) if !is_value(field) => {
                page.heading(heading(name, key));
                list(page, key, items, without);
            }
            _ => {}
        }
    }
}

/// The rows of an object of small objects of values, such as one for each mode; its key is the first value of a row.
fn named_rows(of: &Map<String, Value>) -> Option<Vec<Value>> {
    let row = |(name, row): (&String, &Value)| {
        let fields = row.as_object().filter(|fields| !is_value(row) && fields.len() <= NARROW)?;
        let name = (String::new(), Value::String(name.clone()));
        fields
            .values()
            .all(is_value)
            .then(|| Value::Object(std::iter::once(name).chain(fields.clone()).collect()))
    };
    of.iter().map(row).collect()
}

/// Adds a list of objects: a table, if each is a row of values.
fn list(page: &mut Page, name: &str, items: &[Value], without: &[&str]) {
    let objects: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
    let columns = objects.first().map(|first| first.keys().filter(|key| !without.contains(&key.as_str())));
    let columns: Vec<&String> = columns.into_iter().flatten().collect();
    if objects.iter().all(|of| columns.iter().all(|key| of.get(*key).is_none_or(is_value))) {
        let cell = |of: &Map<String, Value>, key: &str| {
            of.get(key).map_or_else(String::new, |field| beginning(&value(key, field), CELL))
        };
        let mut rows = page.rows(objects.iter().take(LINES));
        for key in columns {
            rows = rows.column(words(key), |of| cell(of, key));
        }
        page.rest(&words(name), items.len());
        return;
    }
    for (at, of) in objects.iter().enumerate() {
        page.subheading(format!("{} {}", words(name), at + 1));
        add(page, name, of, without);
    }
}

/// Whether it is written as one value.
fn is_value(value: &Value) -> bool {
    match value {
        Value::Object(_) => estimate(value).is_some(),
        Value::Array(items) => items.iter().all(|item| !item.is_object() && !item.is_array()),
        _ => true,
    }
}

fn value(name: &str, value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        // It may be a path that is not UTF-8; any other text stays as it is.
        Value::String(text) => path_text::shown(&path_text::decode(text)),
        Value::Number(n) => match (n.as_u64(), n.as_f64()) {
            (Some(n), _) if name.ends_with("bytes") => bytes(n),
            (Some(n), _) if n >= 10_000 => number(n),
            (None, Some(n)) => format!("{n:.3}"),
            _ => n.to_string(),
        },
        Value::Array(items) => {
            let item = |item: &Value| if item.is_null() { NONE.to_owned() } else { self::value(name, item) };
            items.iter().map(item).collect::<Vec<_>>().join(", ")
        }
        Value::Object(_) => estimate(value).unwrap_or_default(),
    }
}

/// A mean with its interval, or a difference with its test.
fn estimate(found: &Value) -> Option<String> {
    let has = |key: &str| found.get(key).is_some();
    if has("delta") && has("n_pairs") {
        let of: Comparison = serde_json::from_value(found.clone()).ok()?;
        let (p, higher, lower) = (corrected(&of), of.wins, of.losses);
        return Some(format!("{}, p {p}; {higher} higher, {lower} lower", difference_of(&of)));
    }
    if has("mean") && has("n_a") {
        let of: MetricSummary = serde_json::from_value(found.clone()).ok()?;
        return Some(mean_of(&of));
    }
    if has("value") && has("ci_low") {
        let number = |key: &str| found.get(key).and_then(Value::as_f64);
        let interval = interval(number("ci_low"), number("ci_high"));
        return Some(
            format!("{} {interval}", crate::report::words::value(number("value"), 3)).trim_end().to_owned(),
        );
    }
    None
}

/// `refuse_below` as people write it; the name of a setting is typed as it is.
fn words(key: &str) -> String {
    if key.contains('.') { key.to_owned() } else { key.replace('_', " ") }
}

fn heading(name: &str, key: &str) -> String {
    if name.is_empty() { words(key) } else { format!("{}: {}", words(name), words(key)) }
}

/// `1.5 MiB`.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = (count.max(1).ilog2() / 10).min(4);
    let places = usize::from(unit > 0);
    format!("{:.places$} {}", count as f64 / (1_u64 << (10 * unit)) as f64, UNITS[unit as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::page::Terminal;
    use serde_json::json;

    #[test]
    fn values_lists_and_parts_are_shown() {
        let estimate = json!({"mean": 0.5, "ci_low": 0.4, "ci_high": 0.6, "n": 40, "n_a": 1, "errors": 0, "interval": null});
        let document = json!({"query_set": "mine.jsonl", "questions": 12_345, "secret": 1, "changes": {"guardrail.refuse_below": 0.25}, "file": "a\u{10FEFF}.pdf",
            "missing": null, "total_bytes": 1536, "summary": estimate, "ids": ["a", "b"],
            "modes": {"bm25": {"recall": 0.5}, "hybrid": {"recall": 0.75}},
            "rows": [{"id": "a", "passed": true, "mean": 2.0}, {"id": "b", "passed": false, "mean": null}]});
        let text = page(&document, &["secret"]).text(Terminal::default());
        let expect = "\
query set    mine.jsonl
questions    12,345
file         a\\xFF.pdf
total bytes  1.5 KiB
summary      0.500 [0.40, 0.60] n 40
ids          a, b

changes
guardrail.refuse_below  0.250

modes
        recall
bm25     0.500
hybrid   0.750

rows
id  passed   mean
a   yes     2.000
b   no
";
        assert_eq!(text, expect);
    }
}
