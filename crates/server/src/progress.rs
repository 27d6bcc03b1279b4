//! How far the papers of a job are, as its event `progress` says it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Instant,
};
use types::{Reporter, Task, locked};

/// How far a job is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Progress {
    /// What is done now: `reading`, `embedding`, `writing`, `asking`; others may follow.
    pub(crate) stage: String,
    /// What is counted: `pages`, `texts`, `index`, `cells`.
    pub(crate) unit: String,
    /// Units that are done.
    pub(crate) done: u64,
    /// All of them, as far as they are known or can be estimated.
    pub(crate) total: Option<u64>,
    /// The place in the list, such as "paper 2 of 18"; empty without one.
    pub(crate) item: String,
    /// Seconds that the stage may still take; null while nobody can tell.
    pub(crate) seconds_left: Option<u64>,
    /// The uploaded files, each with its stage.
    pub(crate) files: Vec<FileProgress>,
}

/// How far a file is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct FileProgress {
    /// Its name.
    pub(crate) file: String,
    /// `waiting`, `reading`, `read`, `embedding`, `embedded` or `failed`.
    pub(crate) stage: String,
    /// The page that is read, pages that were read, or texts.
    pub(crate) count: u64,
    /// While it is read, its pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) of: Option<u64>,
}

/// Watches one job. A clone watches the same.
#[derive(Clone, Default)]
pub(crate) struct Watcher(Arc<Mutex<(Progress, Option<Instant>)>>);

impl Watcher {
    /// Nothing is done of these files yet.
    pub(crate) fn new(files: &[String]) -> Self {
        let waits = |file: &String| FileProgress {
            file: file.clone(),
            stage: "waiting".to_owned(),
            count: 0,
            of: None,
        };
        let progress = Progress { files: files.iter().map(waits).collect(), ..Progress::default() };
        Self(Arc::new(Mutex::new((progress, None))))
    }

    /// How far it is now.
    pub(crate) fn now(&self) -> Progress {
        let (mut progress, since) = locked(&self.0).clone();
        let left = progress.total.map(|total| total.saturating_sub(progress.done));
        let spent = since.map_or(0.0, |since| since.elapsed().as_secs_f64());
        // The first moments say little.
        if let Some(left) = left.filter(|left| *left > 0 && progress.done > 0 && spent > 3.0) {
            progress.seconds_left = Some((spent * left as f64 / progress.done as f64).ceil() as u64);
        }
        progress
    }
}

impl Reporter for Watcher {
    fn task(&self, name: &str, unit: &str, total: Option<u64>) -> Box<dyn Task> {
        let mut own = locked(&self.0);
        let files = std::mem::take(&mut own.0.files);
        let (stage, unit) = (name.to_owned(), unit.to_owned());
        *own = (Progress { stage, unit, total, files, ..Progress::default() }, Some(Instant::now()));
        Box::new(self.clone())
    }

    fn warn(&self, _message: &str) {}

    fn file(&self, path: &Path, stage: &str, count: u64, of: Option<u64>) {
        let is_it = |file: &&mut FileProgress| path.file_name().is_some_and(|name| *name == *file.file);
        if let Some(file) = locked(&self.0).0.files.iter_mut().find(is_it) {
            (file.stage, file.count, file.of) = (stage.to_owned(), count, of);
        }
    }
}

impl Task for Watcher {
    fn advance(&self, n: u64) {
        locked(&self.0).0.done += n;
    }

    fn estimate(&self, total: u64) {
        locked(&self.0).0.total = Some(total);
    }

    fn item(&self, name: &str) {
        name.clone_into(&mut locked(&self.0).0.item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_stages_are_followed() {
        let watcher = Watcher::new(&["a.pdf".to_owned(), "b.pdf".to_owned()]);
        let task = watcher.task("reading", "pages", None);
        task.advance(4);
        task.estimate(10);
        watcher.file(Path::new("/papers/a.pdf"), "reading", 3, Some(4));
        assert_eq!(watcher.now().files[0].of, Some(4));
        watcher.file(Path::new("/papers/a.pdf"), "read", 4, None);
        watcher.file(Path::new("/papers/c.pdf"), "failed", 0, None);
        let now = watcher.now();
        assert_eq!((&*now.stage, now.done, now.total, now.seconds_left), ("reading", 4, Some(10), None));
        let files: Vec<_> = now.files.iter().map(|file| (&*file.stage, file.count)).collect();
        assert_eq!(files, [("read", 4), ("waiting", 0)]);
        let _next = watcher.task("embedding", "texts", None);
        let now = watcher.now();
        assert_eq!((&*now.stage, now.done, now.total, now.files.len()), ("embedding", 0, None, 2));
    }
}
