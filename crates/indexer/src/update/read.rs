//! Reads the files of a run: PDFs in worker processes, the others in this one, because their readers are plain Rust,
//! bounded by the limits. Documents go into the cache, failures and fingerprints into the lists beside the index.

use super::{plan::Paper, run::Run, summary::IngestSummary};
use crate::{IndexerError, caches::Caches, failed::FailedList, fingerprints::Fingerprints};
use ingest::{
    Job, Limits, ParseError, WorkerPool,
    inputs::{self, Fingerprint, Format, beir},
};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    fs, io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};
use types::Document;

/// Files larger than this are read one at a time, so that memory is bounded by one of them.
const LARGE: u64 = 16 << 20;

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
struct ReadSink<'a> {
    caches: &'a Caches,
    history: &'a mut FileHistory,
    summary: &'a mut IngestSummary,
    now: &'a str,
    /// Why the first document could not be cached that could not.
    unsaved: Option<io::Error>,
}

impl ReadSink<'_> {
    /// Caches a document, or remembers why there is none.
    fn store(&mut self, paper: &Paper, outcome: Result<Document, ParseError>) {
        match outcome {
            Ok(document) => {
                self.summary.stages.parse.done += 1;
                self.history.failed.forget(&paper.hash);
                if paper.record.is_none() {
                    self.history.fingerprints.put(&paper.path, &paper.hash, &document, false);
                }
                if let Err(error) = self.caches.put_document(&paper.hash, &document) {
                    self.unsaved.get_or_insert(error);
                }
            }
            Err(reason) => {
                self.history.failed.insert(&paper.hash, &paper.path, &reason, self.now);
                self.summary.fail(paper, reason.to_string());
            }
        }
    }
}

impl Run<'_> {
    /// Reads the files of these groups that have no fingerprint yet, so that it can be decided which of them are one
    /// paper. Returns the files that cannot be read: content and reason.
    pub(super) fn read_groups(
        &self,
        groups: &[Vec<Paper>],
        caches: &Caches,
        history: &mut FileHistory,
        summary: &mut IngestSummary,
    ) -> Result<BTreeMap<String, String>, IndexerError> {
        for member in groups.iter().flatten() {
            history.fingerprints.note(&member.path, &member.hash);
        }
        let unknown: Vec<&Paper> = groups
            .iter()
            .flatten()
            .filter(|member| {
                let print = history.fingerprints.get(&member.hash);
                history.failed.get(&member.hash).is_none() && !print.is_some_and(Fingerprint::has_sketch)
            })
            .collect();
        let mut files = unknown.clone();
        files.retain(|member| caches.document(&member.hash).is_none());
        let read = self.read(files.iter().copied(), caches, history, summary);
        for member in unknown {
            if let Some(document) = caches.document(&member.hash) {
                history.fingerprints.put(&member.path, &member.hash, &document, true);
            }
        }
        // The plan names the failures.
        summary.failed.clear();
        summary.failed_sources.clear();
        read?;
        let failure = |file: &Paper| {
            let reason = history.failed.last(&file.hash)?.to_owned();
            let unread = caches.document(&file.hash).is_none();
            unread.then(|| (file.hash.clone(), reason))
        };
        Ok(files.into_iter().filter_map(failure).collect())
    }

    /// Reads every file whose document is not in the cache yet.
    pub(super) fn read<'p>(
        &self,
        papers: impl Iterator<Item = &'p Paper>,
        caches: &Caches,
        history: &mut FileHistory,
        summary: &mut IngestSummary,
    ) -> Result<(), IndexerError> {
        let mut sink = ReadSink { caches, history, summary, now: &self.now, unsaved: None };
        let mut pdfs: Vec<&Paper> = Vec::new();
        let mut texts: Vec<(&Paper, Format)> = Vec::new();
        for paper in papers.filter(|paper| caches.document(&paper.hash).is_none()) {
            match paper.format.map_or_else(|| format_of(paper), Ok) {
                Ok(Format::Pdf) => pdfs.push(paper),
                Ok(format) => texts.push((paper, format)),
                Err(reason) => sink.store(paper, Err(reason)),
            }
        }
        if !pdfs.is_empty() {
            self.read_pdfs(&pdfs, &mut sink)?;
        }
        if !texts.is_empty() {
            let read_before = sink.summary.stages.parse.done;
            self.read_texts(&texts, &mut sink);
            sink.summary.texts_read += sink.summary.stages.parse.done - read_before;
        }
        match sink.unsaved {
            Some(error) => Err(IndexerError::io("write to the cache in", &self.settings.index_dir)(error)),
            None => self.check_stop(),
        }
    }

    fn read_pdfs(&self, jobs: &[&Paper], sink: &mut ReadSink<'_>) -> Result<(), IndexerError> {
        let started = Instant::now();
        let command = (self.worker)().map_err(IndexerError::Resource)?;
        let workers = self.settings.workers.min(jobs.len());
        let pool = WorkerPool::new(command, self.settings.limits, workers)
            .with_ocr(self.ocr.clone())
            .with_stop(self.request.stop.clone());
        let task = self.reporter.task("reading", "pages", None);
        let stop = &self.request.stop;
        let queue = jobs.iter().enumerate().take_while(|_| !stop.is_requested()).map(|(index, paper)| Job {
            index,
            path: paper.path.clone(),
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
            let Some(paper) = jobs.get(parsed.index) else {
                return;
            };
            let outcome = parsed.outcome.and_then(|document| {
                // Parsed text is cached by content hash: it must be the text of that content.
                let now = ingest::content_hash(&paper.path);
                if now.ok().as_ref() != Some(&paper.hash) {
                    return Err(changed());
                }
                task.advance(u64::from(document.pages));
                summary.pages_read += u64::from(document.pages);
                Ok(document)
            });
            sink.store(paper, outcome);
            task.item(&format!("{done}/{} files", jobs.len()));
        });
        sink.summary.read_seconds += started.elapsed().as_secs_f64();
        Ok(())
    }

    /// Reads the documents of these sources; each outcome goes to `sink` as soon as it is known.
    fn read_texts(&self, jobs: &[(&Paper, Format)], sink: &mut ReadSink<'_>) {
        let limits = &self.settings.limits;
        let task = self.reporter.task("reading", "texts", Some(jobs.len() as u64));
        let sink = Mutex::new(sink);
        let done = |paper: &Paper, outcome: Result<Document, ParseError>| {
            task.advance(1);
            // Serialised inside the lock: outside of it a document would be in memory twice.
            sink.lock().unwrap_or_else(PoisonError::into_inner).store(paper, outcome);
        };
        let may_continue = || !self.request.stop.is_requested();

        let files: Vec<&(&Paper, Format)> = jobs.iter().filter(|(_, f)| *f != Format::Beir).collect();
        let one_at_a_time = Mutex::new(());
        files.par_iter().for_each(|(paper, format)| {
            let path = &paper.path;
            let large = fs::metadata(path).is_ok_and(|meta| meta.len() > LARGE);
            let _guard = large.then(|| one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner));
            if may_continue() {
                done(paper, read_file(path, *format, &paper.hash, limits));
            }
        });

        let mut corpora: BTreeMap<&Path, BTreeMap<&str, &Paper>> = BTreeMap::new();
        for (paper, _) in jobs {
            if let Some(record) = paper.record.as_deref() {
                let corpus = corpora.entry(paper.path.as_path()).or_default();
                corpus.insert(record, paper);
            }
        }
        for (path, mut unread) in corpora {
            let outcome = beir::entries(path, limits, |entry| {
                if let Ok(record) = entry
                    && let Some(paper) = unread.remove(record.id.as_str())
                {
                    let document =
                        if record.content == paper.hash { record.document(limits) } else { Err(changed()) };
                    done(paper, document);
                }
                may_continue() && !unread.is_empty()
            });
            if may_continue() {
                let reason = outcome.err().unwrap_or_else(changed);
                for paper in unread.into_values() {
                    done(paper, Err(reason.clone()));
                }
            }
        }
    }
}

/// The format of a source of another root, whose file was not scanned.
fn format_of(paper: &Paper) -> Result<Format, ParseError> {
    match paper.record {
        Some(_) => Ok(Format::Beir),
        None => inputs::detect(&paper.path),
    }
}

fn read_file(path: &Path, format: Format, content: &str, limits: &Limits) -> Result<Document, ParseError> {
    let read = inputs::read(path, format, limits)?;
    // Documents are kept by content: this must be the document of that content.
    if read.content == content { Ok(read.document) } else { Err(changed()) }
}

/// The file is no longer what it was when it was scanned.
fn changed() -> ParseError {
    ParseError::Unreadable { detail: "the file changed while it was read; ingest again".to_owned() }
}
