//! Reading what is no PDF: files of one document side by side, corpora line by line. No process of their own is
//! needed: the readers are plain Rust, bounded by the limits, and asked between documents whether to go on.

use super::{Run, making::Work, reading::Reading};
use ingest::{
    Limits, ParseError,
    inputs::{self, Format, beir},
};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Mutex, PoisonError, atomic::Ordering},
};
use types::Document;

/// Files larger than this are read one at a time, so that memory is bounded by one of them.
const LARGE: u64 = 16 << 20;

impl Run<'_> {
    /// Reads the documents of these sources; each outcome goes to `reading` as it comes.
    pub(super) fn read_texts(&self, jobs: &[(&Work, Format)], limits: &Limits, reading: &mut Reading<'_>) {
        let task = self.reporter.task("reading", "texts", Some(jobs.len() as u64));
        let sink = Mutex::new(reading);
        let done = |work: &Work, outcome: Result<Document, ParseError>| {
            task.advance(1);
            // Serialised outside the lock, a document would be held twice.
            sink.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(work, outcome);
        };
        let go_on = || !self.request.stop.load(Ordering::Relaxed);

        let files: Vec<&(&Work, Format)> = jobs.iter().filter(|(_, f)| *f != Format::Beir).collect();
        let one_at_a_time = Mutex::new(());
        files.par_iter().for_each(|(work, format)| {
            let path = &work.paper.path;
            let large = fs::metadata(path).is_ok_and(|meta| meta.len() > LARGE);
            let _turn = large.then(|| one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner));
            if go_on() {
                done(work, read_file(path, *format, &work.paper.hash, limits));
            }
        });

        let mut corpora: BTreeMap<&Path, BTreeMap<&str, &Work>> = BTreeMap::new();
        for (work, _) in jobs {
            if let Some(record) = work.paper.record.as_deref() {
                let corpus = corpora.entry(work.paper.path.as_path()).or_default();
                corpus.insert(record, work);
            }
        }
        for (path, mut wanted) in corpora {
            let outcome = beir::entries(path, limits, |entry| {
                if let Ok(record) = entry
                    && let Some(work) = wanted.remove(record.id.as_str())
                {
                    let document = if record.content == work.paper.hash {
                        record.document(limits)
                    } else {
                        Err(changed())
                    };
                    done(work, document);
                }
                go_on() && !wanted.is_empty()
            });
            if go_on() {
                let reason = outcome.err().unwrap_or_else(changed);
                for work in wanted.into_values() {
                    done(work, Err(reason.clone()));
                }
            }
        }
    }
}

fn read_file(path: &Path, format: Format, content: &str, limits: &Limits) -> Result<Document, ParseError> {
    let read = inputs::read(path, format, limits)?;
    // Documents are kept by content: this must be the document of that content.
    if read.content == content {
        Ok(read.document)
    } else {
        Err(changed())
    }
}

/// What is not there any more as it was planned.
pub(super) fn changed() -> ParseError {
    ParseError::Unreadable {
        detail: "the file changed while it was read; ingest again".to_owned(),
    }
}
