//! Reads the files of a run: PDFs in worker processes, the others in this one.

use super::{
    build_plan::BuildPlan,
    plan::Paper,
    read_sink::{FileHistory, ReadSink, changed},
    run::Run,
    same_stem::SameStemFile,
    summary::IngestSummary,
};
use crate::{IndexerError, caches::Caches};
use ingest::{
    Job, ParseError, WorkerPool,
    inputs::{self, Fingerprint, Format},
};
use std::{collections::BTreeMap, time::Instant};

impl Run<'_> {
    /// Reads the files of these groups that have no fingerprint yet, so that it can be decided which of them are one
    /// paper. Returns the files that cannot be read: content and reason.
    pub(super) fn read_groups(
        &self,
        groups: &[Vec<SameStemFile>],
        caches: &Caches,
        history: &mut FileHistory,
        summary: &mut IngestSummary,
    ) -> Result<BTreeMap<String, String>, IndexerError> {
        for member in groups.iter().flatten() {
            history.fingerprints.note(&member.path, &member.hash);
        }
        let unknown: Vec<&SameStemFile> = groups
            .iter()
            .flatten()
            .filter(|member| {
                let print = history.fingerprints.get(&member.hash);
                history.failed.get(&member.hash).is_none() && !print.is_some_and(Fingerprint::has_sketch)
            })
            .collect();
        let files: Vec<BuildPlan> = unknown
            .iter()
            .filter(|member| caches.document(&member.hash).is_none())
            .map(|member| BuildPlan::to_read(member.to_paper()))
            .collect();
        let read = self.read(&files, caches, history, summary);
        for member in unknown {
            if let Some(document) = caches.document(&member.hash) {
                history
                    .fingerprints
                    .put(&member.path, &member.hash, &document, true);
            }
        }
        // The plan names the failures.
        summary.failed.clear();
        summary.failed_sources.clear();
        read?;
        let failure = |file: BuildPlan| {
            let reason = history.failed.last(&file.paper.hash)?.to_owned();
            let unread = caches.document(&file.paper.hash).is_none();
            unread.then(|| (file.paper.hash.clone(), reason))
        };
        Ok(files.into_iter().filter_map(failure).collect())
    }

    /// Reads every file whose document is not in the cache yet.
    pub(super) fn read(
        &self,
        builds: &[BuildPlan],
        caches: &Caches,
        history: &mut FileHistory,
        summary: &mut IngestSummary,
    ) -> Result<(), IndexerError> {
        let mut sink = ReadSink {
            caches,
            history,
            summary,
            reporter: self.reporter,
            now: &self.now,
            unsaved: None,
            failures: 0,
        };
        let mut pdfs: Vec<&BuildPlan> = Vec::new();
        let mut texts: Vec<(&BuildPlan, Format)> = Vec::new();
        for build in builds {
            if build.unchanged || build.same_chunks || caches.document(&build.paper.hash).is_some() {
                continue;
            }
            match build.paper.format.map_or_else(|| format_of(&build.paper), Ok) {
                Ok(Format::Pdf) => pdfs.push(build),
                Ok(format) => texts.push((build, format)),
                Err(reason) => sink.store(build, Err(reason)),
            }
        }
        if !pdfs.is_empty() {
            self.read_pdfs(&pdfs, &mut sink)?;
        }
        if !texts.is_empty() {
            let read_before = sink.summary.stages.parse.done;
            self.read_texts(&texts, &self.settings.limits, &mut sink);
            sink.summary.texts_read += sink.summary.stages.parse.done - read_before;
        }
        match sink.unsaved {
            Some(error) => Err(IndexerError::io(
                "write to the cache in",
                &self.settings.index_dir,
            )(error)),
            None => self.check_stop(),
        }
    }

    fn read_pdfs(&self, jobs: &[&BuildPlan], sink: &mut ReadSink<'_>) -> Result<(), IndexerError> {
        let started = Instant::now();
        let command = (self.worker)().map_err(IndexerError::Resource)?;
        let workers = self.settings.workers.min(jobs.len());
        let pool = WorkerPool::new(command, self.settings.limits, workers)
            .with_ocr(self.ocr.clone())
            .with_stop(self.request.stop.clone());
        let task = self.reporter.task("reading", "pages", None);
        let stop = &self.request.stop;
        let queue = jobs
            .iter()
            .enumerate()
            .take_while(|_| !stop.is_requested())
            .map(|(index, build)| Job {
                index,
                path: build.paper.path.clone(),
                passwords: self.request.passwords.clone(),
            });
        let mut done = 0;
        pool.parse_all(queue, |parsed| {
            if matches!(parsed.outcome, Err(ParseError::Stopped)) {
                return;
            }
            done += 1;
            let summary = &mut *sink.summary;
            summary.worker_peak_bytes = summary.worker_peak_bytes.max(parsed.peak_bytes);
            let Some(build) = jobs.get(parsed.index) else {
                return;
            };
            let outcome = parsed.outcome.and_then(|document| {
                // Parsed text is cached by content hash: it must be the text of that content.
                let now = ingest::content_hash(&build.paper.path);
                if now.ok().as_ref() != Some(&build.paper.hash) {
                    return Err(changed());
                }
                task.advance(u64::from(document.pages));
                summary.pages_read += u64::from(document.pages);
                Ok(document)
            });
            sink.store(build, outcome);
            task.item(&format!("{done}/{} files", jobs.len()));
        });
        sink.summary.read_seconds += started.elapsed().as_secs_f64();
        Ok(())
    }
}

/// The format of a source of another root, whose file was not scanned.
fn format_of(paper: &Paper) -> Result<Format, ParseError> {
    match paper.record {
        Some(_) => Ok(Format::Beir),
        None => inputs::detect(&paper.path),
    }
}
