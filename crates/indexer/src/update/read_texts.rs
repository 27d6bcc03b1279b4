//! Reads files other than PDFs: files of one document in parallel, corpora line by line. They need no worker process:
//! the readers are plain Rust, bounded by the limits, and can be stopped between documents.

use super::{
    build_plan::BuildPlan,
    read_sink::{ReadSink, changed},
    run::Run,
};
use ingest::{
    Limits, ParseError,
    inputs::{self, Format, beir},
};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
};
use types::Document;

/// Files larger than this are read one at a time, so that memory is bounded by one of them.
const LARGE: u64 = 16 << 20;

impl Run<'_> {
    /// Reads the documents of these sources; each outcome goes to `sink` as soon as it is known.
    pub(super) fn read_texts(&self, jobs: &[(&BuildPlan, Format)], limits: &Limits, sink: &mut ReadSink<'_>) {
        let task = self.reporter.task("reading", "texts", Some(jobs.len() as u64));
        let sink = Mutex::new(sink);
        let done = |build: &BuildPlan, outcome: Result<Document, ParseError>| {
            task.advance(1);
            // Serialised inside the lock: outside of it a document would be in memory twice.
            sink.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .store(build, outcome);
        };
        let may_continue = || !self.request.stop.is_requested();

        let files: Vec<&(&BuildPlan, Format)> = jobs.iter().filter(|(_, f)| *f != Format::Beir).collect();
        let one_at_a_time = Mutex::new(());
        files.par_iter().for_each(|(build, format)| {
            let path = &build.paper.path;
            let large = fs::metadata(path).is_ok_and(|meta| meta.len() > LARGE);
            let _guard = large.then(|| one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner));
            if may_continue() {
                done(build, read_file(path, *format, &build.paper.hash, limits));
            }
        });

        let mut corpora: BTreeMap<&Path, BTreeMap<&str, &BuildPlan>> = BTreeMap::new();
        for (build, _) in jobs {
            if let Some(record) = build.paper.record.as_deref() {
                let corpus = corpora.entry(build.paper.path.as_path()).or_default();
                corpus.insert(record, build);
            }
        }
        for (path, mut unread) in corpora {
            let outcome = beir::entries(path, limits, |entry| {
                if let Ok(record) = entry
                    && let Some(build) = unread.remove(record.id.as_str())
                {
                    let document = if record.content == build.paper.hash {
                        record.document(limits)
                    } else {
                        Err(changed())
                    };
                    done(build, document);
                }
                may_continue() && !unread.is_empty()
            });
            if may_continue() {
                let reason = outcome.err().unwrap_or_else(changed);
                for build in unread.into_values() {
                    done(build, Err(reason.clone()));
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
