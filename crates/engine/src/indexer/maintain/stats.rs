//! What an index holds, how it was made, and what it takes on disk.

use crate::indexer::{Indexer, IndexerError, cache::CacheUsage, failed::FailedFile};
use serde::Serialize;
use std::{collections::BTreeMap, path::Path};
use types::{Chunk, HeldSource, MadeBy, SectionKind};

/// What an index holds.
#[derive(Clone, Debug, Serialize)]
pub struct IndexStats {
    /// Number of the current generation.
    pub generation: u64,
    /// Papers.
    pub sources: usize,
    /// Chunks.
    pub chunks: usize,
    /// Embedding windows.
    pub windows: usize,
    /// Sentences.
    pub sentences: usize,
    /// `cl100k_base` tokens of all chunks: what two chunks share counts twice, and prefixes count.
    pub tokens: u64,
    /// Indexed stems, repetitions counted.
    pub terms: usize,
    /// By section, in the order in which papers print them.
    pub sections: Vec<SectionStats>,
    /// Papers by language, judged by function words: `english` or `other`.
    pub languages: BTreeMap<&'static str, usize>,
    /// How the sources were made.
    #[serde(flatten)]
    pub made_by: MadeBy,
    /// Whether there is an approximate vector index.
    pub graph: bool,
    /// Segments of the text index: one for each segment of the index.
    pub text_segments: usize,
    /// Chunks of removed or replaced papers, whose space a compaction frees.
    pub dead_chunks: usize,
    /// Bytes of the store, by what they are for.
    pub bytes: BTreeMap<&'static str, u64>,
    /// Bytes of its cache.
    pub cache: CacheUsage,
    /// All bytes.
    pub total_bytes: u64,
    /// When the paper that has not changed for longest was ingested, RFC 3339; `None` when that is not known.
    pub oldest_ingest: Option<String>,
    /// When a paper was ingested last.
    pub newest_ingest: Option<String>,
    /// Files that could not be read, and why.
    pub failed: Vec<FailedFile>,
    /// Each paper, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_source: Option<Vec<SourceStats>>,
}

/// The chunks of one section kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionStats {
    /// The section.
    pub section: SectionKind,
    /// Papers that have it.
    pub sources: usize,
    /// Its chunks.
    pub chunks: usize,
    /// Their tokens.
    pub tokens: u64,
}

/// One paper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceStats {
    /// Its id.
    pub source_id: String,
    /// Its title.
    pub title: Option<String>,
    /// Year of publication.
    pub year: Option<u16>,
    /// Chunks.
    pub chunks: usize,
    /// Windows.
    pub windows: usize,
    /// Sentences.
    pub sentences: usize,
    /// Tokens of its chunks.
    pub tokens: u64,
    /// Last page with indexed text; 0 without any.
    pub last_page: u32,
    /// `english` or `other`.
    pub language: &'static str,
    /// Its file.
    pub path: String,
    /// When it was ingested, RFC 3339; empty where that is not known.
    pub ingested: String,
}

impl Indexer {
    /// Counts what the current generation holds. `by_source` adds a line for each paper.
    ///
    /// # Errors
    /// When there is no index, or it cannot be read.
    pub fn stats(&self, by_source: bool) -> Result<IndexStats, IndexerError> {
        let root = &self.settings.index_dir;
        let (store, held) = self.store.open()?;
        let mut sections: BTreeMap<SectionKind, SectionStats> = BTreeMap::new();
        let mut sources = Vec::with_capacity(held.sources.len());
        for record in &held.sources {
            let mut source = SourceCounts::default();
            super::chunks_of(&*store, record)?.iter().for_each(|chunk| source.add(chunk));
            for (section, (count, tokens)) in &source.sections {
                let all = sections.entry(*section).or_insert(SectionStats {
                    section: *section,
                    sources: 0,
                    chunks: 0,
                    tokens: 0,
                });
                all.sources += 1;
                all.chunks += count;
                all.tokens += tokens;
            }
            sources.push(source.into_stats(record, root));
        }
        let mut languages = BTreeMap::new();
        for source in &sources {
            *languages.entry(source.language).or_default() += 1;
        }
        let times = || sources.iter().map(|s| &s.ingested).filter(|at| !at.is_empty());
        let (usage, known) = (self.store.usage()?, self.cache()?);
        let cache = known.usage();
        Ok(IndexStats {
            generation: held.version,
            sources: held.sources.len(),
            chunks: held.sum(|source| source.chunks),
            windows: held.sum(|source| source.windows),
            sentences: held.sum(|source| source.sentences),
            tokens: sources.iter().map(|s| s.tokens).sum(),
            terms: held.sum(|source| source.terms),
            sections: sections.into_values().collect(),
            languages,
            made_by: held.made_by,
            graph: usage.graph,
            text_segments: usage.segments,
            dead_chunks: usage.dead_chunks,
            total_bytes: usage.bytes.values().sum::<u64>() + cache.document_bytes + cache.vector_bytes,
            bytes: usage.bytes,
            cache,
            oldest_ingest: times().min().cloned(),
            newest_ingest: times().max().cloned(),
            failed: known.failed_files(),
            by_source: by_source.then_some(sources),
        })
    }
}

/// Counts the chunks of one source.
#[derive(Default)]
struct SourceCounts {
    sections: BTreeMap<SectionKind, (usize, u64)>,
    last_page: u32,
    english: usize,
    chunks: usize,
}

impl SourceCounts {
    fn add(&mut self, chunk: &Chunk) {
        let (count, tokens) = self.sections.entry(chunk.section).or_default();
        *count += 1;
        *tokens += u64::from(chunk.tokens);
        self.last_page = self.last_page.max(chunk.page_end);
        self.english += usize::from(text::looks_english(&chunk.text));
        self.chunks += 1;
    }

    fn into_stats(self, record: &HeldSource, index: &Path) -> SourceStats {
        // Tables and formulas have no function words; they count as English.
        let english = self.english * 2 >= self.chunks;
        SourceStats {
            source_id: record.source_id().to_string(),
            title: record.meta.title.clone(),
            year: record.meta.year,
            chunks: record.chunks,
            windows: record.windows,
            sentences: record.sentences,
            tokens: self.sections.values().map(|(_, tokens)| tokens).sum(),
            last_page: self.last_page,
            language: if english { "english" } else { "other" },
            path: types::path_text::shown(&record.present_path(index)),
            ingested: record.ingested.clone(),
        }
    }
}
