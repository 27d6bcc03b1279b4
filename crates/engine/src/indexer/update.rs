//! From folders of papers to the next generation of the index: scan, read, plan, write.
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
pub use plan::Duplicate;
pub use planner::IngestRequest;
pub use summary::{Failure, IngestSummary, OtherFiles, StageCount, StageCounts};

use crate::indexer::{
    Indexer, IndexerError,
    cache::{Cache, clear_leftovers},
    excluded::{Excluded, ExcludedList},
    indexed::absolute_roots,
};
use plan::IngestPlan;
use planner::Planner;
use run::{Run, made_by};
use std::{
    fs,
    path::Path,
    time::{Instant, UNIX_EPOCH},
};
use types::Reporter;

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
        let made_by = made_by(&*embedder, settings);
        let mut writer = match request.part {
            Some(part) => self.store.write_part(made_by, part)?,
            None => self.store.write(Some(made_by))?,
        };
        // A store elsewhere makes no folder for the cache.
        fs::create_dir_all(dir).map_err(IndexerError::io("create", dir))?;
        clear_leftovers(dir).map_err(IndexerError::io("tidy", dir))?;
        let held = writer.holdings();
        if let Some(note) = writer.note() {
            reporter.warn(note);
        }
        let (unfinished, before) = held.as_ref().map(|held| (held.since, held.version)).unzip();
        let unfinished = unfinished.flatten();
        let indexed = held.map_or_else(Vec::new, |held| held.sources);
        let cache =
            Cache::open(dir, run::reader_keys(settings, request, ocr.as_ref()), request.retry_failed)?;
        let run = Run {
            planner: Planner {
                settings,
                request,
                embedder_id: embedder.id(),
                roots: &roots,
                indexed: &indexed,
                cache: &cache,
            },
            worker: &|| self.resources.worker(),
            reporter,
            embedder: &*embedder,
            ocr,
            now: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        };

        let mut summary = IngestSummary::default();
        let mut survey = run.planner.survey(reporter)?;
        for (path, hash, members) in &survey.listed {
            cache.put_members(hash, path, members).map_err(run.unsaved())?;
        }
        // What files hold decides which of them are indexed, and which entry of a bibliography is theirs.
        let mut failed = run.read_unknown(survey.files(&run.planner), &mut summary)?;
        if summary.portfolios > 0 {
            // What is in them was not known before.
            survey = run.planner.survey(reporter)?;
            failed.extend(run.read_unknown(survey.files(&run.planner), &mut summary)?);
        }
        let mut plan = run.planner.plan(survey, &failed)?;
        plan.papers.retain(|paper| run.planner.is_own(paper));
        summary.set_plan(&plan, &indexed);
        let mut builds = run.planner.builds(&plan, writer.can_keep());
        builds.retain(|build| run.planner.is_own(&build.paper));
        let changed = builds.iter().filter(|build| !build.unchanged);
        for (paper, reason) in run.read(changed.map(|build| &*build.paper), &mut summary)? {
            summary.fail(paper, reason);
        }
        builds.retain(|build| !summary.failed_sources.contains(&build.paper.source_id));
        let built = builds.iter().filter(|build| !build.unchanged).count();
        let changed = built > 0 || !plan.removed.is_empty();
        let writes = changed || writer.must_rewrite();
        if writes {
            run.write(builds, &plan, &mut *writer, &mut summary)?;
        }
        let held = writer.holdings();
        // Without a write, this removes what a run left that was killed after its last step.
        let unfinished = (!writes).then(|| unfinished.unwrap_or(UNIX_EPOCH));
        if request.part.is_some() {
            // What the other parts read is not in the index yet.
            summary.warnings.extend(writer.note().map(str::to_owned));
            if held.as_ref().map(|held| held.version) == before {
                summary.pending = built;
            }
        } else if let Err(error) = cache.prune(held.as_ref(), unfinished, false) {
            reporter.warn(&format!("the index is complete, but its cache cannot be tidied: {error}"));
        }
        include(dir, &plan)?;
        summary.finish(held.as_ref(), started.elapsed());
        Ok(summary)
    }
}

/// Takes what was indexed again off the list of removed papers.
fn include(index: &Path, plan: &IngestPlan) -> Result<(), IndexerError> {
    let mut excluded = ExcludedList::load(index)?;
    let added = |excluded: &Excluded| {
        let mut papers = plan.papers.iter();
        papers.any(|p| excluded.matches(&p.path, p.record.as_deref(), &p.hash))
    };
    if excluded.forget(added) { excluded.save(index) } else { Ok(()) }
}
