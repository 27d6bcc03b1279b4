//! One task for the whole sweep, instead of one for each part of it.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};
use types::{Reporter, Task};

/// Passes progress on to one task, and each warning once.
pub(super) struct Watch<'a> {
    reporter: &'a dyn Reporter,
    task: Arc<dyn Task>,
    said: Mutex<BTreeSet<String>>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(reporter: &'a dyn Reporter, total: u64) -> Self {
        Self { reporter, task: reporter.task("sweep", "answers", Some(total)).into(), said: Mutex::default() }
    }
}

/// The part of a run: counts for the whole.
struct Part(Arc<dyn Task>);

impl Task for Part {
    fn advance(&self, n: u64) {
        self.0.advance(n);
    }

    fn item(&self, _name: &str) {}
}

impl Reporter for Watch<'_> {
    fn task(&self, _name: &str, _unit: &str, _total: Option<u64>) -> Box<dyn Task> {
        Box::new(Part(Arc::clone(&self.task)))
    }

    fn warn(&self, message: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.insert(message.to_owned()) {
            self.reporter.warn(message);
        }
    }
}
