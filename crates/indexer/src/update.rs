//! From folders of papers to the next generation of the index.
//!
//! PDFs are read in worker processes, other papers in this one. Papers are chunked, embedded and written source by
//! source, so that memory is bounded by one document. Each finished stage is cached by content hash: a run that was
//! stopped or killed continues where it stopped, and readers see the old generation until the new one is complete.

mod bibliographies;
mod build_plan;
mod candidates;
mod dry_run;
mod manifests;
mod plan;
mod planner;
mod read;
mod run;
mod same_stem;
mod scan;
mod summary;
mod write;

pub use dry_run::{Action, DryRun, Entry};
pub use run::IngestRequest;
pub use summary::{Duplicate, Failure, IngestSummary, OtherFiles, StageCount, StageCounts};

use crate::{
    Indexer, IndexerError,
    caches::{Caches, clear_temporary},
    excluded::{Excluded, ExcludedList},
    failed::FailedList,
    fingerprints::Fingerprints,
    indexed::absolute_roots,
};
use bibliographies::Bibliographies;
use build_plan::BuildSettings;
use planner::ReadResults;
use read::FileHistory;
use run::Run;
use std::time::{Instant, UNIX_EPOCH};
use types::{Holdings, Reporter, SourceId, StoreWriter, words::first_of};

impl Indexer {
    /// Brings the index up to date with the papers below the paths.
    ///
    /// # Errors
    /// When a path does not exist, nothing is found, a folder has lost all its papers (unless the request allows that),
    /// a native file is missing, another writer is at work, or the index cannot be written. A file that cannot be read
    /// is not an error: the summary names it.
    pub fn ingest(
        &self,
        request: &IngestRequest,
        reporter: &dyn Reporter,
    ) -> Result<IngestSummary, IndexerError> {
        let started = Instant::now();
        let settings = &self.settings;
        let dir = &settings.index_dir;
        // Before anything is loaded: a wrong path is the commonest mistake.
        let (held, _) = self.store.holdings()?;
        let roots = absolute_roots(&request.paths, &held.unwrap_or_default().sources)?;
        let embedder = self.resources.embedder().map_err(IndexerError::Resource)?;
        let ocr = self.resources.ocr().unwrap_or_else(|lack| {
            reporter.warn(&format!("{lack}; pages that are only images stay unread"));
            None
        });
        let has_password = !request.passwords.is_empty();
        let run = Run {
            settings,
            worker: &|| self.resources.worker(),
            request,
            reporter,
            embedder: &*embedder,
            build: BuildSettings::new(settings, embedder.id(), has_password, ocr.as_ref()),
            ocr,
            now: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        };

        let mut writer = self.store.write(Some(run.made_by()))?;
        clear_temporary(dir).map_err(IndexerError::io("tidy", dir))?;
        let mut history = FileHistory {
            failed: FailedList::load(dir, run.build.failure_keys(), request.retry_failed),
            fingerprints: Fingerprints::load(dir, run.build.reader_key()),
        };
        let held = writer.holdings();
        warn_of_damage(&*writer, held.as_ref(), reporter);
        let unfinished = held.as_ref().and_then(|held| held.since);
        let indexed = held.map_or_else(Vec::new, |held| held.sources);
        let caches = Caches::open(dir, run.build.reader_key().to_owned());

        let survey = planner::survey_disk(settings, request, reporter, (&roots, &indexed))?;
        let mut summary = IngestSummary::default();
        // What files of one name hold decides which of them are indexed.
        let read = run.read_groups(&survey.groups, &caches, &mut history, &mut summary);
        history.save(dir).map_err(IndexerError::io("write", dir))?;
        let results = ReadResults {
            failed_before: &history.failed,
            failed_now: &read?,
            fingerprints: &history.fingerprints,
            defer_unread: false,
        };
        let mut plan = planner::plan_run(settings, request, survey, (&roots, &indexed), &results)?;
        history.remember(&plan.papers, &caches);
        planner::leave_out_empty(&mut plan, &indexed, &history.fingerprints);
        summary.set_plan(&plan, &indexed);
        let mut bibliographies = Bibliographies::new(plan.links.clone());
        bibliographies.apply(&mut plan.papers, &history.fingerprints);

        let can_keep = |id: &SourceId| writer.has_same_embedder() && !writer.is_damaged(id);
        let builds = run.build.build_plans(&plan, &indexed, can_keep);
        let changed = builds.iter().filter(|build| !build.unchanged);
        let read = run.read(changed.map(|build| &*build.paper), &caches, &mut history, &mut summary);
        drop(builds);
        let files = plan.papers.iter().filter(|p| p.record.is_none());
        history.failed.tidy(files.map(|p| (p.path.as_path(), p.hash.as_str())));
        history.save(dir).map_err(IndexerError::io("write", dir))?;
        read?;
        for paper in planner::leave_out_empty(&mut plan, &indexed, &history.fingerprints) {
            let document = caches.document(&paper.hash).unwrap_or_default();
            let warnings = document.warnings.iter();
            summary.warnings.extend(warnings.map(|warning| format!("{}: {warning}", paper.source_id)));
            summary.empty.push(paper.shown());
        }
        // Papers that were read just now can be matched with bibliographies only now.
        bibliographies.apply(&mut plan.papers, &history.fingerprints);
        summary.warnings.extend(bibliographies.notes(&roots));
        summary.failed.extend(bibliographies.failed(&roots));
        let mut builds = run.build.build_plans(&plan, &indexed, can_keep);
        builds.retain(|build| !summary.failed_sources.contains(&build.paper.source_id));
        let changed = builds.iter().any(|build| !build.unchanged) || !plan.removed.is_empty();
        let writes = changed || writer.must_rewrite();
        if writes {
            run.write(builds, &plan, &indexed, &caches, &mut *writer, &mut summary)?;
        }
        let held = writer.holdings();
        // Without a write, this removes what a run left that was killed after its last step.
        let unfinished = (!writes).then(|| unfinished.unwrap_or(UNIX_EPOCH));
        let tidied = caches.prune(held.as_ref(), unfinished, false);
        let mut excluded = ExcludedList::load(dir)?;
        let added = |excluded: &Excluded| {
            let mut papers = plan.papers.iter();
            papers.any(|p| excluded.matches(&p.path, p.record.as_deref(), &p.hash))
        };
        if excluded.forget(added) {
            excluded.save(dir)?;
        }
        if let Err(error) = tidied {
            reporter.warn(&format!("the index is complete, but its cache cannot be tidied: {error}"));
        }
        summary.finish(held.as_ref(), started.elapsed());
        Ok(summary)
    }
}

/// Files that the warning names; the others are counted.
const NAMED: usize = 3;

/// Warns of what was lost or is damaged, and says what the run does about it.
fn warn_of_damage(writer: &dyn StoreWriter, held: Option<&Holdings>, reporter: &dyn Reporter) {
    if let Some(note) = writer.note() {
        reporter.warn(note);
    }
    let (Some(held), [first, ..]) = (held, writer.damages()) else {
        return;
    };
    let damages = writer.damages();
    let what = match damages {
        [_] => format!("{} ({})", first.file, first.reason),
        _ => first_of(damages.iter().map(|damage| &damage.file), NAMED),
    };
    let sources = &held.sources;
    let damaged = sources.iter().filter(|s| writer.is_damaged(s.source_id())).count();
    reporter.warn(&format!(
        "generation {} of the index is damaged in {what}: {damaged} of {} papers are built again with the cache, the others are \
         kept",
        held.version,
        sources.len(),
    ));
}
