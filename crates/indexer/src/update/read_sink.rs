//! Where the outcomes of reading go: documents into the cache, failures and fingerprints into the lists beside the index.

use super::{build_plan::BuildPlan, plan::Paper, summary::IngestSummary};
use crate::{caches::Caches, failed::FailedList, fingerprints::Fingerprints};
use ingest::ParseError;
use std::{io, path::Path, sync::Arc};
use types::{Document, Reporter};

/// Failures that are reported at once; the summary names all of them.
const WARNED: usize = 5;

/// What is stored about files between runs.
pub(super) struct FileHistory {
    pub(super) failed: FailedList,
    pub(super) fingerprints: Fingerprints,
}

impl FileHistory {
    /// Stores the fingerprints of papers whose documents an earlier run has cached.
    pub(super) fn remember(&mut self, papers: &[Arc<Paper>], caches: &Caches) {
        for paper in papers.iter().filter(|paper| paper.record.is_none()) {
            if !self.fingerprints.note(&paper.path, &paper.hash)
                && let Some(document) = caches.document(&paper.hash)
            {
                self.fingerprints.put(&paper.path, &paper.hash, &document, false);
            }
        }
    }

    /// Writes both lists into the index folder.
    pub(super) fn save(&mut self, index: &Path) -> io::Result<()> {
        self.failed.save(index)?;
        self.fingerprints.save(index)
    }
}

/// Stores the outcomes of reading.
pub(super) struct ReadSink<'a> {
    pub(super) caches: &'a Caches,
    pub(super) history: &'a mut FileHistory,
    pub(super) summary: &'a mut IngestSummary,
    pub(super) reporter: &'a dyn Reporter,
    pub(super) now: &'a str,
    /// Why the first document could not be cached that could not.
    pub(super) unsaved: Option<io::Error>,
    /// Failures in this run so far.
    pub(super) failures: usize,
}

impl ReadSink<'_> {
    /// Caches a document, or remembers and reports why there is none.
    pub(super) fn store(&mut self, build: &BuildPlan, outcome: Result<Document, ParseError>) {
        let paper = &build.paper;
        match outcome {
            Ok(document) => {
                self.summary.stages.parse.done += 1;
                self.history.failed.forget(&paper.hash);
                if paper.record.is_none() {
                    self.history
                        .fingerprints
                        .put(&paper.path, &paper.hash, &document, false);
                }
                if let Err(error) = self.caches.put_document(&paper.hash, &document) {
                    self.unsaved.get_or_insert(error);
                }
            }
            Err(reason) => {
                self.history
                    .failed
                    .insert(&paper.hash, &paper.path, &reason, self.now);
                match self.failures {
                    0..WARNED => self.reporter.warn(&format!("{}: {reason}", paper.shown())),
                    WARNED => self.reporter.warn("more files fail; the summary names them"),
                    _ => {}
                }
                self.failures += 1;
                self.summary.fail(paper, reason.to_string());
            }
        }
    }
}

/// The file is no longer what it was when it was scanned.
pub(super) fn changed() -> ParseError {
    ParseError::Unreadable {
        detail: "the file changed while it was read; ingest again".to_owned(),
    }
}
