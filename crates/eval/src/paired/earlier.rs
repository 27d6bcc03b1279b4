//! Rows that an earlier run of a benchmark wrote, to compare with.

use super::Scored;
use crate::{EvalError, json_lines};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

const HINT: &str = "name a file that --per-query wrote";

/// One query of an earlier run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct EarlierRow {
    /// The query.
    pub query_id: String,
    /// The mode of retrieval.
    pub mode: String,
    /// The reranker; `None` where passages were not reranked.
    #[serde(default)]
    pub reranker: Option<String>,
    /// Every value by its name.
    #[serde(flatten)]
    values: Map<String, Value>,
}

impl Scored for EarlierRow {
    fn id(&self) -> &str {
        &self.query_id
    }
    fn cluster(&self) -> &str {
        &self.query_id
    }
    fn value_of(&self, key: &str) -> Option<f64> {
        self.values.get(key).and_then(Value::as_f64)
    }
}

/// Reads the rows of a file that a benchmark wrote with `--per-query`.
///
/// # Errors
/// [`EvalError::Read`] when the file cannot be read; [`EvalError::Benchmark`] with every line that is no such row, or
/// repeats one.
pub fn load_earlier(path: &Path) -> Result<Vec<EarlierRow>, EvalError> {
    let row = |_, line: &str| json_lines::parse(line);
    json_lines::load(path, HINT, row, |row: &EarlierRow| {
        let reranker = row.reranker.as_deref().unwrap_or("none");
        ("row", format!("{} {} {reranker}", row.query_id, row.mode))
    })
}
