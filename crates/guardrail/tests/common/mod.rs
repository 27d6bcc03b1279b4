//! Contexts, answers and a store made by hand.
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "each test file uses its own part"
)]

use std::{collections::BTreeMap, sync::Arc};
use types::{
    Chunk, ChunkId, ChunkStore, Citation, Confidence, Context, ContextChunk, Origin, RagResponse,
    SectionKind, SentenceSpan, SourceId, SourceMeta, Span, StoreError,
};

/// A chunk of `source`, `results__NNN`, with a page for each sentence, the first being page `number + 1`.
pub fn chunk(source: &SourceMeta, number: usize, sentences: &[&str]) -> ContextChunk {
    let text = sentences.join(" ");
    let first = number as u32 + 1;
    let mut at = 0;
    let mut spans = Vec::new();
    for s in sentences {
        let span = Span::new(at, at + s.len());
        spans.push(SentenceSpan {
            span,
            number: spans.len() as u32,
            page: first + spans.len() as u32,
        });
        at = span.end + 1;
    }
    let chunk = Chunk {
        chunk_id: ChunkId::from_parts(&source.source_id, SectionKind::Results, number),
        source_id: source.source_id.clone(),
        section: SectionKind::Results,
        heading: "3. Results".into(),
        ordinal: number as u32,
        page_start: first,
        page_end: first + sentences.len() as u32,
        span: Span::new(0, text.len()),
        prefix: String::new(),
        tokens: 1,
        sentences: spans,
        text,
    };
    ContextChunk {
        chunk: Arc::new(chunk),
        source: Arc::new(source.clone()),
        origin: Origin::Reranked,
        vector_score: 0.5,
        bm25_score: 1.0,
        combined_score: 0.5,
        rerank_score: Some(5.0),
    }
}

pub fn source(id: &str, title: &str, authors: &[&str], year: Option<u16>) -> SourceMeta {
    SourceMeta {
        source_id: id.into(),
        title: Some(title.into()),
        authors: authors.iter().map(|a| (*a).to_owned()).collect(),
        year,
        ..SourceMeta::default()
    }
}

pub fn cite(source: &str, chunk: &str, quote: &str) -> Citation {
    Citation {
        source_id: source.into(),
        chunk_id: chunk.into(),
        relevant_quote: quote.into(),
        ..Citation::default()
    }
}

pub fn answer(text: &str, citations: Vec<Citation>) -> RagResponse {
    RagResponse {
        answer: text.into(),
        citations,
        confidence: Confidence::High,
        ..RagResponse::default()
    }
}

/// Two sources of an invented corpus: a trial with two chunks, a review with one.
pub fn context() -> Context {
    let trial = source(
        "tandrik_2021",
        "Walking and fitness in older adults",
        &["Orvella Tandrik", "Bram Solvik"],
        Some(2021),
    );
    let review = source("moro_2019", "A review of fasting", &["Ines Moro"], Some(2019));
    Context {
        chunks: vec![
            chunk(
                &trial,
                0,
                &[
                    "Brisk walking raised VO2max by 12 % after 24 weeks.",
                    "AMPK activity rose in muscle biopsies of the walking group, while mTOR signalling fell.",
                    "Body weight did not change.",
                ],
            ),
            chunk(
                &trial,
                1,
                &[
                    "Adherence was 57.5–72.5 min/day in both groups.",
                    "Smoking was an exclusion criterion.",
                ],
            ),
            chunk(
                &review,
                0,
                &[
                    "Fasting lowered insulin in mice.",
                    "Its effect on lifespan differed between strains and was small in females.",
                ],
            ),
        ],
    }
}

/// A corpus: how many of 100 chunks hold a stem, and the cosine of every sentence with any question.
pub struct Corpus {
    pub chunks_with: BTreeMap<String, usize>,
    pub similarity: f32,
    pub sources: Vec<SourceMeta>,
    /// Every read of a stem fails.
    pub broken: bool,
}

impl Corpus {
    pub fn new(words: &[(&str, usize)], similarity: f32) -> Self {
        let chunks_with = words.iter().map(|(w, n)| (text::stem(w), *n)).collect();
        let mut sources: Vec<SourceMeta> = context().chunks.iter().map(|c| (*c.source).clone()).collect();
        sources.dedup();
        sources.push(source(
            "okafor_2018",
            "Sleep in shift workers",
            &["Ada Okafor"],
            Some(2018),
        ));
        Self {
            chunks_with,
            similarity,
            sources,
            broken: false,
        }
    }
}

impl ChunkStore for Corpus {
    fn chunk(&self, _id: &ChunkId) -> Option<Arc<Chunk>> {
        None
    }
    fn neighbours(&self, _id: &ChunkId, _reach: usize) -> Result<Vec<Arc<Chunk>>, StoreError> {
        Ok(Vec::new())
    }
    fn source(&self, id: &SourceId) -> Option<Arc<SourceMeta>> {
        self.sources
            .iter()
            .find(|s| s.source_id == *id)
            .map(|s| Arc::new(s.clone()))
    }
    fn sources(&self) -> Vec<Arc<SourceMeta>> {
        self.sources.iter().map(|s| Arc::new(s.clone())).collect()
    }
    fn sentence_similarities(&self, chunk: &Chunk, _query: &[f32]) -> Vec<f32> {
        vec![self.similarity; chunk.sentences.len()]
    }
    fn sentence_vector(&self, _source: &SourceId, _number: u32) -> Option<Vec<f32>> {
        None
    }
    fn idf(&self, stem: &str) -> Result<(f32, usize), StoreError> {
        if self.broken {
            return Err(StoreError::new("index/stems: cannot be read"));
        }
        let n = self.chunks_with.get(stem).copied().unwrap_or(0);
        Ok(((1.0 + (100.0 - n as f32 + 0.5) / (n as f32 + 0.5)).ln(), n))
    }
}
