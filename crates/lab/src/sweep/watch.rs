//! One task for the whole sweep, instead of one for each part of it.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};
use types::{Reporter, Task};

/// Passes progress on to one task, and each warning once.
pub(super) struct Watch<'a> {
    reporter: &'a dyn Reporter,
    task: Box<dyn Task>,
    said: Mutex<BTreeSet<String>>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(reporter: &'a dyn Reporter, total: u64) -> Self {
        Self {
            reporter,
            task: reporter.task("sweep", "answers", Some(total)),
            said: Mutex::default(),
        }
    }

    pub(super) fn advance(&self, n: u64) {
        self.task.advance(n);
    }
}

/// The part of a run: counts for the whole.
struct Part;

impl Task for Part {
    fn advance(&self, _n: u64) {}
    fn item(&self, _name: &str) {}
}

impl Reporter for Watch<'_> {
    fn task(&self, _name: &str, _unit: &str, _total: Option<u64>) -> Box<dyn Task> {
        // Parts are advanced row by row, where rows are stored.
        Box::new(Part)
    }

    fn warn(&self, message: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.insert(message.to_owned()) {
            self.reporter.warn(message);
        }
    }
}
