//! Benchmarks: labelled questions are asked of a pipeline, and what its stages made is compared with the labels.
//!
//! `dataset` reads questions of any layout, `index` brings the index of a benchmark's corpus up to date, and each of the
//! other modules measures one thing: [`beir`] rankings of documents, [`retrieval`] which expected documents are found and where
//! the others are lost and [`answers`] where labelled evidence is lost on its way into the answer.
//! Their results are the documents that `--format json` prints.

pub mod answers;
mod baselines;
pub mod beir;
pub(crate) mod dataset;
mod files;
pub(crate) mod gold;
mod index;
pub mod retrieval;

pub use eval::{Comparison, GateResult, MetricSummary};
pub(crate) use files::check_output;
pub(crate) use index::Documents;
pub use index::Indexed;

use crate::error::LabError;
use eval::{Ordered, Remains};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use types::{Reporter, Stop, Task};

/// A condition of `--min` or `--max`, and whether it was met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Gate")]
pub struct GateLine {
    /// What was required and found.
    pub gate: String,
    /// Whether it passed.
    pub passed: bool,
}

impl From<&GateResult> for GateLine {
    fn from(result: &GateResult) -> Self {
        Self { gate: result.to_string(), passed: result.passed }
    }
}

/// Results by measure, as documents list them.
fn by_key<T>(results: Ordered<T>) -> BTreeMap<String, T> {
    results.into_iter().collect()
}

/// The first of several modes compared with each other one.
fn first_with_others<T, R>(modes: &[T], compare: impl Fn(&T, &T) -> R) -> Vec<R> {
    match modes.split_first() {
        Some((first, others)) => others.iter().map(|other| compare(first, other)).collect(),
        None => Vec::new(),
    }
}

/// Questions that are asked one after the other: progress, and each warning once with its number.
pub(crate) struct Asking<'a> {
    name: &'a str,
    noun: &'static str,
    task: Box<dyn Task>,
    warnings: BTreeMap<String, usize>,
    stop: &'a Stop,
    /// What the next run finds.
    pub(crate) remains: Remains,
    reporter: &'a dyn Reporter,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(
        name: &'a str,
        noun: &'static str,
        total: usize,
        stop: &'a Stop,
        reporter: &'a dyn Reporter,
    ) -> Self {
        Self {
            name,
            noun,
            task: reporter.task(name, noun, Some(total as u64)),
            warnings: BTreeMap::new(),
            stop,
            remains: Remains::Nothing,
            reporter,
        }
    }

    /// # Errors
    /// When the user stopped the work.
    pub(crate) fn next(&self) -> Result<(), LabError> {
        if self.stop.is_requested() {
            return Err(LabError::Stopped(self.remains));
        }
        Ok(())
    }

    pub(crate) fn answered(&mut self, warnings: Vec<String>) {
        for warning in warnings {
            *self.warnings.entry(warning).or_default() += 1;
        }
        self.task.advance(1);
    }

    pub(crate) fn finish(self) {
        let Self { name, noun, task, warnings, reporter, .. } = self;
        drop(task);
        for (warning, count) in warnings {
            reporter.warn(&format!("{name}, {count} {noun}: {warning}"));
        }
    }
}
