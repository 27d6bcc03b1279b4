//! Plans a run: which papers lie on the disk, what they are called, which of them the index holds already.

use super::{
    bibliographies,
    candidates::{assign_names, candidates, identify},
    manifests::apply_manifests,
    plan::{IngestPlan, LeftOut, Paper},
    same_stem,
    scan::Scanner,
};
use crate::indexer::{
    IndexerError,
    cache::Cache,
    excluded::ExcludedList,
    indexed::{content_hash, holds},
    resources::IndexerSettings,
};
use ingest::{Links, Member, Password};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};
use types::words::{NAMED, first_of};
use types::{HeldSource, Part, Reporter, SourceId, Stop, path_text};

/// What to ingest.
#[derive(Clone, Debug, Default)]
pub struct IngestRequest {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Passwords to try on encrypted files.
    pub passwords: Vec<Password>,
    /// Follow links that lead out of the paths.
    pub follow_links: bool,
    /// Try files again that failed before.
    pub retry_failed: bool,
    /// Remove papers from the index even when no paper is left below a path.
    pub prune_all: bool,
    /// Only the papers whose content falls into this part; other runs load the others into the same version.
    pub part: Option<Part>,
    /// Stops the run; what was finished is kept.
    pub stop: Stop,
}

/// What a plan is made from.
pub(super) struct Planner<'a> {
    pub(super) settings: &'a IndexerSettings,
    pub(super) request: &'a IngestRequest,
    pub(super) embedder_id: &'a str,
    /// Absolute paths of what was asked for.
    pub(super) roots: &'a [PathBuf],
    /// What the index holds.
    pub(super) indexed: &'a [HeldSource],
    pub(super) cache: &'a Cache,
}

/// The files on disk, before their content is known.
#[derive(Default)]
pub(super) struct Survey {
    found: Vec<Paper>,
    /// Files that may be one paper.
    groups: Vec<Vec<Paper>>,
    /// Ids of all files, those included that are not indexed.
    scanned_ids: BTreeSet<SourceId>,
    /// The papers in archives that the cache does not know: path, hash, papers.
    pub(super) listed: Vec<(PathBuf, String, Vec<Member>)>,
    plan: IngestPlan,
}

impl Survey {
    /// The documents that are files of their own and that a run reads: its own, and those of which some may be one paper.
    pub(super) fn files<'p>(&'p self, planner: &'p Planner<'_>) -> impl Iterator<Item = &'p Paper> + Clone {
        let own = |paper: &&Paper| paper.record.is_none() && planner.is_own(paper);
        self.found.iter().filter(own).chain(self.groups.iter().flatten())
    }
}

impl Planner<'_> {
    /// Whether this run is to read and write a paper.
    pub(super) fn is_own(&self, paper: &Paper) -> bool {
        self.request.part.is_none_or(|part| part.holds(&paper.hash))
    }

    /// Scans the roots, as the settings and the request say.
    pub(super) fn survey(&self, reporter: &dyn Reporter) -> Result<Survey, IndexerError> {
        let scanner = Scanner {
            limits: self.settings.limits,
            outputs: &self.settings.outputs,
            links: self.links(),
            cache: self.cache,
            reporter,
            stop: &self.request.stop,
        };
        let present: Vec<&PathBuf> = self.roots.iter().filter(|path| path.exists()).collect();
        let scan = scanner.scan(&present)?;
        let mut plan = IngestPlan {
            unreadable: scan.unreadable,
            skipped: scan.skipped,
            others: scan.others,
            ..IngestPlan::default()
        };
        let scanned = scan.files.iter();
        let scanned_ids = scanned.map(|f| ingest::source_id_of(&f.path)).collect();
        let groups = same_stem::groups(&scan.files);
        let mut found = candidates(scan.files, self.indexed, &mut plan);
        let excluded = ExcludedList::load(&self.settings.index_dir)?;
        found.retain(|paper| !self.is_excluded(&excluded, paper, &mut plan));
        Ok(Survey { found, groups, scanned_ids, listed: scan.listed, plan })
    }

    fn links(&self) -> Links {
        if self.request.follow_links { Links::default() } else { Links::within(self.roots) }
    }

    /// Whether the user removed a paper from the index. One whose file the user named is not skipped, nor a copy that the
    /// index still holds.
    fn is_excluded(&self, excluded: &ExcludedList, paper: &Paper, plan: &mut IngestPlan) -> bool {
        let is_held = |source: &HeldSource| {
            content_hash(&source.key) == paper.hash || source.places().any(|place| place == paper.place())
        };
        let skips = paper.root != paper.path
            && excluded.holds(&paper.path, paper.record.as_deref(), &paper.hash)
            && !self.indexed.iter().any(is_held);
        if skips {
            plan.skipped.push(LeftOut {
                path: paper.path.clone(),
                reason: "removed with `pipeline papers remove`; name the file to add it again".to_owned(),
            });
        }
        skips
    }

    /// What the request has to do. `failed` are the files that this run could not read: content and reason. What was not read
    /// yet counts as a paper of its own.
    ///
    /// # Errors
    /// When there is nothing to do at all, or a root has lost all its papers.
    pub(super) fn plan(
        &self,
        survey: Survey,
        failed: &BTreeMap<String, String>,
    ) -> Result<IngestPlan, IndexerError> {
        let Survey { found, groups, scanned_ids, mut plan, .. } = survey;
        let mut found =
            same_stem::choose_files(found, &groups, &|file| self.cache.print(&file.hash), &mut plan);
        identify(self.roots, self.indexed, &mut found, &mut plan);

        let mut readable = Vec::with_capacity(found.len());
        for paper in found {
            let now = failed.get(&paper.hash);
            let Some(reason) = now.cloned().or_else(|| self.cache.failure(&paper.hash)) else {
                readable.push(paper);
                continue;
            };
            // A version that could be read once stays until a readable one takes its place.
            plan.untouched.extend(paper.is_known.then_some(paper.source_id));
            let left = LeftOut { path: paper.path, reason };
            if now.is_some() { plan.unreadable.push(left) } else { plan.failed_before.push(left) }
        }
        let mut papers = assign_names(readable, &plan.untouched);
        plan.notes = apply_manifests(&mut papers, (self.roots, &self.links()), scanned_ids);
        if !self.request.prune_all {
            self.refuse_emptied_roots(&papers, &plan)?;
        }
        let nothing_changes = plan.removed.is_empty() && plan.fewer_paths.is_empty();
        if nothing_changes && papers.is_empty() && plan.failed_before.is_empty() && plan.unreadable.is_empty()
        {
            return Err(self.nothing_found(&plan));
        }
        self.leave_out_empty(&mut papers, &mut plan);
        bibliographies::apply(&mut papers, self.links(), self.roots, self.cache, &mut plan);
        plan.papers = papers.into_iter().map(Arc::new).collect();
        Ok(plan)
    }

    fn nothing_found(&self, plan: &IngestPlan) -> IndexerError {
        let paths = self.request.paths.iter().map(|p| path_text::shown(p));
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

    /// Leaves out the documents that were read and hold no text; they are no papers of the index.
    fn leave_out_empty(&self, papers: &mut Vec<Paper>, plan: &mut IngestPlan) {
        papers.retain(|paper| {
            let print = if paper.record.is_none() { self.cache.print(&paper.hash) } else { None };
            let is_empty = print.is_some_and(|print| !print.has_text);
            if is_empty {
                // Why, if it was read just now.
                let document = self.cache.document(&paper.hash).unwrap_or_default();
                let warnings = document.warnings.iter();
                plan.notes.extend(warnings.map(|warning| format!("{}: {warning}", paper.source_id)));
                plan.removed.extend(paper.is_known.then(|| paper.source_id.clone()));
                let reason = "no text to index".to_owned();
                plan.without_text.push(LeftOut { path: paper.path.clone(), reason });
            }
            !is_empty
        });
    }

    /// Refuses a plan that would remove every paper that was read from below one of the roots, where no paper lies any more:
    /// that is more often a disk that is not mounted than a collection that was deleted.
    fn refuse_emptied_roots(&self, papers: &[Paper], plan: &IngestPlan) -> Result<(), IndexerError> {
        let removed: BTreeSet<&SourceId> = plan.removed.iter().collect();
        let unread = [&plan.unreadable, &plan.failed_before].into_iter().flatten();
        let papers = papers.iter().map(|paper| paper.path.as_path());
        let found: Vec<&Path> = papers.chain(unread.map(|left| left.path.as_path())).collect();
        for root in self.roots {
            let held = self.indexed.iter().filter(|source| holds(std::slice::from_ref(root), source));
            let gone = held.filter(|source| removed.contains(source.source_id())).count();
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
}

#[cfg(test)]
mod tests;
