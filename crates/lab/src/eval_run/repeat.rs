//! The same evaluation several times.

use super::{EvalRequest, evaluate};
use crate::error::LabError;
use engine::settings::Loaded;
use eval::repeats::{RepeatedMode, repeats};
use schemars::JsonSchema;
use serde::Serialize;
use types::{Reporter, Stop};

/// What `eval --repeat` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunRepeats {
    /// The runs, in order.
    pub runs: Vec<String>,
    /// Rows of all runs without an answer or a verdict.
    pub failed: usize,
    /// By mode, in the order of the runs.
    pub modes: Vec<RepeatedMode>,
}

/// Runs an evaluation `times` times, each as a run of its own, and measures how far the results differ. The rows of finished
/// repeats are kept until all are done: after a stop, the next call goes on from there.
///
/// # Errors
/// As [`evaluate`].
pub async fn repeat(
    loaded: &Loaded,
    request: &EvalRequest,
    times: usize,
    reporter: &dyn Reporter,
    stop: &Stop,
) -> Result<RunRepeats, LabError> {
    let (mut rows, mut runs, mut kept, mut failed) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for at in 1..=times {
        let request = EvalRequest {
            repeat: Some((at, times)),
            ..request.clone()
        };
        let done = evaluate(loaded, &request, reporter, stop).await?;
        runs.push(done.evaluation.summary.run_id.clone());
        failed += done.failed;
        kept.extend(done.unfinished);
        rows.push(done.evaluation.rows);
    }
    if failed == 0 {
        for path in kept {
            std::fs::remove_file(&path).map_err(LabError::io("remove", path))?;
        }
    }
    Ok(RunRepeats {
        runs,
        failed,
        modes: repeats(&rows),
    })
}
