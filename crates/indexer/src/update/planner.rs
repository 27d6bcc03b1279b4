//! Plans a run: which papers lie on the disk, what they are called, which of them the index holds already.

use super::{
    candidates::{Candidate, assign_names, candidates, identify},
    manifests::apply_manifests,
    plan::{IngestPlan, LeftOut, Paper},
    run::IngestRequest,
    same_stem::{self, FileContent},
    scan::Scanner,
};
use crate::{
    IndexerError, excluded::ExcludedList, failed::FailedList, fingerprints::Fingerprints, indexed::holds,
    indexer::IndexerSettings,
};
use ingest::Links;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};
use types::words::{NAMED, first_of};
use types::{HeldSource, Reporter, SourceId, path_text};

/// The files on disk, before their content is known.
#[derive(Default)]
pub(super) struct Survey {
    found: Vec<Candidate>,
    /// Files that may be one paper.
    pub(super) groups: Vec<Vec<Paper>>,
    /// Ids of all files, those included that are not indexed.
    scanned_ids: BTreeSet<SourceId>,
    plan: IngestPlan,
}

/// Scans the roots, as the settings and the request say.
pub(super) fn survey_disk(
    settings: &IndexerSettings,
    request: &IngestRequest,
    reporter: &dyn Reporter,
    (roots, indexed): (&[PathBuf], &[HeldSource]),
) -> Result<Survey, IndexerError> {
    let scanner = Scanner {
        limits: settings.limits,
        outputs: &settings.outputs,
        links: if request.follow_links { Links::default() } else { Links::within(roots) },
        reporter,
        stop: &request.stop,
    };
    survey(roots, indexed, &scanner)
}

/// Scans the disk. `paths` are absolute.
fn survey(paths: &[PathBuf], indexed: &[HeldSource], scanner: &Scanner<'_>) -> Result<Survey, IndexerError> {
    let present: Vec<&PathBuf> = paths.iter().filter(|path| path.exists()).collect();
    let scan = scanner.scan(&present)?;
    let mut plan = IngestPlan {
        unreadable: scan.unreadable,
        skipped: scan.skipped,
        others: scan.others,
        links: scanner.links.clone(),
        ..IngestPlan::default()
    };
    let scanned = scan.files.iter();
    Ok(Survey {
        scanned_ids: scanned.map(|f| ingest::source_id_of(&f.path)).collect(),
        groups: same_stem::groups(&scan.files),
        found: candidates(scan.files, indexed, &mut plan),
        plan,
    })
}

/// What reading the files gave, in this run or earlier.
pub(super) struct ReadResults<'a> {
    /// Failures of earlier runs.
    pub(super) failed_before: &'a FailedList,
    /// Failures of this run: content and reason.
    pub(super) failed_now: &'a BTreeMap<String, String>,
    /// What the files hold that could be read.
    pub(super) fingerprints: &'a Fingerprints,
    /// Nothing more will be read: the files of a group that were not read are left undecided.
    pub(super) defer_unread: bool,
}

impl ReadResults<'_> {
    fn content_of(&self, file: &Paper) -> FileContent {
        if self.failed_now.contains_key(&file.hash) || self.failed_before.get(&file.hash).is_some() {
            return FileContent::Failed;
        }
        let print = self.fingerprints.get(&file.hash);
        match print.filter(|print| print.has_sketch()) {
            Some(print) => FileContent::Read(print.clone()),
            None => FileContent::Unread,
        }
    }
}

/// What the request has to do.
///
/// # Errors
/// When there is nothing to do at all, or a root has lost all its papers.
pub(super) fn plan_run(
    settings: &IndexerSettings,
    request: &IngestRequest,
    survey: Survey,
    (roots, indexed): (&[PathBuf], &[HeldSource]),
    results: &ReadResults<'_>,
) -> Result<IngestPlan, IndexerError> {
    let mut plan = plan(survey, roots, indexed, results);
    if !request.prune_all {
        refuse_emptied_roots(roots, indexed, &plan)?;
    }
    skip_excluded(&ExcludedList::load(&settings.index_dir)?, &mut plan, indexed);
    if plan.found_nothing() && plan.removed.is_empty() && plan.fewer_paths.is_empty() {
        return Err(nothing_found(request, &plan));
    }
    Ok(plan)
}

fn nothing_found(request: &IngestRequest, plan: &IngestPlan) -> IndexerError {
    let paths = request.paths.iter().map(|p| path_text::shown(p));
    let skipped =
        plan.skipped.iter().map(|left| format!("{} ({})", path_text::shown(&left.path), left.reason));
    let others = plan.others.iter().map(|(kind, others)| {
        let first = others.first.first().map(|path| path_text::shown(path));
        match (others.count, first) {
            (1, Some(path)) => format!("{path} ({kind})"),
            (count, _) => format!("{count} {kind}s"),
        }
    });
    IndexerError::NothingFound { paths: first_of(paths, NAMED), skipped: skipped.chain(others).collect() }
}

/// Moves the papers that the user removed from the index to what is skipped, but not one whose file the user named, nor
/// a copy that the index still holds.
fn skip_excluded(excluded: &ExcludedList, plan: &mut IngestPlan, indexed: &[HeldSource]) {
    let held: BTreeSet<&SourceId> = indexed.iter().map(|source| &source.meta.source_id).collect();
    let (skipped, kept) = std::mem::take(&mut plan.papers).into_iter().partition(|paper| {
        let named = paper.root == paper.path;
        excluded.holds(&paper.path, paper.record.as_deref(), &paper.hash)
            && !named
            && !held.contains(&paper.source_id)
    });
    plan.papers = kept;
    let skipped: Vec<Arc<Paper>> = skipped;
    plan.skipped.extend(skipped.into_iter().map(|paper| LeftOut {
        path: paper.path.clone(),
        reason: "removed with `pipeline sources remove`; name the file to add it again".to_owned(),
    }));
}

/// Compares what was found with what the index holds. What lay below a path that is gone is gone.
fn plan(survey: Survey, paths: &[PathBuf], indexed: &[HeldSource], results: &ReadResults<'_>) -> IngestPlan {
    let Survey { found, groups, scanned_ids, mut plan } = survey;
    let content_of = |file: &Paper| results.content_of(file);
    let mut found = same_stem::choose_files(found, &groups, &content_of, results.defer_unread, &mut plan);
    identify(paths, indexed, &mut found, &mut plan);

    let mut to_read = Vec::with_capacity(found.len());
    for candidate in found {
        let now = results.failed_now.get(&candidate.hash).map(String::as_str);
        let Some(reason) = now.or_else(|| results.failed_before.get(&candidate.hash)) else {
            to_read.push(candidate);
            continue;
        };
        // A version that could be read once stays until a readable one takes its place.
        plan.untouched.extend(candidate.source);
        let left = LeftOut { path: candidate.path, reason: reason.to_owned() };
        match now {
            Some(_) => plan.unreadable.push(left),
            None => plan.failed_before.push(left),
        }
    }
    let mut papers = assign_names(to_read, &plan.untouched);
    plan.notes = apply_manifests(&mut papers, (paths, &plan.links), scanned_ids);
    plan.papers = papers.into_iter().map(Arc::new).collect();
    plan
}

/// Takes the documents out of the plan that were read before and hold no text; they are no papers of the index.
pub(super) fn leave_out_empty(
    plan: &mut IngestPlan,
    indexed: &[HeldSource],
    fingerprints: &Fingerprints,
) -> Vec<Arc<Paper>> {
    let held: BTreeSet<&SourceId> = indexed.iter().map(|source| &source.meta.source_id).collect();
    let is_empty = |paper: &Arc<Paper>| {
        let print = fingerprints.get(&paper.hash).filter(|_| paper.record.is_none());
        print.is_some_and(|print| !print.has_text)
    };
    let (empty, papers): (Vec<_>, Vec<_>) = plan.papers.drain(..).partition(is_empty);
    plan.papers = papers;
    let ids = empty.iter().map(|paper| &paper.source_id);
    plan.removed.extend(ids.filter(|id| held.contains(id)).cloned());
    plan.without_text.extend(
        empty.iter().map(|paper| LeftOut { path: paper.path.clone(), reason: "no text to index".to_owned() }),
    );
    empty
}

/// Refuses a plan that would remove every paper that was read from below one of `roots`, where no paper lies any more: that
/// is more often a disk that is not mounted than a collection that was deleted.
fn refuse_emptied_roots(
    roots: &[PathBuf],
    indexed: &[HeldSource],
    plan: &IngestPlan,
) -> Result<(), IndexerError> {
    let removed: BTreeSet<&SourceId> = plan.removed.iter().collect();
    let papers = plan.papers.iter().map(|paper| paper.path.as_path());
    let unread = [&plan.unreadable, &plan.failed_before].into_iter().flatten();
    let found: Vec<&Path> = papers.chain(unread.map(|left| left.path.as_path())).collect();
    for root in roots {
        let held = indexed.iter().filter(|source| holds(std::slice::from_ref(root), source));
        let gone = held.filter(|source| removed.contains(&source.meta.source_id)).count();
        if gone > 0 && !found.iter().any(|path| path.starts_with(root)) {
            return Err(IndexerError::EmptiedRoot {
                path: root.clone(),
                state: if root.exists() { "holds no paper" } else { "is missing" },
                papers: gone,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
