//! What the results for a source depend on, and which sources are to be made anew.

use super::{
    failed::ReaderKeys,
    keys::SourceKey,
    plan::{Known, Paper, Plan, Told},
};
use crate::{cache, settings::Settings, stages};
use ingest::{OcrSettings, chunk::ChunkSettings};
use retrieve::IndexWriter;
use std::collections::{BTreeMap, BTreeSet};
use types::SourceId;

/// How sources are made in a run.
pub(super) struct Making {
    pub(super) chunking: ChunkSettings,
    embedder_id: String,
    reader: ReaderKeys,
    reading: String,
}

/// What of the index can be used again.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Its vectors are of this run's embedder.
    pub(super) can_keep: bool,
    /// Sources of which text or vectors are damaged.
    pub(super) damaged: BTreeSet<SourceId>,
    /// Those of them of which text is damaged.
    pub(super) without_text: BTreeSet<SourceId>,
}

impl State {
    /// The state of the index that `writer` has open.
    pub(super) fn of(writer: &IndexWriter, known: &[Known]) -> Self {
        let those = |is: &dyn Fn(&SourceId) -> bool| -> BTreeSet<SourceId> {
            let ids = known.iter().map(|source| &source.source_id);
            ids.filter(|id| is(id)).cloned().collect()
        };
        Self {
            can_keep: writer.can_keep(),
            damaged: those(&|id| writer.is_damaged(id)),
            without_text: those(&|id| !writer.has_text(id)),
        }
    }
}

/// One source that the next generation holds or may hold.
pub(super) struct Work {
    pub(super) paper: Paper,
    pub(super) key: String,
    /// The index holds it with this very key.
    pub(super) unchanged: bool,
    /// The index holds the very chunks that it would be cut into.
    pub(super) cut: bool,
}

impl Work {
    /// A file that is read before it is known whether it will be a source.
    pub(super) fn to_read(paper: Paper) -> Self {
        Self {
            paper,
            key: String::new(),
            unchanged: false,
            cut: false,
        }
    }
}

impl Making {
    pub(super) fn new(
        settings: &Settings,
        embedder_id: &str,
        has_password: bool,
        ocr: Option<&OcrSettings>,
    ) -> Self {
        let limits = serde_json::to_string(&stages::limits(settings)).unwrap_or_default();
        // Passwords themselves are never written down.
        let password = if has_password { "with a password" } else { "" };
        let reading = stages::reading_key(ocr);
        let parts = [reading.as_str(), &limits, password];
        Self {
            chunking: stages::chunk_settings(settings),
            embedder_id: embedder_id.to_owned(),
            reader: ReaderKeys {
                version: reading.clone(),
                settings: cache::key(&parts.map(str::as_bytes)),
            },
            reading,
        }
    }

    /// What the text of a document depends on, beside its file.
    pub(super) fn reading(&self) -> &str {
        &self.reading
    }

    /// What a failure to read depends on, beside the file.
    pub(super) fn reader_keys(&self) -> ReaderKeys {
        self.reader.clone()
    }

    /// Everything that the next generation may hold, by source id: the papers of this run, and sources of
    /// other roots, which are made anew where settings have changed.
    pub(super) fn work(&self, plan: &Plan, known: &[Known], state: &State) -> Vec<Work> {
        let held: BTreeMap<&SourceId, &Known> = known.iter().map(|k| (&k.source_id, k)).collect();
        let others = plan
            .untouched
            .iter()
            .filter_map(|id| held.get(id))
            .map(|k| Paper {
                path: k.path.clone(),
                record: k.record.clone(),
                root: k.root.clone(),
                format: None,
                hash: k.content_hash().to_owned(),
                source_id: k.source_id.clone(),
                // Manifests of other roots are not read: what they said stands in the index.
                told: match SourceKey::read(&k.key).as_ref().and_then(SourceKey::metadata) {
                    Some(digest) => Told::Index(Box::new(k.meta.clone()), digest.to_owned()),
                    None => Told::Document,
                },
            });
        let mut work: Vec<Work> = plan
            .papers
            .iter()
            .cloned()
            .chain(others)
            .map(|paper| {
                let key = self.source_key(&paper);
                let held = held.get(&paper.source_id);
                let same_chunks = |k: &&Known| SourceKey::read(&k.key).is_some_and(|k| k.same_chunks(&key));
                let cut = held.is_some_and(same_chunks) && !state.without_text.contains(&paper.source_id);
                let key = key.to_string();
                let same = |k: &&Known| k.key == key && k.path == paper.path && k.record == paper.record;
                let sound = state.can_keep && !state.damaged.contains(&paper.source_id);
                let unchanged = sound && held.is_some_and(same);
                Work {
                    paper,
                    key,
                    unchanged,
                    cut,
                }
            })
            .collect();
        work.sort_by(|a, b| a.paper.source_id.cmp(&b.paper.source_id));
        work
    }

    /// What a source's chunks and vectors depend on.
    fn source_key(&self, paper: &Paper) -> SourceKey {
        let digest = match &paper.told {
            Told::Document => None,
            Told::Manifest(row) => Some(row.digest()),
            Told::Index(_, digest) => Some(digest.clone()),
        };
        SourceKey::new(
            (&paper.hash, &self.reading),
            &paper.source_id,
            &self.chunking,
            &self.embedder_id,
            digest.as_deref(),
        )
    }
}
