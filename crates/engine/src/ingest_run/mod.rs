//! From folders of papers to the next generation of the index.
//!
//! PDFs are read in worker processes, other papers here; they are cut, embedded and written source by source, so
//! that memory is bounded by one document. Each finished stage is kept by content hash: a run that was stopped or
//! killed goes on where it stopped, and readers see the old generation until the new one is whole.

mod bibliographies;
pub(crate) mod caches;
mod candidates;
mod course;
mod damage;
mod dry_run;
mod emptied;
pub(crate) mod excluded;
pub(crate) mod failed;
pub(crate) mod keys;
mod look;
mod making;
mod manifest;
mod plan;
mod reading;
pub(crate) mod readings;
mod remake;
mod siblings;
mod summary;
mod tally;
mod texts;
mod vectors;
mod write_manifest;

pub use caches::CacheUsage;
pub use dry_run::{Action, Change, DryRun, Entry, dry_run};
pub use failed::FailedFile;
pub(crate) use plan::shown;
pub use summary::{Duplicate, Failure, IngestSummary, OtherFiles};
pub use tally::{StageTally, Stages};
pub use write_manifest::{ManifestFile, can_write_manifest, write_manifest};

use crate::{cache, error::EngineError, natives::Natives, settings::Settings, stages};
use bibliographies::Library;
use caches::Caches;
use course::Course;
use excluded::ExcludedList;
use failed::FailedList;
use ingest::{OcrSettings, Output, Password};
use look::Look;
use making::{Making, State, Work};
use plan::{Known, Learned, LeftOut, Plan, Survey, known, roots};
use reading::Memory;
use readings::Readings;
use remake::Donors;
use retrieve::{IndexWriter, WriterSettings};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};
use types::{Embedder, Reporter, SourceId, path_text};

/// What to ingest.
#[derive(Clone, Debug, Default)]
pub struct IngestRequest {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Passwords to try on encrypted files.
    pub passwords: Vec<Password>,
    /// Try files again that failed before.
    pub retry_failed: bool,
    /// Remove papers from the index even when no paper is left below a path.
    pub prune_all: bool,
    /// Set by the caller to stop; what was finished is kept.
    pub stop: Arc<AtomicBool>,
}

/// Brings the index up to date with what lies below the paths.
///
/// # Errors
/// When a path does not exist, nothing is found, a folder has lost all its papers (unless that is asked for), a native
/// file is missing, another writer is at work, or the index cannot be written. Files that cannot be read are no error: the summary names them.
pub fn ingest(
    settings: &Settings,
    request: &IngestRequest,
    reporter: &dyn Reporter,
) -> Result<IngestSummary, EngineError> {
    let started = Instant::now();
    let dir = &settings.index.dir;
    // Before anything is loaded: a wrong path is the commonest mistake.
    let (indexed, _) = retrieve::manifest(dir)?;
    let roots = roots(&request.paths, &known(indexed.as_ref()))?;
    let natives = Natives::find(settings);
    let embedder = stages::embedder(settings, &natives)?;
    let ocr = stages::ocr(settings).unwrap_or_else(|lack| {
        reporter.warn(&format!("{lack}; pages that are only images stay unread"));
        None
    });
    let run = Run {
        settings,
        request,
        reporter,
        embedder: &*embedder,
        making: Making::new(
            settings,
            embedder.id(),
            !request.passwords.is_empty(),
            ocr.as_ref(),
        ),
        ocr,
        now: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    };

    let mut writer = IndexWriter::open(dir, run.writer_settings())?;
    cache::clear_temporary(dir).map_err(EngineError::io("tidy", dir))?;
    let mut memory = Memory {
        failed: FailedList::load(dir, run.making.reader_keys(), request.retry_failed),
        readings: Readings::load(dir, run.making.reading()),
    };
    damage::warn(&writer, reporter);
    let known = known(writer.manifest());
    let caches = Caches::new(dir, run.making.reading().to_owned());
    let survey = survey(settings, request, reporter, (&roots, &known))?;
    let mut summary = IngestSummary::default();
    let read = run.read_groups(&survey.groups, &caches, &natives, &mut memory, &mut summary);
    memory.save(dir).map_err(EngineError::io("write", dir))?;
    let learned = Learned {
        failed: &memory.failed,
        now: &read?,
        readings: &memory.readings,
        guess: false,
    };
    let mut plan = plan(settings, request, survey, (&roots, &known), &learned)?;
    summary.plan(&plan, &known);
    memory.remember(&plan.papers, &caches);
    let mut library = Library::default();
    library.tell(&mut plan.papers, &memory.readings);
    let state = State::of(&writer, &known);
    let work = run.making.work(&plan, &known, &state);
    let read = run.read(&work, &caches, &natives, &mut memory, &mut summary);
    let files = plan.papers.iter().filter(|p| p.record.is_none());
    memory
        .failed
        .tidy(files.map(|p| (p.path.as_path(), p.hash.as_str())));
    memory.save(dir).map_err(EngineError::io("write", dir))?;
    read?;
    // What is new says only now what it is.
    library.tell(&mut plan.papers, &memory.readings);
    summary.warnings.extend(library.notes(&roots));
    let work = run.making.work(&plan, &known, &state);

    let readable: Vec<&Work> = work
        .iter()
        .filter(|w| !summary.failed_sources.contains(&w.paper.source_id))
        .collect();
    let gone = plan.removed.len();
    let graph = stages::hnsw_settings(settings);
    let other_graph = graph.is_some() && writer.manifest().is_some_and(|manifest| manifest.graph != graph);
    let changed = readable.iter().any(|w| !w.unchanged) || gone > 0;
    let tidied = if changed || other_graph || writer.must_rewrite() {
        run.write(
            &readable,
            &plan,
            (&known, &state),
            &caches,
            &mut writer,
            &mut summary,
        )?;
        caches.prune(writer.manifest())
    } else {
        // A run that was killed after its last step has left what nobody needs.
        caches.sweep(writer.manifest(), dir).map(|(freed, _)| freed)
    };
    let mut excluded = ExcludedList::load(dir)?;
    if excluded.forget(&plan.papers) {
        excluded.save(dir)?;
    }
    if let Err(error) = tidied {
        reporter.warn(&format!(
            "the index is complete, but its cache cannot be tidied: {error}"
        ));
    }
    summary.finish(&writer, started.elapsed());
    Ok(summary)
}

/// Looks at the disk.
fn survey(
    settings: &Settings,
    request: &IngestRequest,
    reporter: &dyn Reporter,
    (roots, known): (&[PathBuf], &[Known]),
) -> Result<Survey, EngineError> {
    let outputs = outputs(settings);
    let look = Look {
        limits: stages::limits(settings),
        outputs: &outputs,
        reporter,
        stop: &request.stop,
    };
    plan::survey(roots, known, &look)
}

/// What has to be done; an error when there is nothing to do at all.
fn plan(
    settings: &Settings,
    request: &IngestRequest,
    survey: Survey,
    (roots, known): (&[PathBuf], &[Known]),
    learned: &Learned<'_>,
) -> Result<Plan, EngineError> {
    let mut plan = plan::plan(survey, roots, known, learned);
    if !request.prune_all {
        emptied::check(roots, known, &plan)?;
    }
    ExcludedList::load(&settings.index.dir)?.apply(&mut plan, known);
    if plan.nothing_seen() && plan.removed.is_empty() {
        let paths: Vec<String> = request.paths.iter().map(|p| path_text::shown(p)).collect();
        let skipped = plan
            .skipped
            .iter()
            .map(|left| format!("{} ({})", path_text::shown(&left.path), left.reason));
        let others = plan.others.iter().map(|(kind, others)| {
            let first = others.first.first().map(|path| path_text::shown(path));
            match (others.count, first) {
                (1, Some(path)) => format!("{path} ({kind})"),
                (count, _) => format!("{count} {kind}s"),
            }
        });
        return Err(EngineError::NothingFound {
            paths: paths.join(", "),
            skipped: skipped.chain(others).collect(),
        });
    }
    Ok(plan)
}

/// What the settings name as the program's own output. It may lie among the papers, and is never one.
fn outputs(settings: &Settings) -> Vec<Output> {
    let named = |path: &Path, what| Output {
        path: path.to_owned(),
        what,
    };
    let mut outputs = vec![
        named(&settings.log.file, "the run log"),
        named(&settings.log.reports, "the folder of reports"),
    ];
    if let Ok(natives) = Natives::find(settings).folder() {
        outputs.push(named(natives, "the folder of native libraries and models"));
    }
    outputs
}

/// What the stages of one run share.
struct Run<'a> {
    settings: &'a Settings,
    request: &'a IngestRequest,
    reporter: &'a dyn Reporter,
    embedder: &'a dyn Embedder,
    making: Making,
    ocr: Option<OcrSettings>,
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
            (
                "chunk.count_prefix".to_owned(),
                self.settings.chunk.count_prefix.to_string(),
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

    /// What the vectors of a source are kept under until the index holds them.
    fn pack_key(&self, hash: &str) -> String {
        cache::key(&[self.embedder.id().as_bytes(), hash.as_bytes()])
    }

    /// Writes and publishes the next generation.
    fn write(
        &self,
        work: &[&Work],
        plan: &Plan,
        (known, state): (&[Known], &State),
        caches: &Caches,
        writer: &mut IndexWriter,
        summary: &mut IngestSummary,
    ) -> Result<(), EngineError> {
        let started = Instant::now();
        let can_keep = state.can_keep;
        let held: BTreeSet<&SourceId> = known.iter().map(|k| &k.source_id).collect();
        // A source whose changed file cannot be read stays as it was, if its vectors still fit.
        let (lost, stale): (Vec<_>, Vec<_>) = summary
            .failed_sources
            .iter()
            .filter(|id| can_keep && held.contains(id) && !plan.removed.contains(id))
            .partition(|id| state.damaged.contains(*id));
        for id in lost {
            self.reporter.warn(&format!(
                "{id} is damaged in the index and cannot be read again: it is left out until it can"
            ));
        }
        let mut order: BTreeMap<SourceId, Option<&Work>> =
            stale.into_iter().map(|id| (id.clone(), None)).collect();
        order.extend(work.iter().map(|w| (w.paper.source_id.clone(), Some(*w))));

        let donors = Donors::new(known, can_keep);
        let mut course = Course::new(self.reporter, work, caches, can_keep);
        let mut generation = writer.begin()?;
        for (id, work) in order {
            match work {
                Some(work) if !work.unchanged => {
                    let told = (&mut *summary, &mut course);
                    let entry = self.remake(work, &donors, &generation, caches, told)?;
                    generation.add(entry)?;
                }
                _ => generation.keep(&id)?,
            }
            self.check_stop()?;
        }
        drop(course);
        // The postings and the vector index are built here; how far that is, nobody tells.
        let _writing = self.reporter.task("writing", "index", None);
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
            path: path_text::shown(&left.path),
            reason: left.reason.clone(),
        }
    }
}
