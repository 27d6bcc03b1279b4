//! Reports what a run would do, without doing any of it: nothing is written, no lock is taken, no model is loaded.

use super::{
    build_plan::BuildPlan,
    plan::{Duplicate, IngestPlan, LeftOut},
    planner::{IngestRequest, Planner},
    run::reader_keys,
    summary::{OtherFiles, other_files},
};
use crate::indexer::{
    Indexer, IndexerError,
    cache::Cache,
    indexed::{absolute_roots, shown_place},
};
use serde::Serialize;
use std::collections::BTreeMap;
use types::{HeldSource, Reporter, path_text};

/// What would become of a file, a record, or a source of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It would be indexed for the first time.
    Add,
    /// It would be built again, or its files have moved.
    Change,
    /// It is up to date.
    Keep,
    /// Its file is gone: it would be taken out of the index.
    Remove,
    /// It would not be read, or not be indexed.
    Skipped,
    /// It cannot be read, or could not in an earlier run.
    Failed,
}

/// One line of a dry run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Entry {
    /// What would be done.
    pub action: Action,
    /// The file; of a record, its corpus, `#`, and its id.
    pub path: String,
    /// Why, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a run would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DryRun {
    /// Always true: distinguishes this document from the summary of a run.
    pub dry_run: bool,
    /// How many entries each action has; actions without one are left out.
    pub counts: BTreeMap<Action, usize>,
    /// One for each file, record, and source that goes, in the order of actions, then of paths.
    pub entries: Vec<Entry>,
    /// Files and other entries that would be skipped, by kind.
    pub other_files: Vec<OtherFiles>,
    /// Rows of manifests that are not used, and what could not be compared.
    pub warnings: Vec<String>,
}

impl DryRun {
    /// Whether the run would certainly leave out a file that was found.
    pub fn has_failures(&self) -> bool {
        self.counts.contains_key(&Action::Failed)
    }
}

impl Indexer {
    /// Says what [`Indexer::ingest`] would do now. No paper is opened: whether it can be read, and whether files of one name are
    /// one paper, is not known before a run.
    ///
    /// # Errors
    /// When a path does not exist, nothing is found, the index is damaged, or the run is stopped.
    pub fn dry_run(&self, request: &IngestRequest, reporter: &dyn Reporter) -> Result<DryRun, IndexerError> {
        let settings = &self.settings;
        let (held, note) = self.store.holdings()?;
        let held = held.unwrap_or_default();
        let roots = absolute_roots(&request.paths, &held.sources)?;
        let mut warnings: Vec<String> = note.into_iter().collect();
        let embedder_id = self.resources.embedder_id().unwrap_or_else(|error| {
            warnings.push(format!("the embedding model is taken to be the index's: {error}"));
            held.made_by.embedder_id.clone()
        });
        let ocr = self.resources.ocr().unwrap_or_else(|lack| {
            warnings.push(format!("{lack}; pages that are only images stay unread"));
            None
        });
        let keys = reader_keys(settings, request, ocr.as_ref());
        let mut cache = Cache::existing(&settings.index_dir, keys)?;
        cache.retry = request.retry_failed;
        let (roots, indexed, cache) = (&roots, &held.sources, &cache);
        let planner = Planner { settings, request, embedder_id: &embedder_id, roots, indexed, cache };
        let plan = planner.plan(planner.survey(reporter)?, &BTreeMap::new())?;
        let builds = planner.builds(&plan, held.made_by.embedder_id == embedder_id);
        let entries = entries(&plan, &builds, indexed);
        let mut counts = BTreeMap::new();
        for entry in &entries {
            *counts.entry(entry.action).or_default() += 1;
        }
        let other_files = other_files(&plan);
        warnings.extend(plan.notes);
        Ok(DryRun { dry_run: true, counts, entries, other_files, warnings })
    }
}

/// One entry for each file, record, and source that would be removed; sorted.
fn entries(plan: &IngestPlan, builds: &[BuildPlan], indexed: &[HeldSource]) -> Vec<Entry> {
    let entry = |action, path: String, reason: Option<String>| Entry { action, path, reason };
    // Sources of other roots are listed only where something would be done to them.
    let builds = builds.iter().filter(|build| build.paper.format.is_some() || !build.unchanged);
    let mut entries: Vec<Entry> = builds
        .map(|build| {
            let action = match (build.unchanged, build.paper.is_known) {
                (true, _) => Action::Keep,
                (false, true) => Action::Change,
                (false, false) => Action::Add,
            };
            entry(action, build.paper.shown(), None)
        })
        .collect();
    let removed = indexed.iter().filter(|source| plan.removed.contains(source.source_id()));
    let place = |source: &HeldSource| shown_place(&source.path, source.record.as_deref());
    entries.extend(removed.map(|source| entry(Action::Remove, place(source), None)));
    let pairs = |all: &[Duplicate], what: &str| -> Vec<Entry> {
        let reason = |of: &Duplicate| Some(format!("{what} {}", of.same_as));
        all.iter().map(|of| entry(Action::Skipped, of.path.clone(), reason(of))).collect()
    };
    entries.extend(pairs(&plan.duplicates, "same bytes as"));
    entries.extend(pairs(&plan.same_paper, "same paper as"));
    let left_out = |action, all: &[LeftOut]| -> Vec<Entry> {
        all.iter().map(|l| entry(action, path_text::shown(&l.path), Some(l.reason.clone()))).collect()
    };
    entries.extend(left_out(Action::Skipped, &plan.without_text));
    entries.extend(left_out(Action::Skipped, &plan.skipped));
    entries.extend(left_out(Action::Failed, &plan.failed_before));
    entries.extend(left_out(Action::Failed, &plan.unreadable));
    entries.extend(left_out(Action::Failed, &plan.unread_bibliographies));
    entries.sort();
    entries
}
