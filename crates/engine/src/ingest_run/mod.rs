//! From folders of papers to the next generation of the index.
//!
//! PDFs are read in worker processes, other papers here; they are cut, embedded and written source by source, so
//! that memory is bounded by one document. Each finished stage is kept by content hash: a run that was stopped or
//! killed goes on where it stopped, and readers see the old generation until the new one is whole.

mod caches;
mod candidates;
mod dry_run;
mod failed;
mod look;
mod making;
mod manifest;
mod plan;
mod summary;
mod texts;
mod vectors;

pub use dry_run::{Action, Change, DryRun, Entry, dry_run};
pub use summary::{Duplicate, Failure, IngestSummary};

use crate::{error::EngineError, natives::Natives, parse, settings::Settings, stages};
use caches::Caches;
use failed::FailedList;
use ingest::{
    Job, Limits, ParseError, WorkerPool,
    inputs::{self, Format},
};
use look::Look;
use making::{Making, Work};
use plan::{Known, LeftOut, Paper, Plan, Told, known, roots};
use retrieve::{IndexWriter, SourceEntry, WriterSettings};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};
use types::{Document, Embedder, Reporter, SourceId};
use vectors::Wanted;

/// What to ingest.
#[derive(Clone, Debug, Default)]
pub struct IngestRequest {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Password for encrypted files.
    pub password: Option<String>,
    /// Try files again that failed before.
    pub retry_failed: bool,
    /// Set by the caller to stop; what was finished is kept.
    pub stop: Arc<AtomicBool>,
}

/// Brings the index up to date with what lies below the paths.
///
/// # Errors
/// When a path does not exist, nothing is found, a native file is missing, another writer is at work, or the
/// index cannot be written. Files that cannot be read are no error: the summary names them.
pub fn ingest(
    settings: &Settings,
    request: &IngestRequest,
    reporter: &dyn Reporter,
) -> Result<IngestSummary, EngineError> {
    let started = Instant::now();
    let dir = &settings.index.dir;
    // Before anything is loaded: a wrong path is the commonest mistake.
    let indexed = retrieve::Index::open(dir)
        .map(|index| known(Some(&index)))
        .unwrap_or_default();
    let roots = roots(&request.paths, &indexed)?;
    let natives = Natives::find(settings);
    let embedder = stages::embedder(settings, &natives)?;
    let run = Run {
        settings,
        request,
        reporter,
        embedder: &*embedder,
        making: Making::new(settings, embedder.id(), request.password.is_some()),
    };

    let mut writer = IndexWriter::open(dir, run.writer_settings())?;
    let mut failed = FailedList::load(dir, run.making.reader_key());
    if request.retry_failed {
        failed.clear();
    }
    let known = known(writer.current());
    let plan = plan(settings, request, reporter, (&roots, &known, &failed))?;
    let mut summary = summary::of_plan(&plan, &known);
    let work = run.making.work(&plan, &known, writer.can_keep());
    let caches = Caches::new(dir);
    run.read(&work, &caches, &natives, &mut failed, &mut summary)?;
    failed.save(dir).map_err(EngineError::io("write", dir))?;

    let readable: Vec<&Work> = work
        .iter()
        .filter(|w| !summary.failed_sources.contains(&w.paper.source_id))
        .collect();
    let gone = plan.removed.len();
    let graph = stages::hnsw_settings(settings);
    let other_graph = graph.is_some()
        && writer
            .current()
            .is_some_and(|index| index.manifest().graph != graph);
    if readable.iter().any(|w| !w.unchanged) || gone > 0 || other_graph {
        run.write(&readable, &plan, &known, &caches, &mut writer, &mut summary)?;
        if let Err(error) = caches.prune(&writer, &run) {
            reporter.warn(&format!("the index is complete, but {error}"));
        }
    }
    summary.finish(&writer, started.elapsed());
    Ok(summary)
}

/// Looks at the disk; an error when there is nothing to do at all.
fn plan(
    settings: &Settings,
    request: &IngestRequest,
    reporter: &dyn Reporter,
    (roots, known, failed): (&[PathBuf], &[Known], &FailedList),
) -> Result<Plan, EngineError> {
    let look = Look {
        limits: stages::limits(settings),
        reporter,
        stop: &request.stop,
    };
    let plan = plan::plan(roots, known, failed, &look)?;
    if plan.nothing_seen() && plan.removed.is_empty() {
        let paths: Vec<String> = request.paths.iter().map(|p| p.display().to_string()).collect();
        let skipped = plan.skipped.iter();
        return Err(EngineError::NothingFound {
            paths: paths.join(", "),
            skipped: skipped
                .map(|left| format!("{} ({})", left.path.display(), left.reason))
                .collect(),
        });
    }
    Ok(plan)
}

/// What the stages of one run share.
struct Run<'a> {
    settings: &'a Settings,
    request: &'a IngestRequest,
    reporter: &'a dyn Reporter,
    embedder: &'a dyn Embedder,
    making: Making,
}

impl Run<'_> {
    fn writer_settings(&self) -> WriterSettings {
        let config = BTreeMap::from([
            (
                "chunk.max_tokens".to_owned(),
                self.settings.chunk.max_tokens.to_string(),
            ),
            (
                "chunk.overlap_tokens".to_owned(),
                self.settings.chunk.overlap_tokens.to_string(),
            ),
        ]);
        WriterSettings {
            embedder_id: self.embedder.id().to_owned(),
            dimension: self.embedder.dimension(),
            parser: ingest::PARSER_VERSION.to_owned(),
            chunker: ingest::chunk::CHUNKER_VERSION.to_owned(),
            config,
            ..WriterSettings::default()
        }
    }

    /// Reads every file whose document is not in the cache yet.
    fn read(
        &self,
        work: &[Work],
        caches: &Caches,
        natives: &Natives,
        failed: &mut FailedList,
        summary: &mut IngestSummary,
    ) -> Result<(), EngineError> {
        let limits = stages::limits(self.settings);
        let mut reading = Reading {
            caches,
            failed,
            summary,
            reporter: self.reporter,
            broken: None,
        };
        let mut pdfs: Vec<&Work> = Vec::new();
        let mut texts: Vec<(&Work, Format)> = Vec::new();
        for work in work {
            if work.unchanged || caches.document(&work.paper.hash).is_some() {
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
            reading.summary.texts_read = texts.len() as u64;
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
        let pool = WorkerPool::new(command, limits, workers);
        let task = self.reporter.task("reading", "pages", None);
        let stop = &self.request.stop;
        let queue = jobs
            .iter()
            .enumerate()
            .take_while(|_| !stop.load(Ordering::Relaxed))
            .map(|(index, work)| Job {
                index,
                path: work.paper.path.clone(),
                password: self.request.password.clone(),
            });
        let mut done = 0;
        pool.parse_all(queue, |parsed| {
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
        reading.summary.read_seconds = started.elapsed().as_secs_f64();
        Ok(())
    }

    /// Writes and publishes the next generation.
    fn write(
        &self,
        work: &[&Work],
        plan: &Plan,
        known: &[Known],
        caches: &Caches,
        writer: &mut IndexWriter,
        summary: &mut IngestSummary,
    ) -> Result<(), EngineError> {
        let started = Instant::now();
        let can_keep = writer.can_keep();
        let changed = work.iter().filter(|w| !w.unchanged).count();
        let task = self.reporter.task("embedding", "papers", Some(changed as u64));
        let held: BTreeSet<&SourceId> = known.iter().map(|k| &k.source_id).collect();
        // A source whose changed file cannot be read stays as it was, if its vectors still fit.
        let stale = summary
            .failed_sources
            .iter()
            .filter(|id| can_keep && held.contains(id) && !plan.removed.contains(id));
        let mut order: BTreeMap<SourceId, Option<&Work>> = stale.map(|id| (id.clone(), None)).collect();
        order.extend(work.iter().map(|w| (w.paper.source_id.clone(), Some(*w))));

        let mut generation = writer.begin()?;
        for (id, work) in order {
            match work {
                Some(work) if !work.unchanged => {
                    task.item(id.as_str());
                    let entry = self.entry(work, caches, summary)?;
                    generation.add(entry)?;
                    task.advance(1);
                }
                _ => generation.keep(&id)?,
            }
            self.check_stop()?;
        }
        generation.commit(stages::hnsw_settings(self.settings))?;
        summary.embed_seconds = started.elapsed().as_secs_f64();
        Ok(())
    }

    /// Cuts and embeds one document.
    fn entry(
        &self,
        work: &Work,
        caches: &Caches,
        summary: &mut IngestSummary,
    ) -> Result<SourceEntry, EngineError> {
        let paper = &work.paper;
        let mut document = caches.document(&paper.hash).ok_or_else(|| {
            EngineError::Message(format!(
                "the parsed text of {} is gone from the cache; run again",
                paper.source_id
            ))
        })?;
        match &paper.told {
            Told::Document => {}
            Told::Manifest(row) => row.apply(&mut document.meta),
            Told::Index(meta, _) => document.meta.clone_from(meta),
        }
        document.meta.source_id = paper.source_id.clone();
        let chunked = ingest::chunk::chunk(&document, &self.making.chunking);
        if chunked.chunks.is_empty() {
            summary.empty.push(paper.shown());
        }
        for warning in &document.warnings {
            summary.warnings.push(format!("{}: {warning}", paper.source_id));
        }
        let vectors = match caches.vectors(&work.key) {
            Some(vectors) if vectors.fits(&chunked) => vectors,
            _ => {
                let wanted = Wanted::of(&document, &chunked, self.embedder)?;
                summary.embedded_texts += wanted.len() as u64;
                let vectors = wanted.embed(self.embedder, &|_| {})?;
                caches
                    .put_vectors(&work.key, &vectors)
                    .map_err(EngineError::io("write to the cache in", &self.settings.index.dir))?;
                vectors
            }
        };
        let (windows, window_vectors) = vectors
            .windows
            .into_iter()
            .map(|windows| windows.into_iter().unzip::<_, _, Vec<_>, Vec<_>>())
            .unzip::<_, _, Vec<_>, Vec<_>>();
        Ok(SourceEntry {
            meta: document.meta,
            key: work.key.clone(),
            path: paper.path.display().to_string(),
            record: paper.record.clone(),
            root: paper.root.display().to_string(),
            chunks: chunked.chunks,
            windows,
            window_vectors: window_vectors.into_iter().flatten().collect(),
            sentence_vectors: vectors.sentences,
        })
    }

    fn check_stop(&self) -> Result<(), EngineError> {
        if self.request.stop.load(Ordering::Relaxed) {
            Err(EngineError::Stopped)
        } else {
            Ok(())
        }
    }
}

/// Where the outcomes of reading go.
struct Reading<'a> {
    caches: &'a Caches,
    failed: &'a mut FailedList,
    summary: &'a mut IngestSummary,
    reporter: &'a dyn Reporter,
    /// The first document that could not be kept, and why.
    broken: Option<std::io::Error>,
}

impl Reading<'_> {
    /// Keeps a document, or the reason why there is none.
    fn take(&mut self, work: &Work, outcome: Result<Document, ParseError>) {
        let paper = &work.paper;
        match outcome {
            Ok(document) => {
                if let Err(error) = self.caches.put_document(&paper.hash, &document) {
                    self.broken.get_or_insert(error);
                }
            }
            Err(reason) => {
                let passing = matches!(
                    reason,
                    ParseError::Worker { .. } | ParseError::Unreadable { .. } | ParseError::PasswordWrong
                );
                if !passing {
                    self.failed.insert(paper.hash.clone(), reason.to_string());
                }
                self.reporter.warn(&format!("{}: {reason}", paper.shown()));
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

/// A file that was left out, for the summary.
impl From<&LeftOut> for Failure {
    fn from(left: &LeftOut) -> Self {
        Failure {
            path: left.path.display().to_string(),
            reason: left.reason.clone(),
        }
    }
}
