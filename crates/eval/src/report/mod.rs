//! From scored rows to what people and programs read: Markdown, JSON, rows, a table for the terminal.
//!
//! Every sentence about a result is computed from the numbers beside it; no cause is asserted. All text that
//! comes from papers, questions or models is escaped. The same rows and provenance give the same bytes: no
//! clock is read here.

mod controls;
mod escape;
mod failures;
mod from_log;
mod grid;
mod groups;
mod markdown;
mod results;
mod verdicts;

pub use controls::{controls_table, controls_verdict};
pub use escape::escape;
pub use failures::failures;
pub use from_log::{LogGroup, from_log, groups};
pub use grid::Grid;
pub use results::{abstention_table, table};
pub use verdicts::verdicts;

use crate::controls::Controls;
use crate::{EvalError, Row, Summary, summarise};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One setting of the pipeline, as configured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The stage.
    pub section: String,
    /// The setting.
    pub key: String,
    /// Its value, as written.
    pub value: String,
}

/// Where results come from: enough to run the same again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The pipeline as configured.
    pub architecture: Vec<Setting>,
    /// Hash of the settings that shape results.
    pub config_hash: String,
    /// The query set, by name.
    pub query_set: String,
    /// [`crate::QuerySet::hash`].
    pub query_set_hash: String,
    /// The generation of the index.
    pub generation: String,
    /// Version of the binary.
    pub version: String,
    /// Commit of the binary.
    pub git_commit: String,
    /// Seed of intervals and tests.
    pub seed: u64,
    /// Models by role: `embedding`, `reranker`, `generator`, `judge`.
    pub models: BTreeMap<String, String>,
}

impl Provenance {
    /// Whether answers are verbatim sentences, so that some metrics hold by construction.
    pub fn extractive(&self) -> bool {
        self.models
            .get("generator")
            .is_some_and(|model| model.starts_with("extractive"))
    }

    /// Whether the judge is the generator's own model.
    pub fn self_judged(&self) -> bool {
        let (Some(generator), Some(judge)) = (self.models.get("generator"), self.models.get("judge")) else {
            return false;
        };
        let model = judge
            .rsplit_once('@')
            .map_or(judge.as_str(), |(model, _prompt)| model);
        !generator.is_empty() && model == generator
    }
}

/// A finished evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The numbers.
    pub summary: Summary,
    /// The rows, in query order, then mode order.
    pub rows: Vec<Row>,
    /// Where they come from.
    pub provenance: Provenance,
    /// What a reader must know: what was left out, assumed or read differently.
    pub notes: Vec<String>,
    /// The systems that are bad on purpose, where they were run.
    pub controls: Option<Controls>,
}

/// The files of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// `report.md`.
    pub markdown: PathBuf,
    /// `eval.json`.
    pub json: PathBuf,
    /// `rows.jsonl`.
    pub rows: PathBuf,
}

/// The document of `eval.json`, in the order of its keys.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    provenance: &'a Provenance,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    controls: Option<&'a Controls>,
    rows: &'a [Row],
}

impl Evaluation {
    /// Summarises rows under the provenance's seed.
    pub fn new(run_id: &str, rows: Vec<Row>, provenance: Provenance) -> Self {
        let summary = summarise(run_id, &rows, provenance.seed);
        Self {
            summary,
            rows,
            provenance,
            notes: Vec::new(),
            controls: None,
        }
    }

    /// The report as Markdown.
    pub fn markdown(&self) -> String {
        markdown::render(self)
    }

    /// The report as one JSON document: `run_id`, `modes`, `comparison`, `rows` and more.
    ///
    /// # Errors
    /// [`EvalError::Json`].
    pub fn json(&self) -> Result<serde_json::Value, EvalError> {
        let document = Document {
            summary: &self.summary,
            provenance: &self.provenance,
            notes: &self.notes,
            controls: self.controls.as_ref(),
            rows: &self.rows,
        };
        serde_json::to_value(&document).map_err(|source| EvalError::Json {
            what: "the report",
            source,
        })
    }

    /// The rows, one JSON object a line.
    ///
    /// # Errors
    /// [`EvalError::Json`].
    pub fn rows_jsonl(&self) -> Result<String, EvalError> {
        let mut out = String::new();
        for row in &self.rows {
            let line = serde_json::to_string(row).map_err(|source| EvalError::Json {
                what: "a row",
                source,
            })?;
            out.push_str(&line);
            out.push('\n');
        }
        Ok(out)
    }

    /// Writes `report.md`, `eval.json` and `rows.jsonl` into `folder`, each whole or not at all.
    ///
    /// # Errors
    /// [`EvalError::Write`] or [`EvalError::Json`].
    pub fn write(&self, folder: &Path) -> Result<Written, EvalError> {
        let json = serde_json::to_string_pretty(&self.json()?).map_err(|source| EvalError::Json {
            what: "the report",
            source,
        })?;
        fs::create_dir_all(folder).map_err(|source| EvalError::Write {
            path: folder.to_path_buf(),
            source,
        })?;
        Ok(Written {
            markdown: write_whole(&folder.join("report.md"), &self.markdown())?,
            json: write_whole(&folder.join("eval.json"), &format!("{json}\n"))?,
            rows: write_whole(&folder.join("rows.jsonl"), &self.rows_jsonl()?)?,
        })
    }
}

/// Writes beside the target and renames, so that no reader sees half a report.
fn write_whole(path: &Path, text: &str) -> Result<PathBuf, EvalError> {
    let mut side = path.as_os_str().to_owned();
    side.push(".new");
    let side = PathBuf::from(side);
    fs::write(&side, text)
        .and_then(|()| fs::rename(&side, path))
        .map_err(|source| EvalError::Write {
            path: path.to_path_buf(),
            source,
        })?;
    Ok(path.to_path_buf())
}
