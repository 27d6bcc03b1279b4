//! What a run was made with, as its first record says it.

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
}

impl RunHeader {
    /// The header of a run of these queries and modes.
    pub fn new(provenance: Provenance, set: &crate::QuerySet, modes: &[Mode], controls: bool) -> Self {
        Self {
            provenance,
            modes: modes.iter().map(ToString::to_string).collect(),
            queries: set.queries.iter().map(|query| query.id.clone()).collect(),
            controls,
        }
    }

    /// Writes the header into a record.
    ///
    /// # Errors
    /// [`crate::EvalError::Json`].
    pub fn attach(&self, record: &mut RunRecord) -> Result<(), crate::EvalError> {
        let value = serde_json::to_value(self).map_err(|source| crate::EvalError::Json {
            what: "the header of a run",
            source,
        })?;
        record.run = Some(value);
        Ok(())
    }
}
