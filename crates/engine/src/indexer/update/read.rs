//! Reads the files of a run: PDFs in worker processes, the others in this one, because their readers are plain Rust,
//! bounded by the limits. Documents, fingerprints and failures go into the cache.

use super::{plan::Paper, run::Run, summary::IngestSummary, write::total};
use crate::indexer::{IndexerError, cache::Cache};
use ingest::{
    Job, Limits, ParseError, WorkerPool,
    inputs::{self, Format, beir},
};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    fs, io,
    path::Path,
    sync::{Mutex, PoisonError},
    time::Instant,
};
use types::{Document, Reporter};

/// Files larger than this are read one at a time, so that memory is bounded by one of them.
const LARGE: u64 = 16 << 20;

/// A document that could not be read, and why.
type Unread<'p> = (&'p Paper, String);

/// Stores the outcomes of reading.
struct ReadSink<'r, 'p> {
    cache: &'r Cache,
    now: &'r str,
    reporter: &'r dyn Reporter,
    summary: &'r mut IngestSummary,
    failed: Vec<Unread<'p>>,
    /// Why the first outcome could not be cached that could not.
    unsaved: Option<io::Error>,
}

impl<'p> ReadSink<'_, 'p> {
    /// Caches a document, or remembers why there is none.
    fn store(&mut self, paper: &'p Paper, outcome: Result<Document, ParseError>) {
        let saved = match outcome {
            Ok(document) => {
                self.summary.stages.parse.done += 1;
                self.reporter.file(&paper.path, "read", u64::from(document.pages), None);
                self.cache.put_document(paper.file(), &paper.hash, &document)
            }
            Err(reason) => {
                self.reporter.file(&paper.path, "failed", 0, None);
                self.failed.push((paper, reason.to_string()));
                self.cache.put_failure(&paper.hash, &paper.path, &reason, self.now)
            }
        };
        if let Err(error) = saved {
            self.unsaved.get_or_insert(error);
        }
    }
}

impl Run<'_> {
    /// Reads the files of which nothing is known yet. Returns those that cannot be read: content and reason.
    pub(super) fn read_unknown<'p>(
        &self,
        files: impl Iterator<Item = &'p Paper> + Clone,
        summary: &mut IngestSummary,
    ) -> Result<BTreeMap<String, String>, IndexerError> {
        let cache = self.planner.cache;
        let here = files.clone().map(|file| (file.path.as_path(), file.hash.as_str()));
        cache.note(&here.collect::<Vec<_>>()).map_err(self.unsaved())?;
        let mut unknown = BTreeMap::new();
        for file in
            files.filter(|file| cache.print(&file.hash).is_none() && cache.failure(&file.hash).is_none())
        {
            unknown.insert(&file.hash, file);
        }
        let failed = self.read(unknown.into_values(), summary)?;
        Ok(failed.into_iter().map(|(file, reason)| (file.hash.clone(), reason)).collect())
    }

    /// What is said when the cache cannot be written.
    pub(super) fn unsaved(&self) -> impl FnOnce(io::Error) -> IndexerError {
        IndexerError::io("write to the cache in", &self.planner.settings.index_dir)
    }

    /// Reads every file whose document is not in the cache yet; returns those that cannot be read.
    pub(super) fn read<'p>(
        &self,
        papers: impl Iterator<Item = &'p Paper>,
        summary: &mut IngestSummary,
    ) -> Result<Vec<Unread<'p>>, IndexerError> {
        let cache = self.planner.cache;
        let (now, reporter) = (&*self.now, self.reporter);
        let mut sink = ReadSink { cache, now, reporter, summary, failed: Vec::new(), unsaved: None };
        let mut pdfs: Vec<&Paper> = Vec::new();
        let mut texts: Vec<(&Paper, Format)> = Vec::new();
        for paper in papers {
            if let Some(document) = cache.document(&paper.hash) {
                // An earlier run that was killed has read it; its fingerprint may be lost.
                if paper.record.is_none() && cache.print(&paper.hash).is_none() {
                    cache.put_document(paper.file(), &paper.hash, &document).map_err(self.unsaved())?;
                }
                continue;
            }
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
        if let Some(error) = sink.unsaved {
            return Err(self.unsaved()(error));
        }
        self.check_stop()?;
        Ok(sink.failed)
    }

    fn read_pdfs<'p>(&self, jobs: &[&'p Paper], sink: &mut ReadSink<'_, 'p>) -> Result<(), IndexerError> {
        let started = Instant::now();
        let command = (self.worker)().map_err(IndexerError::Resource)?;
        let workers = self.planner.settings.workers.min(jobs.len());
        let pool = WorkerPool::new(command, self.planner.settings.limits, workers)
            .with_ocr(self.ocr.clone())
            .with_stop(self.planner.request.stop.clone());
        let task = self.reporter.task("reading", "pages", None);
        let stop = &self.planner.request.stop;
        let queue = jobs.iter().enumerate().take_while(|_| !stop.is_requested()).map(|(index, paper)| Job {
            index,
            path: paper.path.clone(),
            passwords: self.planner.request.passwords.clone(),
        });
        let size = |paper: &Paper| fs::metadata(&paper.path).map_or(0, |meta| meta.len());
        let (mut done, mut pages, mut bytes) = (0, 0, (0, jobs.iter().map(|paper| size(paper)).sum::<u64>()));
        let reporter = self.reporter;
        let on_page =
            |path: &Path, page, of| reporter.file(path, "reading", u64::from(page), Some(u64::from(of)));
        pool.parse_watched(queue, &on_page, |parsed| {
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
                pages += u64::from(document.pages);
                Ok(document)
            });
            let own = size(paper);
            bytes = (bytes.0 + own, bytes.1.saturating_sub(own));
            task.estimate(total(pages, bytes));
            sink.store(paper, outcome);
            task.item(&format!("{done}/{} files", jobs.len()));
        });
        sink.summary.read_seconds += started.elapsed().as_secs_f64();
        Ok(())
    }

    /// Reads the documents of these sources; each outcome goes to `sink` as soon as it is known.
    fn read_texts<'p>(&self, jobs: &[(&'p Paper, Format)], sink: &mut ReadSink<'_, 'p>) {
        let limits = &self.planner.settings.limits;
        let task = self.reporter.task("reading", "texts", Some(jobs.len() as u64));
        let sink = Mutex::new(sink);
        let done = |paper: &'p Paper, outcome: Result<Document, ParseError>| {
            task.advance(1);
            // Serialised inside the lock: outside of it a document would be in memory twice.
            sink.lock().unwrap_or_else(PoisonError::into_inner).store(paper, outcome);
        };
        let may_continue = || !self.planner.request.stop.is_requested();

        let files: Vec<&(&'p Paper, Format)> = jobs.iter().filter(|(_, f)| *f != Format::Beir).collect();
        let one_at_a_time = Mutex::new(());
        files.par_iter().for_each(|(paper, format)| {
            let path = &paper.path;
            let large = fs::metadata(path).is_ok_and(|meta| meta.len() > LARGE);
            let _guard = large.then(|| one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner));
            if may_continue() {
                done(paper, read_file(path, *format, &paper.hash, limits));
            }
        });

        let mut corpora: BTreeMap<&Path, BTreeMap<&str, &'p Paper>> = BTreeMap::new();
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
