//! The queries of a benchmark in BEIR's layout: one JSON object a line, `{"_id", "text"}`.

use crate::{EvalError, json_lines};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

const HINT: &str = "each line is {\"_id\": ..., \"text\": ...}, as BEIR writes it";

/// One query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkQuery {
    /// Its `_id`, as written.
    pub id: String,
    /// What it asks; never blank.
    pub text: String,
}

#[derive(Deserialize)]
struct Raw {
    #[serde(rename = "_id")]
    id: Value,
    text: String,
}

/// Reads the queries of a file, in its order. Blank lines and other fields are skipped.
///
/// # Errors
/// [`EvalError::Read`] when the file cannot be read; [`EvalError::Benchmark`] with every line that is not a query, has
/// no text, or repeats an id.
pub fn load_queries(path: &Path) -> Result<Vec<BenchmarkQuery>, EvalError> {
    json_lines::load(path, HINT, query, |query| ("_id", query.id.clone()))
}

fn query(line: &str) -> Result<BenchmarkQuery, String> {
    let raw: Raw = json_lines::parse(line)?;
    let id = json_lines::written_id("_id", &raw.id)?;
    if raw.text.trim().is_empty() {
        return Err("its text is empty".to_owned());
    }
    Ok(BenchmarkQuery { id, text: raw.text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn load(text: &str) -> Result<Vec<BenchmarkQuery>, String> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("queries.jsonl");
        fs::write(&path, text).expect("written");
        load_queries(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn queries_keep_their_order_and_spelling() {
        let text = "\u{feff}{\"_id\": \"PLAIN-3\", \"text\": \"Why?\", \"metadata\": {}}\n\n{\"text\": \"How?\", \"_id\": 2}\n";
        let found = load(text).expect("queries");
        let ids: Vec<&str> = found.iter().map(|query| query.id.as_str()).collect();
        assert_eq!(ids, ["PLAIN-3", "2"]);
        assert_eq!(found[0].text, "Why?");
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = load("{\"_id\": \"a\", \"text\": \"x\"}\n{\"_id\": \"a\", \"text\": \"y\"}\n{\"_id\": \"b\"}\n{\"_id\": \"c\", \"text\": \" \"}\n{\"_id\": [], \"text\": \"z\"}\n")
            .expect_err("wrong");
        for part in [
            "line 2: the _id \"a\" is already on line 1",
            "line 3: missing field `text`",
            "line 4: its text is empty",
            "line 5: _id must be a string or a number",
        ] {
            assert!(error.contains(part), "{part:?} is not in {error}");
        }
    }
}
