//! What a run was made with, as its first record says it.

use super::LogRun;
use crate::Query;
use crate::report::Provenance;
use serde::{Deserialize, Serialize};
use types::{Mode, RunRecord};

/// Everything about a run that its rows do not hold and its report shows. The first record that a process
/// writes of a run carries it, in [`RunRecord::run`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Settings, versions, models, query set.
    pub provenance: Provenance,
    /// Modes, in the order of the report.
    pub modes: Vec<String>,
    /// Ids of the queries, in the order of the report.
    pub queries: Vec<String>,
    /// Whether control systems were tested too; their results are not in the log.
    #[serde(default)]
    pub controls: bool,
    /// The name that the user gave the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When this process began, RFC 3339, UTC; empty in older logs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub started: String,
    /// The run whose answers were judged again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_from: Option<String>,
    /// The questions with their labels, in the order of the report. A reader of a log takes them from [`LogRun::labels`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Query>,
}

impl RunHeader {
    /// The header of a run of these queries and modes.
    pub fn new(provenance: Provenance, set: &crate::QuerySet, modes: &[Mode], controls: bool) -> Self {
        Self {
            provenance,
            modes: modes.iter().map(ToString::to_string).collect(),
            queries: set.queries.iter().map(|query| query.id.clone()).collect(),
            controls,
            labels: set.queries.clone(),
            ..Self::default()
        }
    }

    /// The header of a run in a log, without the labels of its questions; `None` if it has none that can be read.
    pub fn of(run: &LogRun) -> Option<Self> {
        let mut header = run.header.clone()?;
        header.as_object_mut()?.shift_remove("labels");
        serde_json::from_value(header).ok()
    }

    /// The name of a run in a log.
    pub fn name_of(run: &LogRun) -> Option<&str> {
        run.header.as_ref()?.get("name")?.as_str()
    }

    /// Writes the header into a record.
    ///
    /// # Errors
    /// [`crate::EvalError::Json`].
    pub fn attach(&self, record: &mut RunRecord) -> Result<(), crate::EvalError> {
        let value = serde_json::to_value(self)
            .map_err(|source| crate::EvalError::Json { what: "the header of a run", source })?;
        record.run = Some(value);
        Ok(())
    }
}
