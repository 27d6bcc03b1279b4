//! Reading the files of a run: PDFs in worker processes, the others here.

use super::{
    IngestSummary, Run, caches::Caches, failed::FailedList, making::Work, plan::Paper, readings::Readings,
    siblings::Member, texts,
};
use crate::{error::EngineError, natives::Natives, parse, stages};
use ingest::{
    Job, Limits, ParseError, WorkerPool,
    inputs::{self, Fingerprint, Format},
};
use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};
use types::{Document, Reporter};

/// Failures that are told at once; the summary names all of them.
const WARNED: usize = 5;

/// What is remembered of files between runs.
pub(super) struct Memory {
    pub(super) failed: FailedList,
    pub(super) readings: Readings,
}

impl Memory {
    /// Remembers what papers hold whose documents an earlier run has kept.
    pub(super) fn remember(&mut self, papers: &[Paper], caches: &Caches) {
        for paper in papers.iter().filter(|paper| paper.record.is_none()) {
            if self.readings.get(&paper.path, &paper.hash).is_none()
                && let Some(document) = caches.document(&paper.hash)
            {
                self.readings.put(&paper.path, &paper.hash, &document, false);
            }
        }
    }

    /// Writes both lists into the index folder.
    pub(super) fn save(&mut self, index: &Path) -> io::Result<()> {
        self.failed.save(index)?;
        self.readings.save(index)
    }
}

impl Run<'_> {
    /// Reads the files of these groups of which it is not known what they hold, so that it can be decided which of
    /// them are one paper. Gives the files that cannot be read: content and reason.
    pub(super) fn read_groups(
        &self,
        groups: &[Vec<Member>],
        caches: &Caches,
        natives: &Natives,
        memory: &mut Memory,
        summary: &mut IngestSummary,
    ) -> Result<BTreeMap<String, String>, EngineError> {
        let unknown: Vec<&Member> = groups
            .iter()
            .flatten()
            .filter(|member| {
                let print = memory.readings.get(&member.path, &member.hash);
                memory.failed.get(&member.hash).is_none() && !print.is_some_and(Fingerprint::has_sketch)
            })
            .collect();
        let work: Vec<Work> = unknown
            .iter()
            .filter(|member| caches.document(&member.hash).is_none())
            .map(|member| Work::to_read(Paper::of(member)))
            .collect();
        let read = self.read(&work, caches, natives, memory, summary);
        for member in unknown {
            if let Some(document) = caches.document(&member.hash) {
                memory.readings.put(&member.path, &member.hash, &document, true);
            }
        }
        // The plan names them.
        summary.failed.clear();
        summary.failed_sources.clear();
        read?;
        let of = |work: Work| {
            let reason = memory.failed.last(&work.paper.hash)?.to_owned();
            let unread = caches.document(&work.paper.hash).is_none();
            unread.then_some((work.paper.hash, reason))
        };
        Ok(work.into_iter().filter_map(of).collect())
    }

    /// Reads every file whose document is not in the cache yet.
    pub(super) fn read(
        &self,
        work: &[Work],
        caches: &Caches,
        natives: &Natives,
        memory: &mut Memory,
        summary: &mut IngestSummary,
    ) -> Result<(), EngineError> {
        let limits = stages::limits(self.settings);
        let mut reading = Reading {
            caches,
            memory,
            summary,
            reporter: self.reporter,
            now: &self.now,
            broken: None,
        };
        let mut pdfs: Vec<&Work> = Vec::new();
        let mut texts: Vec<(&Work, Format)> = Vec::new();
        for work in work {
            if work.unchanged || work.cut || caches.document(&work.paper.hash).is_some() {
                continue;
            }
            match work.paper.format.map_or_else(|| format_of(&work.paper), Ok) {
                Ok(Format::Pdf) => pdfs.push(work),
                Ok(format) => texts.push((work, format)),
                Err(reason) => reading.take(work, Err(reason)),
            }
        }
        if !pdfs.is_empty() {
            self.read_pdfs(&pdfs, natives, limits, &mut reading)?;
        }
        if !texts.is_empty() {
            self.read_texts(&texts, &limits, &mut reading);
            reading.summary.texts_read += texts.len() as u64;
        }
        match reading.broken {
            Some(error) => Err(EngineError::io("write to the cache in", &self.settings.index.dir)(error)),
            None => self.check_stop(),
        }
    }

    fn read_pdfs(
        &self,
        jobs: &[&Work],
        natives: &Natives,
        limits: Limits,
        reading: &mut Reading<'_>,
    ) -> Result<(), EngineError> {
        let started = Instant::now();
        let command = parse::worker_command(natives)?;
        let workers = stages::threads(self.settings.ingest.workers).min(jobs.len());
        let pool = WorkerPool::new(command, limits, workers)
            .with_ocr(self.ocr.clone())
            .with_stop(Arc::clone(&self.request.stop));
        let task = self.reporter.task("reading", "pages", None);
        let stop = &self.request.stop;
        let queue = jobs
            .iter()
            .enumerate()
            .take_while(|_| !stop.load(Ordering::Relaxed))
            .map(|(index, work)| Job {
                index,
                path: work.paper.path.clone(),
                passwords: self.request.passwords.clone(),
            });
        let mut done = 0;
        pool.parse_all(queue, |parsed| {
            if matches!(parsed.outcome, Err(ParseError::Stopped)) {
                return;
            }
            done += 1;
            let summary = &mut *reading.summary;
            summary.worker_peak_bytes = summary.worker_peak_bytes.max(parsed.peak_bytes);
            let Some(work) = jobs.get(parsed.index) else {
                return;
            };
            let outcome = parsed.outcome.and_then(|document| {
                // Parsed text is kept by content hash: it must be the text of that content.
                let now = ingest::content_hash(&work.paper.path);
                if now.ok().as_ref() != Some(&work.paper.hash) {
                    return Err(texts::changed());
                }
                task.advance(u64::from(document.pages));
                summary.pages_read += u64::from(document.pages);
                Ok(document)
            });
            reading.take(work, outcome);
            task.item(&format!("{done}/{} files", jobs.len()));
        });
        reading.summary.read_seconds += started.elapsed().as_secs_f64();
        Ok(())
    }
}

/// Where the outcomes of reading go.
pub(super) struct Reading<'a> {
    caches: &'a Caches,
    memory: &'a mut Memory,
    summary: &'a mut IngestSummary,
    reporter: &'a dyn Reporter,
    now: &'a str,
    /// The first document that could not be kept, and why.
    broken: Option<std::io::Error>,
}

impl Reading<'_> {
    /// Keeps a document, or the reason why there is none.
    pub(super) fn take(&mut self, work: &Work, outcome: Result<Document, ParseError>) {
        let paper = &work.paper;
        match outcome {
            Ok(document) => {
                self.summary.stages.parse.done += 1;
                self.memory.failed.forget(&paper.hash);
                if paper.record.is_none() {
                    self.memory
                        .readings
                        .put(&paper.path, &paper.hash, &document, false);
                }
                if let Err(error) = self.caches.put_document(&paper.hash, &document) {
                    self.broken.get_or_insert(error);
                }
            }
            Err(reason) => {
                self.memory
                    .failed
                    .insert(&paper.hash, &paper.path, &reason, self.now);
                match self.summary.failed.len() {
                    0..WARNED => self.reporter.warn(&format!("{}: {reason}", paper.shown())),
                    WARNED => self.reporter.warn("more files fail; the summary names them"),
                    _ => {}
                }
                self.summary.fail(paper, reason.to_string());
            }
        }
    }
}

/// How a source of another root is read, whose file was not looked at.
fn format_of(paper: &Paper) -> Result<Format, ParseError> {
    match paper.record {
        Some(_) => Ok(Format::Beir),
        None => inputs::detect(&paper.path),
    }
}
