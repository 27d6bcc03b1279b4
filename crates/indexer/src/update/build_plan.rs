//! Which sources have to be built again, and what of the index they can reuse.

use super::plan::{IngestPlan, MetadataSource, Paper};
use crate::{
    failed::ReaderKeys,
    indexed::IndexedSource,
    indexer::{IndexerSettings, reader_key},
    keys::SourceKey,
};
use ingest::{OcrSettings, chunk::ChunkSettings};
use retrieve::IndexWriter;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};
use types::{SourceId, digest::sha256_of_parts};

/// How the sources of a run are built.
pub(super) struct BuildSettings {
    pub(super) chunking: ChunkSettings,
    embedder_id: String,
    failure_keys: ReaderKeys,
    reader_key: String,
}

/// What of the index can be reused.
#[derive(Debug, Default)]
pub(super) struct IndexState {
    /// Its vectors were made by this run's embedder.
    pub(super) same_embedder: bool,
    /// Sources whose text or vectors are damaged.
    pub(super) damaged: BTreeSet<SourceId>,
    /// Those of them whose text is damaged.
    pub(super) without_text: BTreeSet<SourceId>,
}

impl IndexState {
    /// The state of the index that `writer` has open.
    pub(super) fn of(writer: &IndexWriter, indexed: &[IndexedSource]) -> Self {
        let those = |is: &dyn Fn(&SourceId) -> bool| -> BTreeSet<SourceId> {
            let ids = indexed.iter().map(|source| &source.source_id);
            ids.filter(|id| is(id)).cloned().collect()
        };
        Self {
            same_embedder: writer.can_keep(),
            damaged: those(&|id| writer.is_damaged(id)),
            without_text: those(&|id| !writer.has_text(id)),
        }
    }
}

/// How one source of the next generation is built.
pub(super) struct BuildPlan {
    pub(super) paper: Arc<Paper>,
    pub(super) key: String,
    /// The index holds it with the same key and place: nothing has to be built.
    pub(super) unchanged: bool,
    /// The index holds the same chunks, so that its document need not be read or chunked.
    pub(super) same_chunks: bool,
}

impl BuildPlan {
    /// A file that is read before it is known whether it becomes a source.
    pub(super) fn to_read(paper: Paper) -> Self {
        Self {
            paper: Arc::new(paper),
            key: String::new(),
            unchanged: false,
            same_chunks: false,
        }
    }
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
    /// are built again where settings have changed.
    pub(super) fn build_plans(
        &self,
        plan: &IngestPlan,
        indexed: &[IndexedSource],
        state: &IndexState,
    ) -> Vec<BuildPlan> {
        let held: BTreeMap<&SourceId, &IndexedSource> = indexed.iter().map(|k| (&k.source_id, k)).collect();
        let others = plan.untouched.iter().filter_map(|id| held.get(id)).map(|k| {
            let left = plan.fewer_paths.get(&k.source_id).cloned();
            let mut paths = left.unwrap_or_else(|| k.paths().map(Path::to_owned).collect());
            let present = paths.iter().position(|path| path.exists()).unwrap_or(0);
            Arc::new(Paper {
                path: paths.remove(present),
                copies: paths,
                record: k.record.clone(),
                root: k.root.clone(),
                format: None,
                hash: k.content_hash().to_owned(),
                source_id: k.source_id.clone(),
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
                let held = held.get(&paper.source_id);
                let key = self.source_key(&paper, held.copied());
                let same_chunks =
                    |k: &&IndexedSource| SourceKey::read(&k.key).is_some_and(|k| k.same_chunks(&key));
                let same_chunks =
                    held.is_some_and(same_chunks) && !state.without_text.contains(&paper.source_id);
                let key = key.to_string();
                let same = |k: &&IndexedSource| {
                    let paths = k.paths().collect::<BTreeSet<_>>() == paper.paths().collect();
                    k.key == key && paths && k.record == paper.record
                };
                let reusable = state.same_embedder && !state.damaged.contains(&paper.source_id);
                let unchanged = reusable && held.is_some_and(same);
                BuildPlan {
                    paper,
                    key,
                    unchanged,
                    same_chunks,
                }
            })
            .collect();
        builds.sort_by(|a, b| a.paper.source_id.cmp(&b.paper.source_id));
        builds
    }

    /// What a source's chunks and vectors depend on. A row that changes nothing of what the index read from the document
    /// itself is no reason to build it again.
    fn source_key(&self, paper: &Paper, held: Option<&IndexedSource>) -> SourceKey {
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
