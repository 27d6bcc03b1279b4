//! A stored run in the formats of other programs.

mod csv;
mod ragas;
mod trec;

use crate::report::{junit, phase2, test_cases};
use crate::stored::StoredRun;
use crate::{EvalError, Row};
use std::io::Write;
use strum::VariantArray as _;

/// A format of an export.
#[derive(strum::IntoStaticStr, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One line a row: question, answer, every metric.
    Csv,
    /// One whole record of the run log a line.
    Jsonl,
    /// A test case a row.
    Junit,
    /// Rankings of papers, in six columns.
    Trec,
    /// Samples of Ragas, one a line.
    Ragas,
    /// The report.
    Markdown,
    /// The report as one page.
    Html,
    /// `evaluation_report.json` of the earlier system.
    Phase2,
}

impl ExportFormat {
    /// Every format.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether each line is a JSON document.
    pub fn is_json(self) -> bool {
        matches!(self, Self::Jsonl | Self::Ragas)
    }
}

/// Writes a run, or one mode of it. Rows come in the order of the run; records are read one at a time.
///
/// # Errors
/// When the log cannot be read, the format cannot hold an id, a TREC run would have several modes, or `out` fails.
pub fn export(
    run: &StoredRun<'_>,
    format: ExportFormat,
    mode: Option<&str>,
    out: &mut dyn Write,
) -> Result<(), EvalError> {
    match format {
        ExportFormat::Csv => csv::write(run, mode, out),
        ExportFormat::Jsonl => jsonl(run, mode, out),
        ExportFormat::Trec => trec::write(run, mode, out),
        ExportFormat::Ragas => ragas::write(run, mode, out),
        ExportFormat::Junit => {
            let evaluation = run.of_mode(mode);
            text(out, &junit("pipeline eval", &test_cases(&evaluation, &[])))
        }
        ExportFormat::Markdown => text(out, &run.of_mode(mode).markdown()),
        ExportFormat::Html => text(out, &run.with_log(mode)?.page()),
        ExportFormat::Phase2 => text(out, &phase2::export(&run.of_mode(mode))?),
    }
}

/// Whole records, as a log has them that says nothing by reference.
fn jsonl(run: &StoredRun<'_>, mode: Option<&str>, out: &mut dyn Write) -> Result<(), EvalError> {
    run.each(
        |row| is_of(row, mode),
        |_, found| line(out, "a run record", &found.record),
    )
}

fn is_of(row: &Row, mode: Option<&str>) -> bool {
    mode.is_none_or(|mode| row.mode == mode)
}

fn text(out: &mut dyn Write, text: &str) -> Result<(), EvalError> {
    out.write_all(text.as_bytes())
        .map_err(|source| EvalError::Output { source })
}

/// One JSON document on a line.
fn line(out: &mut dyn Write, what: &'static str, value: &impl serde::Serialize) -> Result<(), EvalError> {
    let json = serde_json::to_string(value).map_err(|source| EvalError::Json { what, source })?;
    text(out, &json)?;
    text(out, "\n")
}
