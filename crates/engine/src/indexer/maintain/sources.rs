//! The papers of an index: list them, show one, remove some.

use crate::indexer::{
    Indexer, IndexerError,
    excluded::{Excluded, ExcludedList},
    indexed::content_hash,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{Chunk, HeldSource, Holdings, SectionKind, SourceId, SourceMeta, path_text};

/// One paper of the index.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Paper", deny_unknown_fields)]
pub struct Source {
    /// What is known of it.
    #[serde(flatten)]
    pub meta: SourceMeta,
    /// Its file: of several, the first that exists.
    pub path: String,
    /// All files with its content, as far as they were ingested.
    pub paths: Vec<String>,
    /// The record, where the file holds many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// When it was ingested, RFC 3339 in UTC; empty where that is not known.
    pub ingested: String,
    /// Names what its file held; the same for a copy.
    #[serde(skip)]
    pub version: String,
    /// Chunks.
    pub chunks: usize,
    /// Sentences.
    pub sentences: usize,
}

/// What `papers` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Sources {
    /// The papers, by id.
    pub sources: Vec<Source>,
}

/// A part of a paper as it was printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SourceSection {
    /// What kind of section it is.
    pub section: SectionKind,
    /// Its heading as printed.
    pub heading: String,
    /// First page, from 1.
    pub page_start: u32,
    /// Last page.
    pub page_end: u32,
    /// Chunks.
    pub chunks: usize,
}

/// What is known of one paper.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SourceDetails {
    /// The paper.
    #[serde(flatten)]
    pub source: Source,
    /// `cl100k_base` tokens of its chunks, prefixes and overlaps included.
    pub tokens: u64,
    /// Its indexed sections in reading order.
    pub sections: Vec<SourceSection>,
}

/// A paper as its readers need it who want to look it up.
#[derive(Clone, Debug)]
pub struct PrintedSource {
    /// Its id.
    pub source_id: SourceId,
    /// Where its file was when it was ingested, all of them, and where it is now if it has moved with the index.
    pub paths: Vec<PathBuf>,
    /// Names what the file held: see [`ingest::inputs::content_key`].
    pub hash: String,
    /// Its chunks in reading order.
    pub chunks: Vec<Arc<Chunk>>,
}

/// What was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemovedSources {
    /// The removed papers.
    pub removed: Vec<SourceId>,
    /// Papers that are left.
    pub sources: usize,
    /// Number of the generation without them.
    pub generation: u64,
}

impl Indexer {
    /// The papers of the index, by id.
    ///
    /// # Errors
    /// When there is no index, or it cannot be read.
    pub fn sources(&self) -> Result<Vec<Source>, IndexerError> {
        let (_, held) = self.store.open()?;
        Ok(held.sources.iter().map(|source| self.describe(source)).collect())
    }

    /// What is known of one paper.
    ///
    /// # Errors
    /// When there is no index, it cannot be read, or it does not hold the paper.
    pub fn source(&self, id: &SourceId) -> Result<SourceDetails, IndexerError> {
        let (store, held) = self.store.open()?;
        let source = find(&held, id)?;
        let mut tokens = 0;
        let mut sections: Vec<SourceSection> = Vec::new();
        for chunk in super::chunks_of(&*store, source)? {
            tokens += u64::from(chunk.tokens);
            match sections
                .last_mut()
                .filter(|last| last.section == chunk.section && last.heading == chunk.heading)
            {
                Some(last) => {
                    last.page_end = last.page_end.max(chunk.page_end);
                    last.chunks += 1;
                }
                None => sections.push(SourceSection {
                    section: chunk.section,
                    heading: chunk.heading.clone(),
                    page_start: chunk.page_start,
                    page_end: chunk.page_end,
                    chunks: 1,
                }),
            }
        }
        Ok(SourceDetails { source: self.describe(source), tokens, sections })
    }

    /// Where a paper is, what it was when it was ingested, and its text.
    ///
    /// # Errors
    /// When there is no index, it cannot be read, or it does not hold the paper.
    pub fn printed(&self, id: &SourceId) -> Result<PrintedSource, IndexerError> {
        let (store, held) = self.store.open()?;
        let source = find(&held, id)?;
        Ok(PrintedSource {
            source_id: source.source_id().clone(),
            paths: source
                .paths()
                .map(Path::to_owned)
                .chain([source.present_path(&self.settings.index_dir)])
                .collect(),
            hash: content_hash(&source.key).to_owned(),
            chunks: super::chunks_of(&*store, source)?,
        })
    }

    /// Removes papers from the index. Their files stay; later runs of ingestion skip them until a file is named.
    ///
    /// # Errors
    /// When there is no index, it does not hold one of the papers (then none is removed), another writer is at work,
    /// or the index cannot be written.
    pub fn remove(&self, ids: &[SourceId]) -> Result<RemovedSources, IndexerError> {
        let dir = &self.settings.index_dir;
        let (_, held) = self.store.open()?;
        let ids_to_remove: BTreeSet<&SourceId> =
            ids.iter().map(|id| Ok(find(&held, id)?.source_id())).collect::<Result<_, IndexerError>>()?;
        let mut writer = self.store.write(None)?;
        // Before anything is written down: a damaged source could not be kept.
        writer.check()?;
        let at = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let mut excluded = ExcludedList::load(dir)?;
        let (gone, kept): (Vec<_>, Vec<_>) =
            held.sources.iter().partition(|record| ids_to_remove.contains(record.source_id()));
        excluded.extend(gone.iter().map(|record| Excluded {
            source_id: record.source_id().clone(),
            path: record.path.clone(),
            record: record.record.clone(),
            hash: content_hash(&record.key).to_owned(),
            at: at.clone(),
        }));
        // Before the switch: a run killed between the two must not add the papers again.
        excluded.save(dir)?;
        let kept: Vec<SourceId> = kept.iter().map(|record| record.source_id().clone()).collect();
        let mut version = writer.begin()?;
        version.keep(&kept)?;
        version.commit()?;
        let generation = writer.holdings().map_or(0, |held| held.version);
        Ok(RemovedSources {
            removed: gone.iter().map(|record| record.source_id().clone()).collect(),
            sources: kept.len(),
            generation,
        })
    }

    fn describe(&self, record: &HeldSource) -> Source {
        Source {
            meta: record.meta.clone(),
            path: path_text::shown(&record.present_path(&self.settings.index_dir)),
            paths: record.paths().map(path_text::shown).collect(),
            record: record.record.clone(),
            ingested: record.ingested.clone(),
            version: content_hash(&record.key).to_owned(),
            chunks: record.chunks,
            sentences: record.sentences,
        }
    }
}

/// The source that is meant by an id, in any case.
pub(super) fn find<'i>(held: &'i Holdings, id: &SourceId) -> Result<&'i HeldSource, IndexerError> {
    let meant = id.meant(held.sources.iter().map(HeldSource::source_id));
    let source = meant.and_then(|id| held.sources.iter().find(|source| source.source_id() == id));
    source.ok_or_else(|| unknown_source(held, id))
}

fn unknown_source(held: &Holdings, id: &SourceId) -> IndexerError {
    let ids = held.sources.iter().map(|s| s.source_id().as_str());
    let near = ids
        .map(|known| (strsim::jaro_winkler(known, id.as_str()), known))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = near.map_or_else(
        || "`pipeline papers` prints the source ids".to_owned(),
        |(_, known)| format!("did you mean {known:?}? `pipeline papers` prints the source ids"),
    );
    IndexerError::UnknownSource { id: id.clone(), hint }
}
