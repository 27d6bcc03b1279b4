//! The same evaluation several times.

use super::{EvalRequest, evaluate};
use crate::error::LabError;
use contract::{RepeatedMetric, RepeatedMode, RunRepeats};
use engine::settings::Loaded;
use eval::{metrics, repeats::repeats};
use types::{Reporter, Stop};

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
    let modes = repeats(&rows);
    let mode = |(mode, found): (&str, &eval::repeats::RepeatedMode)| RepeatedMode {
        mode: mode.to_owned(),
        rows: found.rows,
        changed: found.changed.clone(),
        metrics: found
            .metrics
            .iter()
            .map(|(key, metric)| RepeatedMetric {
                metric: key.to_owned(),
                title: metrics::find(key)
                    .map_or(key, |column| column.spec().title)
                    .to_owned(),
                mean: metric.mean,
                sd: metric.sd,
                min: metric.min,
                max: metric.max,
                n: metric.n,
                changed: metric.changed,
            })
            .collect(),
    };
    Ok(RunRepeats {
        runs,
        failed,
        modes: modes.iter().map(mode).collect(),
    })
}
