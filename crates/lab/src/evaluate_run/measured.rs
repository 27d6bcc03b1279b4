//! The metrics of rows, which need no language model.

use crate::{benchmark::as_contract, error::LabError};
use assess::{
    metrics::{Scored, Tools, scored},
    summary::summarise_with,
};
use contract::EvaluateMetrics;
use engine::{ComputePool, natives::Natives, settings::Settings, stages};
use futures::{StreamExt, stream};
use rows::AnswerRow;
use std::{sync::Arc, thread::available_parallelism};
use types::{Reporter, Stop};

/// The metrics of all rows.
pub(super) struct Measured {
    /// In the order of the rows.
    pub(super) rows: Vec<Scored>,
    /// Their means.
    pub(super) summary: EvaluateMetrics,
}

/// Computes every metric of every row, on all cores.
///
/// # Errors
/// When the user stops the work, or a number cannot be written as JSON.
pub(super) async fn run(
    settings: &Settings,
    rows: &[AnswerRow],
    stop: &Stop,
    reporter: &dyn Reporter,
) -> Result<Measured, LabError> {
    let limits = Arc::new(settings.evaluate.limits.clone());
    let support = stages::support_alone(settings, &Natives::find(settings), reporter);
    let task = reporter.task("computing metrics", "rows", Some(rows.len() as u64));
    let pool = ComputePool::default();
    let computed = rows.iter().cloned().map(|row| {
        let (support, limits) = (Arc::clone(&support), Arc::clone(&limits));
        pool.run(move || {
            let tools = Tools {
                support: &*support,
                limits: &limits,
            };
            scored(&row, &tools)
        })
    });
    let at_once = available_parallelism().map_or(1, std::num::NonZero::get);
    let mut computed = stream::iter(computed).buffered(at_once);
    let mut out = Vec::with_capacity(rows.len());
    while let Some(row) = computed.next().await {
        if stop.is_requested() {
            return Err(LabError::Stopped);
        }
        out.push(row);
        task.advance(1);
    }
    let summary = as_contract(&summarise_with(&out, &limits, settings.eval.seed))?;
    Ok(Measured { rows: out, summary })
}
