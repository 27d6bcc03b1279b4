//! Which sources have to be built again.

use super::plan::{IngestPlan, MetadataSource, Paper};
use crate::{
    failed::ReaderKeys,
    indexed::content_hash,
    indexer::{IndexerSettings, reader_key},
    keys::SourceKey,
};
use ingest::{OcrSettings, chunk::ChunkSettings};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};
use types::{HeldSource, SourceId, digest::sha256_of_parts};

/// How the sources of a run are built.
pub(super) struct BuildSettings {
    pub(super) chunking: ChunkSettings,
    embedder_id: String,
    failure_keys: ReaderKeys,
    reader_key: String,
}

/// How one source of the next generation is built.
pub(super) struct BuildPlan {
    pub(super) paper: Arc<Paper>,
    pub(super) key: String,
    /// The index holds it with the same key and place: nothing has to be built.
    pub(super) unchanged: bool,
}

impl BuildSettings {
    pub(super) fn new(
        settings: &IndexerSettings,
        embedder_id: &str,
        has_password: bool,
        ocr: Option<&OcrSettings>,
    ) -> Self {
        let limits = serde_json::to_string(&settings.limits).unwrap_or_default();
        // Passwords themselves are never written down.
        let password = if has_password { "with a password" } else { "" };
        let reader_key = reader_key(ocr);
        let parts = [reader_key.as_str(), &limits, password];
        Self {
            chunking: settings.chunking,
            embedder_id: embedder_id.to_owned(),
            failure_keys: ReaderKeys {
                version: reader_key.clone(),
                settings: sha256_of_parts(&parts.map(str::as_bytes)),
            },
            reader_key,
        }
    }

    /// What the text of a document depends on, beside its file.
    pub(super) fn reader_key(&self) -> &str {
        &self.reader_key
    }

    /// What a failure to read depends on, beside the file.
    pub(super) fn failure_keys(&self) -> ReaderKeys {
        self.failure_keys.clone()
    }

    /// Every source that the next generation may hold, by id: the papers of this run, and sources of other roots, which
    /// are built again where settings have changed. `can_keep` says whether the index can keep a source as it is.
    pub(super) fn build_plans(
        &self,
        plan: &IngestPlan,
        indexed: &[HeldSource],
        can_keep: impl Fn(&SourceId) -> bool,
    ) -> Vec<BuildPlan> {
        let held: BTreeMap<&SourceId, &HeldSource> = indexed.iter().map(|k| (&k.meta.source_id, k)).collect();
        let others = plan.untouched.iter().filter_map(|id| held.get(id)).map(|k| {
            let left = plan.fewer_paths.get(&k.meta.source_id).cloned();
            let mut paths = left.unwrap_or_else(|| k.paths().map(Path::to_owned).collect());
            let present = paths.iter().position(|path| path.exists()).unwrap_or(0);
            Arc::new(Paper {
                path: paths.remove(present),
                copies: paths,
                record: k.record.clone(),
                root: k.root.clone(),
                format: None,
                hash: content_hash(&k.key).to_owned(),
                source_id: k.meta.source_id.clone(),
                // Manifests of other roots are not read: the index keeps what they said.
                metadata: match SourceKey::read(&k.key).as_ref().and_then(SourceKey::metadata) {
                    Some(digest) => MetadataSource::Index(Box::new(k.meta.clone()), digest.to_owned()),
                    None => MetadataSource::Document,
                },
            })
        });
        let mut builds: Vec<BuildPlan> = plan
            .papers
            .iter()
            .cloned()
            .chain(others)
            .map(|paper| {
                let held = held.get(&paper.source_id).copied();
                let key = self.source_key(&paper, held).to_string();
                let same = |k: &HeldSource| {
                    let paths = k.paths().collect::<BTreeSet<_>>() == paper.paths().collect();
                    k.key == key && paths && k.record == paper.record
                };
                let unchanged = held.is_some_and(same) && can_keep(&paper.source_id);
                BuildPlan { paper, key, unchanged }
            })
            .collect();
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
                (&paper.hash, &self.reader_key),
                &paper.source_id,
                &self.chunking,
                &self.embedder_id,
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
