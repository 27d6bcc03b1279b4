//! Which sources have to be built again.

use super::{
    plan::{IngestPlan, MetadataSource, Paper},
    planner::Planner,
};
use crate::indexer::{indexed::content_hash, keys::SourceKey};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};
use types::{HeldSource, SourceId, files::holder};

/// How one source of the next generation is built.
pub(super) struct BuildPlan {
    pub(super) paper: Arc<Paper>,
    pub(super) key: String,
    /// The index holds it with the same key and place: nothing has to be built.
    pub(super) unchanged: bool,
}

impl Planner<'_> {
    /// Every source that the next generation may hold, by id: the papers of this run, and sources of other roots, which
    /// are built again where settings have changed. `can_keep` says whether the index can keep sources as they are.
    pub(super) fn builds(&self, plan: &IngestPlan, can_keep: bool) -> Vec<BuildPlan> {
        let held: BTreeMap<&SourceId, &HeldSource> =
            self.indexed.iter().map(|k| (&k.meta.source_id, k)).collect();
        let others =
            plan.untouched.iter().filter_map(|id| held.get(id)).map(|k| Arc::new(untouched(plan, k)));
        let build = |paper: Arc<Paper>| {
            let held = held.get(&paper.source_id).copied();
            let key = self.source_key(&paper, held).to_string();
            let same = |k: &HeldSource| {
                let paths = k.paths().collect::<BTreeSet<_>>() == paper.paths().collect();
                k.key == key && paths && k.record == paper.record
            };
            let unchanged = can_keep && held.is_some_and(same);
            BuildPlan { paper, key, unchanged }
        };
        let mut builds: Vec<BuildPlan> = plan.papers.iter().cloned().chain(others).map(build).collect();
        builds.sort_by(|a, b| a.paper.source_id.cmp(&b.paper.source_id));
        builds
    }

    /// What a source's chunks and vectors depend on. A row that changes nothing of what the index read from the document
    /// itself is no reason to build it again.
    fn source_key(&self, paper: &Paper, held: Option<&HeldSource>) -> SourceKey {
        let digest = match &paper.metadata {
            MetadataSource::Document => None,
            MetadataSource::Manifest(row) => Some(row.digest()),
            MetadataSource::Index(_, digest) => Some(digest.clone()),
        };
        let key = |digest: Option<&str>| {
            SourceKey::new(
                (&paper.hash, &self.cache.reader.version),
                &paper.source_id,
                &self.settings.chunking,
                self.embedder_id,
                digest,
            )
        };
        if let (MetadataSource::Manifest(row), Some(held)) = (&paper.metadata, held) {
            let bare = key(None);
            if held.key == bare.to_string() && row.changes_nothing(&held.meta) {
                return bare;
            }
        }
        key(digest.as_deref())
    }
}

/// A source of another root, at the paths that are left of it.
fn untouched(plan: &IngestPlan, source: &HeldSource) -> Paper {
    let left = plan.fewer_paths.get(source.source_id()).cloned();
    let mut paths = left.unwrap_or_else(|| source.paths().map(Path::to_owned).collect());
    let present = paths.iter().position(|path| holder(path).is_some()).unwrap_or(0);
    Paper {
        path: paths.remove(present),
        copies: paths,
        record: source.record.clone(),
        root: source.root.clone(),
        format: None,
        hash: content_hash(&source.key).to_owned(),
        source_id: source.source_id().clone(),
        is_known: true,
        // Manifests of other roots are not read: the index keeps what they said.
        metadata: match SourceKey::read(&source.key).as_ref().and_then(SourceKey::metadata) {
            Some(digest) => MetadataSource::Index(Box::new(source.meta.clone()), digest.to_owned()),
            None => MetadataSource::Document,
        },
    }
}
