//! Rows that an earlier run of a benchmark wrote, to compare with.

use super::Scored;
use crate::{EvalError, json_lines};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

const HINT: &str = "name a file that --per-query wrote";

/// One query of an earlier run.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierRow {
    /// The query.
    pub query_id: String,
    /// The mode of retrieval.
    pub mode: String,
    /// The reranker; `None` where passages were not reranked.
    pub reranker: Option<String>,
    /// Every value by its name.
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

#[derive(Deserialize)]
struct Raw {
    query_id: String,
    mode: String,
    #[serde(default)]
    reranker: Option<String>,
    #[serde(flatten)]
    values: Map<String, Value>,
}

/// Reads the rows of a file that a benchmark wrote with `--per-query`.
///
/// # Errors
/// [`EvalError::Read`] when the file cannot be read; [`EvalError::Benchmark`] with every line that is no such row, or
/// repeats one.
pub fn load_earlier(path: &Path) -> Result<Vec<EarlierRow>, EvalError> {
    let row = |line: &str| {
        let raw: Raw = json_lines::parse(line)?;
        Ok(EarlierRow {
            query_id: raw.query_id,
            mode: raw.mode,
            reranker: raw.reranker,
            values: raw.values,
        })
    };
    json_lines::load(path, HINT, row, |row| {
        let reranker = row.reranker.as_deref().unwrap_or("none");
        ("row", format!("{} {} {reranker}", row.query_id, row.mode))
    })
}
