//! A finished evaluation: its numbers, its rows and where they come from, out of a run or of a log. `lab::report` renders it.
//!
//! The same rows, timings and provenance give the same bytes: no clock is read here.

mod beside;
mod details;
mod failures;
mod from_log;
mod log_notes;
pub mod phase2;
mod read_log;

pub use beside::beside;
pub use details::Details;
pub use failures::{failures, guardrail_name};
pub use from_log::{LogScoring, from_log};

use crate::controls::Controls;
use crate::paired::leave_out_by_construction;
use crate::{
    EvalError, ModeFunnel, Ordered, Problem, RemovedTerms, Row, StageLatency, Summary, failure_modes,
    latency, removed_terms, summarise,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use types::{Price, Usage, written::write_output};

/// One setting of the pipeline, as configured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Setting {
    /// The stage.
    pub section: String,
    /// The setting.
    pub key: String,
    /// Its value, as written.
    pub value: String,
}

/// Where results come from: enough to run the same again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Provenance {
    /// The pipeline as configured.
    pub architecture: Vec<Setting>,
    /// Hash of the settings that shape results.
    pub config_hash: String,
    /// The papers that were asked: how many there are, in how many passages; empty in older logs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub corpus: String,
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
    /// Prices of the language models, by stage, where they are known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, Price>,
}

impl Provenance {
    /// Whether answers are verbatim sentences, so that some metrics hold by construction.
    pub fn extractive(&self) -> bool {
        self.models.get("generator").is_some_and(|model| model.starts_with("extractive"))
    }

    /// Whether the judge is the generator's own model.
    pub fn self_judged(&self) -> bool {
        let (Some(generator), Some(judge)) = (self.models.get("generator"), self.models.get("judge")) else {
            return false;
        };
        let model = judge.rsplit_once('@').map_or(judge.as_str(), |(model, _prompt)| model);
        !generator.is_empty() && model == generator
    }
}

/// A finished evaluation; written as the document of `eval.json`, in the order of its keys. Maps keep the order in which they are
/// written.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Evaluation {
    /// The numbers.
    #[serde(flatten)]
    pub summary: Summary,
    /// Where they come from.
    pub provenance: Provenance,
    /// What a reader must know: what was left out, assumed or read differently.
    pub notes: Vec<String>,
    /// Milliseconds that answers took, by mode, then by stage.
    #[serde(rename = "latency_ms")]
    pub latency: Ordered<StageLatency>,
    /// What language models spent, by mode, then by stage.
    #[serde(rename = "usage")]
    pub spent: Ordered<Ordered<Usage>>,
    /// The control systems; with `--controls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controls: Option<Controls>,
    /// By mode: which stage lost the gold evidence.
    pub funnel: Ordered<ModeFunnel>,
    /// By mode, then by the key of each failure mode: the rows that have it.
    pub failure_modes: Ordered<Ordered<usize>>,
    /// Terms that the entity check did not find in the context.
    pub removed_terms: Vec<RemovedTerms>,
    /// The rows, in query order, then mode order.
    pub rows: Vec<Row>,
    /// Its records in the log that cannot be read.
    #[serde(skip)]
    pub unread: Vec<Problem>,
    /// Its records whose passages have no text, because that is missing or damaged.
    #[serde(skip)]
    pub without_text: Vec<Problem>,
    /// When the run began, RFC 3339, UTC; empty where no log says it. For people alone, as all that follows.
    #[serde(skip)]
    pub started: String,
    /// What the log says beyond the rows; `None` without a log.
    #[serde(skip)]
    pub details: Option<Details>,
}

impl Evaluation {
    /// Summarises rows under the provenance's seed. Failure modes are found anew: rows of older logs have none.
    pub fn new(run_id: &str, mut rows: Vec<Row>, provenance: Provenance) -> Self {
        for row in &mut rows {
            row.failure_modes = failure_modes::of_row(row);
        }
        let mut by_mode: Ordered<Vec<&Row>> = Ordered::default();
        for row in &rows {
            by_mode.entry(&row.mode).push(row);
        }
        let modes = || by_mode.iter().map(|(mode, rows)| (mode.to_owned(), rows));
        let funnel = modes().map(|(mode, rows)| (mode, ModeFunnel::new(rows, provenance.seed)));
        let funnel = funnel.collect();
        let mut summary = summarise(run_id, &rows, provenance.seed);
        if provenance.extractive() {
            leave_out_by_construction(&mut summary.comparison);
        }
        Self {
            summary,
            latency: latency(&rows),
            spent: spending(&rows),
            funnel,
            failure_modes: failure_modes::counts(&rows),
            removed_terms: removed_terms(&rows),
            rows,
            provenance,
            notes: Vec::new(),
            unread: Vec::new(),
            without_text: Vec::new(),
            controls: None,
            started: String::new(),
            details: None,
        }
    }

    /// The rows, one JSON object a line.
    ///
    /// # Errors
    /// [`EvalError::Json`].
    pub fn rows_jsonl(&self) -> Result<String, EvalError> {
        let mut out = String::new();
        for row in &self.rows {
            let line =
                serde_json::to_string(row).map_err(|source| EvalError::Json { what: "a row", source })?;
            out.push_str(&line);
            out.push('\n');
        }
        Ok(out)
    }

    /// The document of `eval.json`.
    ///
    /// # Errors
    /// [`EvalError::Json`].
    pub fn json_text(&self) -> Result<String, EvalError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|source| EvalError::Json { what: "the report", source })?;
        Ok(text + "\n")
    }
}

/// Orders rows by question, in the order of these ids and then as questions come first, then by mode, in the order of these.
fn sort_rows(rows: &mut [Row], ids: &[String], modes: &[String]) {
    let mut places: HashMap<String, usize> = HashMap::new();
    for id in ids.iter().chain(rows.iter().map(|row| &row.query_id)) {
        let next = places.len();
        places.entry(id.clone()).or_insert(next);
    }
    let mode = |row: &Row| modes.iter().position(|mode| *mode == row.mode).unwrap_or(modes.len());
    rows.sort_by_key(|row| (places.get(&row.query_id).copied(), mode(row)));
}

/// What language models spent, by mode and by stage; modes and stages without a request are left out.
fn spending(rows: &[Row]) -> Ordered<Ordered<Usage>> {
    let mut out: Ordered<Ordered<Usage>> = Ordered::default();
    for row in rows {
        for (stage, usage) in row.usage.iter() {
            out.entry(&row.mode).entry(stage).add(usage);
        }
    }
    out
}

/// The folder of a run's report: its id, where that is a plain name. Ids come from logs, which anyone may have
/// written: what could lead out of the folder of reports is replaced, and a hash keeps such names apart.
pub fn folder_name(run_id: &str) -> String {
    const LONGEST: usize = 100;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let is_plain = !run_id.is_empty()
        && !run_id.starts_with('.')
        && run_id.len() <= LONGEST
        && run_id.chars().all(plain);
    if is_plain {
        return run_id.to_owned();
    }
    let shown: String = run_id.chars().take(LONGEST).map(|c| if plain(c) { c } else { '_' }).collect();
    let mut hash = crate::hash::sha256_lines(std::iter::once(run_id.to_owned()));
    hash.truncate(8);
    let name = format!("{}-{hash}", shown.trim_start_matches('.'));
    name.trim_start_matches('-').to_owned()
}

/// Writes the files of a report into the folder of `reports` that is named after the run, each whole or not at all, but not over
/// one that this program did not write.
///
/// # Errors
/// [`EvalError::Write`].
pub fn write_files<const N: usize>(
    reports: &Path,
    run_id: &str,
    files: [(&str, String); N],
) -> Result<[PathBuf; N], EvalError> {
    let folder = reports.join(folder_name(run_id));
    std::fs::create_dir_all(&folder).map_err(|source| EvalError::Write { path: folder.clone(), source })?;
    for (name, text) in &files {
        write_whole(&folder.join(name), text)?;
    }
    Ok(files.map(|(name, _)| folder.join(name)))
}

/// Writes a file that no reader sees half of, but not over one that this program did not write.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<(), EvalError> {
    write_output(path, &[text.as_bytes()])
        .map_err(|source| EvalError::Write { path: path.to_path_buf(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_id_leads_out_of_the_folder_of_reports() {
        let plain = ["20260102T030405123Z-c0ffee00", "run-1", "a.b_c"];
        for id in plain {
            assert_eq!(folder_name(id), id);
        }
        let hostile = [
            "../../x",
            "/tmp/x",
            "..",
            ".",
            "",
            "a/b",
            "a\\b",
            "C:\\x",
            ".hidden",
            "a\0b",
            "a\nb",
            "\u{202e}gpj",
        ];
        let mut seen = std::collections::BTreeSet::new();
        for id in hostile.map(str::to_owned).into_iter().chain(["x".repeat(300)]) {
            let name = folder_name(&id);
            let path = Path::new(&name);
            assert_eq!(path.components().count(), 1, "{id:?}: {name:?}");
            assert!(
                matches!(path.components().next(), Some(std::path::Component::Normal(_))),
                "{id:?}: {name:?}"
            );
            assert!(!name.starts_with('.') && name.len() < 120, "{id:?}: {name:?}");
            assert!(seen.insert(name), "{id:?}");
        }
    }
}
