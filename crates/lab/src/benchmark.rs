//! Benchmarks: labelled questions are asked of a pipeline, and what its stages made is compared with the labels.
//!
//! `dataset` reads questions of any layout, `index` brings the index of a benchmark's corpus up to date, and each of the
//! other modules measures one thing: [`beir`] rankings of documents, and [`retrieval`] which expected documents are found and where
//! the others are lost. Their results are the documents that `--format json` prints.

pub mod beir;
pub(crate) mod dataset;
mod index;
pub mod retrieval;

pub use dataset::Questions;
pub(crate) use index::Documents;
pub use index::{DEPTH, Indexed};

use crate::error::LabError;
use eval::Remains;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use types::{Reporter, Stop, Task, written::refuse_foreign};

/// Makes sure that an output has a folder and replaces nothing of somebody, before anything is computed.
///
/// # Errors
/// When the folder is missing, or the output is a folder itself or a file that this program did not write.
pub(crate) fn check_output(path: &Path) -> Result<(), LabError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let missing = folder.filter(|folder| !folder.is_dir());
    if missing.is_some() || path.is_dir() {
        let absent = |folder: &Path| format!("the folder {} does not exist", folder.display());
        let why = missing.map_or_else(|| "it is a folder".to_owned(), absent);
        let reason = format!("cannot be written: {why}");
        return Err(LabError::unusable(path, reason, "give a file in an existing folder"));
    }
    refuse_foreign(path).map_err(LabError::io("write", path))
}

/// `run.trec` as `run.bm25.trec`.
fn with_mode(path: &Path, mode: &str) -> PathBuf {
    match path.extension() {
        Some(extension) => path.with_extension(format!("{mode}.{}", extension.to_string_lossy())),
        None => path.with_extension(mode),
    }
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
