//! A stored run in the formats of other programs. Rows come in the order of the run; records are read one at a time.

mod csv;
mod junit;
mod ragas;
mod trec;

pub use csv::write as csv;
pub use junit::{Ended, TestCase, junit, test_cases};
pub use ragas::write as ragas;
pub use trec::write as trec;

use crate::stored::StoredRun;
use crate::{EvalError, Row};
use std::io::Write;

/// Whole records, as a log has them that says nothing by reference.
///
/// # Errors
/// When the log cannot be read, or `out` fails.
pub fn jsonl(run: &StoredRun<'_>, mode: Option<&str>, out: &mut dyn Write) -> Result<(), EvalError> {
    run.each(|row| is_of(row, mode), |_, found| line(out, "a run record", &found.record))
}

fn is_of(row: &Row, mode: Option<&str>) -> bool {
    mode.is_none_or(|mode| row.mode == mode)
}

fn text(out: &mut dyn Write, text: &str) -> Result<(), EvalError> {
    out.write_all(text.as_bytes()).map_err(|source| EvalError::Output { source })
}

/// One JSON document on a line.
fn line(out: &mut dyn Write, what: &'static str, value: &impl serde::Serialize) -> Result<(), EvalError> {
    let json = serde_json::to_string(value).map_err(|source| EvalError::Json { what, source })?;
    text(out, &json)?;
    text(out, "\n")
}
