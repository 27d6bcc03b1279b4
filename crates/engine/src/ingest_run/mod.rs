//! From folders of papers to the next generation of the index.
//!
//! Files are read in worker processes, cut, embedded and written source by source, so that memory is bounded
//! by one document. Each finished stage is kept by content hash: a run that was stopped or killed goes on where
//! it stopped, and readers see the old generation until the new one is whole.

pub(crate) mod caches;
pub(crate) mod failed;
pub(crate) mod keys;
mod plan;
mod remake;
mod summary;
mod tally;
mod vectors;

pub use caches::CacheUsage;
pub use failed::FailedFile;
pub use summary::{Duplicate, Failure, IngestSummary};
pub use tally::{StageTally, Stages};

use crate::{cache, error::EngineError, natives::Natives, parse, settings::Settings, stages};
use caches::Caches;
use failed::{FailedList, ReaderKeys};
use ingest::{Job, WorkerPool, chunk::ChunkSettings};
use keys::SourceKey;
use plan::{Known, LeftOut, Paper, Plan, known, roots};
use remake::Donors;
use retrieve::{IndexWriter, WriterSettings};
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
        chunking: stages::chunk_settings(settings),
        now: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    };

    let mut writer = IndexWriter::open(dir, run.writer_settings())?;
    cache::clear_temporary(dir).map_err(EngineError::io("tidy", dir))?;
    let mut failed = FailedList::load(dir, run.reader_keys(), request.retry_failed);
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
    let caches = Caches::new(dir);
    let read = run.read(&work, &caches, &natives, &mut failed, &mut summary);
    failed.tidy(plan.papers.iter().map(|p| (p.path.as_path(), p.hash.as_str())));
    failed.save(dir).map_err(EngineError::io("write", dir))?;
    read?;

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
    let tidied = if readable.iter().any(|w| !w.unchanged) || gone > 0 || other_graph {
        run.write(&readable, &plan, &known, &caches, &mut writer, &mut summary)?;
        caches.prune(writer.current())
    } else {
        // A run that was killed behind its last step has left what nobody needs.
        caches.sweep(writer.current(), dir).map(|(freed, _)| freed)
    };
    if let Err(error) = tidied {
        reporter.warn(&format!(
            "the index is complete, but its cache cannot be tidied: {error}"
        ));
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
    /// The index holds the very chunks that it would be cut into.
    cut: bool,
}

/// What the stages of one run share.
struct Run<'a> {
    settings: &'a Settings,
    request: &'a IngestRequest,
    reporter: &'a dyn Reporter,
    embedder: &'a dyn Embedder,
    chunking: ChunkSettings,
    /// When the run began, RFC 3339 in UTC.
    now: String,
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

    /// What a failure to read depends on, beside the file.
    fn reader_keys(&self) -> ReaderKeys {
        let limits = serde_json::to_string(&stages::limits(self.settings)).unwrap_or_default();
        let password = if self.request.password.is_some() {
            "with a password"
        } else {
            ""
        };
        let version = ingest::PARSER_VERSION;
        ReaderKeys {
            version: version.to_owned(),
            settings: cache::key(&[version.as_bytes(), limits.as_bytes(), password.as_bytes()]),
        }
    }

    /// What a source's chunks and vectors depend on.
    fn source_key(&self, hash: &str, source_id: &SourceId) -> SourceKey {
        SourceKey::new(hash, source_id, &self.chunking, self.embedder.id())
    }

    /// What the vectors of a source are kept under until the index holds them.
    fn pack_key(&self, hash: &str) -> String {
        cache::key(&[self.embedder.id().as_bytes(), hash.as_bytes()])
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
                let held = held.get(&paper.source_id);
                let cut = held.is_some_and(|k| SourceKey::read(&k.key).is_some_and(|k| k.same_chunks(&key)));
                let key = key.to_string();
                let same = |k: &&Known| k.key == key && k.path == paper.path;
                let unchanged = can_keep && held.is_some_and(same);
                Work {
                    paper,
                    key,
                    unchanged,
                    cut,
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
            .filter(|w| !w.unchanged && !w.cut && caches.document(&w.paper.hash).is_none())
            .collect();
        if jobs.is_empty() {
            return Ok(());
        }
        let started = Instant::now();
        let command = parse::worker_command(natives)?;
        let workers = stages::threads(self.settings.ingest.workers).min(jobs.len());
        let pool = WorkerPool::new(command, stages::limits(self.settings), workers);
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
                    summary.stages.parse.done += 1;
                    failed.forget(&work.paper.hash);
                    if let Err(error) = caches.put_document(&work.paper.hash, &document) {
                        broken.get_or_insert(error);
                    }
                }
                Err(reason) => {
                    failed.insert(&work.paper.hash, &work.paper.path, &reason, &self.now);
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

        let donors = Donors::new(known, can_keep);
        let mut generation = writer.begin()?;
        for (id, work) in order {
            match work {
                Some(work) if !work.unchanged => {
                    task.item(id.as_str());
                    let entry = self.remake(work, &donors, &mut generation, caches, summary)?;
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
