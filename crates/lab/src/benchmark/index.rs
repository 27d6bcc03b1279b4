//! The index of a benchmark's corpus, its documents, and searches in it that go deeper than an answer needs.

use super::dataset;
use crate::error::LabError;
use engine::indexer::{IngestRequest, IngestSummary};
use engine::{Pipeline, indexer, managed_store, settings::Settings};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ffi::OsString,
    path::{Path, PathBuf},
    time::Instant,
};
use types::words::first_of;
use types::{
    Chunk, Hit, Question, Reporter, Retrieval, RetrievalPlan, SourceId, SourceQuery, Stop, path_text,
};

/// Documents of a ranking; no more can count as results.
pub const DEPTH: usize = 100;
/// Records that a warning names.
const NAMED: usize = 3;

/// The documents of a benchmark: one file in the layout of BEIR.
#[derive(Clone, Debug)]
pub(crate) struct Corpus {
    /// The name of the folder.
    pub(crate) name: String,
    /// The absolute path of the file.
    pub(crate) file: PathBuf,
}

/// The index of the corpus, and what this run did to it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Indexed {
    /// Its folder.
    pub dir: PathBuf,
    /// Documents.
    pub documents: usize,
    /// Chunks.
    pub chunks: usize,
    /// Documents that this run added or changed; the others were reused.
    pub added: usize,
    /// Records of the corpus that could not be indexed: no text, or not readable.
    pub left_out: usize,
    /// Seconds that this run took to build the index, or to see that it is up to date.
    pub seconds: f64,
}

/// The settings with the folder of the benchmark's index: the one asked for, else one for this corpus beside the
/// configured index.
pub(crate) fn settings_of(settings: &Settings, index: Option<&Path>, corpus: &Corpus) -> Settings {
    let mut own = settings.clone();
    own.index.dir = match index {
        Some(dir) => dir.to_path_buf(),
        None => beside(&settings.index.dir, corpus),
    };
    own
}

/// `index` gives `index-bench/NAME-HASH`; the hash of the corpus's path keeps folders of one name apart.
fn beside(dir: &Path, corpus: &Corpus) -> PathBuf {
    let mut name = dir.file_name().map_or_else(|| OsString::from("index"), OsString::from);
    name.push("-bench");
    let path = path_text::encode(&corpus.file);
    let hash = types::digest::sha256(path.as_bytes());
    dir.with_file_name(name).join(format!("{}-{}", SourceId::from_stem(&corpus.name), &hash[..8]))
}

/// Brings the index up to date with the corpus.
///
/// # Errors
/// When the index holds other papers, a model is missing, or the index cannot be written.
pub(crate) fn update(
    settings: &Settings,
    corpus: &Corpus,
    stop: &Stop,
    reporter: &dyn Reporter,
) -> Result<Indexed, LabError> {
    let started = Instant::now();
    let dir = &settings.index.dir;
    refuse_other_papers(settings, corpus)?;
    let ingest =
        IngestRequest { paths: vec![corpus.file.clone()], stop: stop.clone(), ..IngestRequest::default() };
    let summary = indexer(settings).ingest(&ingest, reporter)?;
    let left_out = warn_of_left_out(&summary, reporter);
    Ok(Indexed {
        dir: dir.clone(),
        documents: summary.sources,
        chunks: summary.chunks,
        added: summary.added + summary.changed,
        left_out,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// An index that holds other papers would answer with them, and would be filled with the corpus.
fn refuse_other_papers(settings: &Settings, corpus: &Corpus) -> Result<(), LabError> {
    let (held, _) = managed_store(settings).holdings()?;
    let sources = held.unwrap_or_default().sources;
    let mut others = sources.iter().map(|source| &source.path).filter(|path| !path.starts_with(&corpus.file));
    let Some(first) = others.next() else {
        return Ok(());
    };
    let reason = format!(
        "already contains papers from other files ({}), for example {}",
        others.count() + 1,
        path_text::shown(first)
    );
    Err(LabError::unusable(&settings.index.dir, reason, "name another folder with --index"))
}

/// Says which records are not in the index, and counts them.
fn warn_of_left_out(summary: &IngestSummary, reporter: &dyn Reporter) -> usize {
    let failures = summary.failed.iter().chain(&summary.failed_before).chain(&summary.skipped);
    let left_out: Vec<String> =
        failures.map(|failure| format!("{}: {}", failure.path, failure.reason)).collect();
    if !left_out.is_empty() {
        let (all, first) = (left_out.len(), first_of(&left_out, NAMED));
        reporter.warn(&format!("{all} records of the corpus are not in the index: {first}"));
    }
    left_out.len()
}

/// The documents of an index, by the name that labels have for them.
pub(crate) struct Documents {
    names: HashMap<SourceId, String>,
    /// Passages to ask for at first: those of [`DEPTH`] documents of average length, and of one more.
    first: usize,
}

impl Documents {
    /// With the `_id` that the corpus gives a document, or with source ids, as query sets name papers.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn read(pipeline: &Pipeline, by_source: bool) -> Result<Self, LabError> {
        let sources = pipeline.store().find_sources(&SourceQuery::All).await?;
        let chunks = pipeline.store().info().await?.chunks;
        let named = sources.into_iter().map(|source| {
            let id = source.meta.source_id.clone();
            let record = source.record.filter(|_| !by_source);
            (id.clone(), record.unwrap_or_else(|| id.to_string()))
        });
        let names: HashMap<SourceId, String> = named.collect();
        let first = (DEPTH + 1) * chunks.div_ceil(names.len().max(1)).max(1);
        Ok(Self { names, first })
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a source.
    pub(crate) fn name<'a>(&'a self, source: &'a SourceId) -> &'a str {
        self.names.get(source).map_or(source.as_str(), String::as_str)
    }

    /// The sources by their names.
    pub(crate) fn by_name(self) -> HashMap<String, SourceId> {
        self.names.into_iter().map(|(id, name)| (name, id)).collect()
    }

    /// Every name.
    pub(crate) fn names(&self) -> BTreeSet<&str> {
        self.names.values().map(String::as_str).collect()
    }

    /// Passages of more than [`DEPTH`] documents, or all that there are.
    ///
    /// # Errors
    /// When retrieval fails.
    pub(crate) async fn retrieve(
        &self,
        pipeline: &Pipeline,
        question: &Question,
    ) -> Result<Retrieval, LabError> {
        let mut hits = self.first;
        loop {
            let plan = RetrievalPlan { hits: Some(hits), ..RetrievalPlan::default() };
            let found = pipeline.store().retrieve(question, plan).await?.retrieval;
            let exhausted = found.hits.len() < hits;
            let sources: HashSet<&SourceId> = found.hits.iter().map(|hit| &hit.chunk().source_id).collect();
            if exhausted || sources.len() > DEPTH {
                return Ok(found);
            }
            hits *= 2;
        }
    }

    /// The documents of these hits, each with the score of its best chunk; hits are ordered, best first. Without the question
    /// itself, and whether it was there: the queries of ArguAna and Quora are documents of the corpus, with the same id and
    /// text, and BEIR leaves them out of their own rankings.
    pub(crate) fn ranked<'h>(
        &self,
        question: &dataset::Question,
        hits: impl IntoIterator<Item = &'h Hit>,
    ) -> (Vec<(String, f32)>, bool) {
        let (mut seen, mut out, mut itself) = (HashSet::new(), Vec::new(), false);
        for hit in hits {
            let chunk = hit.chunk();
            if seen.insert(&chunk.source_id) {
                let name = self.name(&chunk.source_id);
                let is_text = || text::one_line(&question.text).contains(&text::one_line(&chunk.text));
                if name == question.id && is_text() {
                    itself = true;
                } else {
                    out.push((name.to_owned(), hit.combined_score));
                }
            }
        }
        (out, itself)
    }

    /// The documents of these chunks, each once, in their order.
    pub(crate) fn of<'c>(&self, chunks: impl Iterator<Item = &'c Chunk>) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let first = chunks.map(|chunk| &chunk.source_id).filter(|id| seen.insert(*id));
        first.map(|id| self.name(id).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_corpus_has_an_index_of_its_own() {
        let at = |dir: &str, corpus: &str| {
            let corpus = Corpus { name: "NF corpus".to_owned(), file: corpus.into() };
            beside(Path::new(dir), &corpus).to_string_lossy().into_owned()
        };
        let first = at("index", "/a/corpus.jsonl");
        assert!(first.starts_with("index-bench/nf_corpus-"), "{first}");
        assert_ne!(first, at("index", "/b/corpus.jsonl"));
        assert!(at("x/my-index/", "/a/corpus.jsonl").starts_with("x/my-index-bench/"));
    }
}
