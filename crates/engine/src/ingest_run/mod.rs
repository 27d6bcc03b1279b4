//! From folders of papers to the next generation of the index.
//!
//! Files are read in worker processes, cut, embedded and written source by source, so that memory is bounded
//! by one document. Each finished stage is kept by content hash: a run that was stopped or killed goes on where
//! it stopped, and readers see the old generation until the new one is whole.

mod caches;
mod failed;
mod plan;
mod summary;
mod vectors;

pub use summary::{Duplicate, Failure, IngestSummary};

use crate::{cache, error::EngineError, natives::Natives, parse, settings::Settings, stages};
use caches::Caches;
use failed::FailedList;
use ingest::{Job, OcrSettings, ParseError, Password, WorkerPool, chunk::ChunkSettings};
use plan::{Known, LeftOut, Paper, Plan, known, roots};
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
use types::{Embedder, Reporter, SourceId};
use vectors::Wanted;

/// What to ingest.
#[derive(Clone, Debug, Default)]
pub struct IngestRequest {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Passwords to try on encrypted files.
    pub passwords: Vec<Password>,
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
        chunking: stages::chunk_settings(settings),
        ocr: stages::ocr(settings).unwrap_or_else(|lack| {
            reporter.warn(&format!("{lack}; pages that are only images stay unread"));
            None
        }),
    };

    let mut writer = IndexWriter::open(dir, run.writer_settings())?;
    let mut failed = FailedList::load(dir, &run.reader_key());
    if request.retry_failed {
        failed.clear();
    }
    let known = known(writer.current());
    let plan = plan::plan(&roots, &known, &failed);
    if plan.nothing_seen() && plan.removed.is_empty() {
        let shown: Vec<String> = request.paths.iter().map(|p| p.display().to_string()).collect();
        return Err(EngineError::NothingFound {
            paths: shown.join(", "),
        });
    }
    let mut summary = summary::of_plan(&plan, &known);
    let work = run.work(&plan, &known, writer.can_keep());
    let caches = Caches::new(dir, run.reading_key());
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

/// One source that the next generation holds or may hold.
struct Work {
    paper: Paper,
    key: String,
    /// The index holds it with this very key.
    unchanged: bool,
}

/// What the stages of one run share.
struct Run<'a> {
    settings: &'a Settings,
    request: &'a IngestRequest,
    reporter: &'a dyn Reporter,
    embedder: &'a dyn Embedder,
    chunking: ChunkSettings,
    ocr: Option<OcrSettings>,
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

    /// What the text of a document depends on, beside its file.
    fn reading_key(&self) -> String {
        let ocr = self.ocr.as_ref().map(OcrSettings::key);
        let parts: Vec<String> = [ingest::PARSER_VERSION.to_owned()]
            .into_iter()
            .chain(ocr)
            .collect();
        parts.join(", ")
    }

    /// What a failure to read depends on, beside the file. Passwords themselves are never written down.
    fn reader_key(&self) -> String {
        let limits = serde_json::to_string(&stages::limits(self.settings)).unwrap_or_default();
        let password = if self.request.passwords.is_empty() {
            ""
        } else {
            "with a password"
        };
        cache::key(&[
            self.reading_key().as_bytes(),
            limits.as_bytes(),
            password.as_bytes(),
        ])
    }

    /// What a source's chunks and vectors depend on: its content, its name, and how both are made. The content
    /// hash stands in front, so that it can be had back from an index.
    fn source_key(&self, hash: &str, source_id: &SourceId) -> String {
        let made = cache::key(&[
            self.reading_key().as_bytes(),
            ingest::chunk::CHUNKER_VERSION.as_bytes(),
            format!("{:?}", self.chunking).as_bytes(),
            self.embedder.id().as_bytes(),
            source_id.as_str().as_bytes(),
        ]);
        format!("{hash}-{}", &made[..16])
    }

    /// Everything that the next generation may hold, by source id: the papers of this run, and sources of
    /// other roots, which are made anew where settings have changed.
    fn work(&self, plan: &Plan, known: &[Known], can_keep: bool) -> Vec<Work> {
        let held: BTreeMap<&SourceId, &Known> = known.iter().map(|k| (&k.source_id, k)).collect();
        let others = plan
            .untouched
            .iter()
            .filter_map(|id| held.get(id))
            .map(|k| Paper {
                path: k.path.clone(),
                root: k.root.clone(),
                hash: k.content_hash().to_owned(),
                source_id: k.source_id.clone(),
            });
        let mut work: Vec<Work> = plan
            .papers
            .iter()
            .cloned()
            .chain(others)
            .map(|paper| {
                let key = self.source_key(&paper.hash, &paper.source_id);
                let same = |k: &Known| k.key == key && k.path == paper.path;
                let unchanged = can_keep && held.get(&paper.source_id).is_some_and(|k| same(k));
                Work {
                    paper,
                    key,
                    unchanged,
                }
            })
            .collect();
        work.sort_by(|a, b| a.paper.source_id.cmp(&b.paper.source_id));
        work
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
        let jobs: Vec<&Work> = work
            .iter()
            .filter(|w| !w.unchanged && caches.document(&w.paper.hash).is_none())
            .collect();
        if jobs.is_empty() {
            return Ok(());
        }
        let started = Instant::now();
        let command = parse::worker_command(natives)?;
        let workers = stages::threads(self.settings.ingest.workers).min(jobs.len());
        let pool =
            WorkerPool::new(command, stages::limits(self.settings), workers).with_ocr(self.ocr.clone());
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
        let mut broken = None;
        let mut done = 0;
        pool.parse_all(queue, |parsed| {
            done += 1;
            summary.worker_peak_bytes = summary.worker_peak_bytes.max(parsed.peak_bytes);
            let Some(work) = jobs.get(parsed.index) else {
                return;
            };
            match parsed.outcome {
                // Parsed text is kept by content hash: it must be the text of that content.
                Ok(_) if ingest::content_hash(&work.paper.path).ok().as_ref() != Some(&work.paper.hash) => {
                    let reason = "the file changed while it was read; ingest again".to_owned();
                    self.reporter
                        .warn(&format!("{}: {reason}", work.paper.path.display()));
                    summary.fail(&work.paper, reason);
                }
                Ok(document) => {
                    task.advance(u64::from(document.pages));
                    summary.pages_read += u64::from(document.pages);
                    if let Err(error) = caches.put_document(&work.paper.hash, &document) {
                        broken.get_or_insert(error);
                    }
                }
                Err(reason) => {
                    let passing = matches!(
                        reason,
                        ParseError::Worker { .. } | ParseError::Unreadable { .. } | ParseError::PasswordWrong
                    );
                    if !passing {
                        failed.insert(work.paper.hash.clone(), reason.to_string());
                    }
                    self.reporter
                        .warn(&format!("{}: {reason}", work.paper.path.display()));
                    summary.fail(&work.paper, reason.to_string());
                }
            }
            task.item(&format!("{done}/{} files", jobs.len()));
        });
        summary.read_seconds = started.elapsed().as_secs_f64();
        match broken {
            Some(error) => Err(EngineError::io("write to the cache in", &self.settings.index.dir)(error)),
            None => self.check_stop(),
        }
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
        document.meta.source_id = paper.source_id.clone();
        let chunked = ingest::chunk::chunk(&document, &self.chunking);
        if chunked.chunks.is_empty() {
            summary.empty.push(paper.path.display().to_string());
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

/// A file that was left out, for the summary.
impl From<&LeftOut> for Failure {
    fn from(left: &LeftOut) -> Self {
        Failure {
            path: left.path.display().to_string(),
            reason: left.reason.clone(),
        }
    }
}
