//! Reports what a run would do, without doing any of it: nothing is written, no lock is taken, no model is loaded.

use super::{
    bibliographies::Bibliographies,
    build_plan::{BuildPlan, BuildSettings},
    plan::{IngestPlan, LeftOut, Paper},
    planner::{self, ReadResults},
    run::IngestRequest,
    summary::{OtherFiles, other_files},
};
use crate::{
    Indexer, IndexerError,
    failed::FailedList,
    fingerprints::Fingerprints,
    indexed::{absolute_roots, shown_place},
    keys::{Change, SourceKey},
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};
use types::words::{NAMED, first_of};
use types::{HeldSource, Reporter, SourceId, path_text};

/// What would become of a file, a record, or a source of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It would be indexed for the first time.
    Add,
    /// It would be built again.
    Change,
    /// Its file was moved or copied; it keeps its id.
    Move,
    /// It is up to date.
    Keep,
    /// Its file is gone: it would be taken out of the index.
    Remove,
    /// It has the same bytes as another file.
    Duplicate,
    /// It is the same paper as another file beside it.
    SamePaper,
    /// It has no text to index.
    WithoutText,
    /// It has the name of another file beside it, and may be the same paper: that is known once both are read.
    Undecided,
    /// It failed in an earlier run and has not changed since.
    FailedBefore,
    /// It cannot be read.
    Unreadable,
    /// It is not a paper.
    Skipped,
}

/// One line of a dry run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// What would be done.
    pub action: Action,
    /// The file; of a record, its corpus, `#`, and its id.
    pub path: String,
    /// The id that it has or would get.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_id: Option<SourceId>,
    /// Why it would be built again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<Change>,
    /// More detail, for people: the other file, the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
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
        [Action::FailedBefore, Action::Unreadable].iter().any(|action| self.counts.contains_key(action))
    }
}

impl Indexer {
    /// Says what [`Indexer::ingest`] would do now. PDFs are not opened, so whether they can be read is not known.
    ///
    /// # Errors
    /// When a path does not exist, nothing is found, the index is damaged, or the run is stopped.
    pub fn dry_run(&self, request: &IngestRequest, reporter: &dyn Reporter) -> Result<DryRun, IndexerError> {
        let settings = &self.settings;
        let dir = &settings.index_dir;
        let (held, note) = self.store.holdings()?;
        let index_embedder = held.as_ref().map(|held| held.made_by.embedder_id.clone());
        let indexed = held.map_or_else(Vec::new, |held| held.sources);
        let roots = absolute_roots(&request.paths, &indexed)?;
        let mut warnings: Vec<String> = note.into_iter().collect();
        let embedder_id = self.resources.embedder_id().unwrap_or_else(|error| {
            warnings.push(format!("the embedding model is taken to be the index's: {error}"));
            index_embedder.clone().unwrap_or_default()
        });
        let same_embedder = index_embedder.as_ref() == Some(&embedder_id);
        let ocr = self.resources.ocr().unwrap_or_else(|lack| {
            warnings.push(format!("{lack}; pages that are only images stay unread"));
            None
        });
        let has_password = !request.passwords.is_empty();
        let build = BuildSettings::new(settings, &embedder_id, has_password, ocr.as_ref());
        let failed = FailedList::load(dir, build.failure_keys(), request.retry_failed);
        let survey = planner::survey_disk(settings, request, reporter, (&roots, &indexed))?;
        let fingerprints = Fingerprints::load(dir, build.reader_key());
        let results = ReadResults {
            failed_before: &failed,
            failed_now: &BTreeMap::new(),
            fingerprints: &fingerprints,
            defer_unread: true,
        };
        let mut plan = planner::plan_run(settings, request, survey, (&roots, &indexed), &results)?;
        planner::leave_out_empty(&mut plan, &indexed, &fingerprints);
        let mut bibliographies = Bibliographies::new(plan.links.clone());
        bibliographies.apply(&mut plan.papers, &fingerprints);
        let builds = build.build_plans(&plan, &indexed, |_| same_embedder);

        let entries = entries(&plan, &builds, &indexed, same_embedder);
        let mut counts = BTreeMap::new();
        for entry in &entries {
            *counts.entry(entry.action).or_default() += 1;
        }
        let other_files = other_files(&plan);
        warnings.extend(plan.notes);
        // Which entry of a bibliography a file has is known only once the file was read.
        let read = |paper: &Arc<Paper>| fingerprints.get(&paper.hash).is_some();
        if plan.papers.iter().all(read) {
            warnings.extend(bibliographies.notes(&roots));
        }
        let unread = bibliographies.failed(&roots);
        warnings.extend(unread.iter().map(|f| format!("{}: {}", f.path, f.reason)));
        Ok(DryRun { dry_run: true, counts, entries, other_files, warnings })
    }
}

/// One entry for each file, record, and source that would be removed; sorted.
fn entries(
    plan: &IngestPlan,
    builds: &[BuildPlan],
    indexed: &[HeldSource],
    same_embedder: bool,
) -> Vec<Entry> {
    let held: BTreeMap<&SourceId, &HeldSource> = indexed.iter().map(|k| (&k.meta.source_id, k)).collect();
    // Sources of other roots are listed only where something would be done to them.
    let mut entries: Vec<Entry> = builds
        .iter()
        .filter(|build| build.paper.format.is_some() || !build.unchanged)
        .map(|build| build_entry(build, held.get(&build.paper.source_id).copied(), same_embedder))
        .collect();
    let planned: BTreeSet<&SourceId> = plan.papers.iter().map(|p| &p.source_id).collect();
    for id in plan.removed.iter().filter(|id| !planned.contains(id)) {
        let path = held.get(id).map(|k| shown_place(&k.path, k.record.as_deref()));
        entries.push(Entry {
            source_id: Some(id.clone()),
            ..entry(Action::Remove, path.unwrap_or_default(), None)
        });
    }
    let paired = |action, detail: &str, all: &[(String, String)]| -> Vec<Entry> {
        let each = all.iter();
        each.map(|(path, of)| entry(action, path.clone(), Some(format!("{detail} {of}")))).collect()
    };
    entries.extend(paired(Action::Duplicate, "the bytes of", &plan.duplicates));
    entries.extend(paired(Action::SamePaper, "same paper as", &plan.same_paper));
    entries.extend(paired(Action::Undecided, "decided when it is read: it has the name of", &plan.undecided));
    let left_out = |action, all: &[LeftOut]| -> Vec<Entry> {
        let each = all.iter();
        each.map(|l| entry(action, path_text::shown(&l.path), Some(l.reason.clone()))).collect()
    };
    entries.extend(left_out(Action::FailedBefore, &plan.failed_before));
    entries.extend(left_out(Action::Unreadable, &plan.unreadable));
    entries.extend(left_out(Action::WithoutText, &plan.without_text));
    entries.extend(left_out(Action::Skipped, &plan.skipped));
    entries.sort_by(|a, b| (a.action, &a.path, &a.detail).cmp(&(b.action, &b.path, &b.detail)));
    entries
}

fn entry(action: Action, path: String, detail: Option<String>) -> Entry {
    Entry { action, path, source_id: None, why: Vec::new(), detail }
}

fn build_entry(build: &BuildPlan, held: Option<&HeldSource>, same_embedder: bool) -> Entry {
    let paper = &build.paper;
    let entry = |action, why, detail| Entry {
        action,
        path: paper.shown(),
        source_id: Some(paper.source_id.clone()),
        why,
        detail,
    };
    let Some(held) = held else {
        return entry(Action::Add, Vec::new(), None);
    };
    if build.unchanged {
        return entry(Action::Keep, Vec::new(), None);
    }
    // A key that cannot be read was made by another version.
    let keys = SourceKey::read(&held.key).zip(SourceKey::read(&build.key));
    let why = keys.map_or_else(|| vec![Change::Settings], |(old, new)| old.changes(&new, same_embedder));
    let places = |mut paths: Vec<&Path>, known: Vec<&Path>| {
        paths.retain(|path| !known.contains(path));
        let shown = paths.iter().map(|path| shown_place(path, held.record.as_deref()));
        first_of(shown, NAMED)
    };
    let (before, now) = (|| held.paths().collect(), || paper.paths().collect());
    let moved = match (places(before(), now()), places(now(), before())) {
        (gone, _) if !gone.is_empty() => Some(format!("was {gone}")),
        (_, new) if !new.is_empty() => Some(format!("also {new}")),
        _ => None,
    };
    if why.is_empty() { entry(Action::Move, why, moved) } else { entry(Action::Change, why, moved) }
}
