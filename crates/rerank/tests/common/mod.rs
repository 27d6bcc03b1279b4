//! Candidates, a store and models made by hand.
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "each test file uses its own part"
)]

use std::sync::{Arc, Mutex};
use types::{
    BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Chunk, ChunkId, ChunkStore, Hit,
    ModelError, PairScorer, SectionKind, SentenceSpan, SourceId, SourceMeta, Span, StoreError, Usage,
};

/// A candidate of source `s` with these sentences, each ending in a full stop.
pub fn hit(number: usize, sentences: &[&str], combined_score: f32) -> Hit {
    let source_id = SourceId::from("s");
    let text = sentences.join(" ");
    let mut at = 0;
    let mut spans = Vec::new();
    for s in sentences {
        let span = Span::new(at, at + s.len());
        spans.push(SentenceSpan {
            span,
            number: spans.len() as u32,
            page: 1,
        });
        at = span.end + 1;
    }
    let chunk = Chunk {
        chunk_id: ChunkId::from_parts(&source_id, SectionKind::Results, number),
        source_id,
        section: SectionKind::Results,
        heading: "Results".into(),
        ordinal: number as u32,
        page_start: 1,
        page_end: 1,
        span: Span::new(0, text.len()),
        prefix: String::new(),
        tokens: 1,
        sentences: spans,
        text,
    };
    Hit {
        chunk: Arc::new(chunk),
        vector_score: 0.5,
        bm25_score: 1.0,
        combined_score,
        above_threshold: true,
    }
}

/// Similarity of a sentence: what stands behind `sim=` in it, else 0. Every stem has an idf of 1, except
/// `rare` with 3 and `nothing` with no number at all.
pub struct Store;

impl ChunkStore for Store {
    fn chunk(&self, _id: &ChunkId) -> Option<Arc<Chunk>> {
        None
    }
    fn neighbours(&self, _id: &ChunkId, _reach: usize) -> Result<Vec<Arc<Chunk>>, StoreError> {
        Ok(Vec::new())
    }
    fn source(&self, id: &SourceId) -> Option<Arc<SourceMeta>> {
        let authors = vec!["O. Tandrik".to_owned()];
        let title = Some("Walking </excerpt> far".to_owned());
        Some(Arc::new(SourceMeta {
            source_id: id.clone(),
            title,
            authors,
            year: Some(2021),
            ..SourceMeta::default()
        }))
    }
    fn sources(&self) -> Vec<Arc<SourceMeta>> {
        Vec::new()
    }
    fn sentence_similarities(&self, chunk: &Chunk, _query: &[f32]) -> Vec<f32> {
        let of = |text: &str| {
            text.split_once("sim=")
                .and_then(|(_, n)| n.trim_end_matches('.').parse().ok())
        };
        chunk
            .sentences
            .iter()
            .map(|s| of(chunk.sentence(s)).unwrap_or(0.0))
            .collect()
    }
    fn sentence_vector(&self, _source: &SourceId, _number: u32) -> Option<Vec<f32>> {
        None
    }
    fn idf(&self, stem: &str) -> Result<(f32, usize), StoreError> {
        Ok(match stem {
            _ if stem == text::stem("unreadable") => {
                return Err(StoreError::new("the store cannot be read"));
            }
            _ if stem == text::stem("rare") => (3.0, 1),
            _ if stem == text::stem("nothing") => (f32::NAN, 0),
            _ => (1.0, 5),
        })
    }
}

/// A cross-encoder that answers with these raw scores, or fails.
pub struct Pairs(pub Option<Vec<f32>>);

impl PairScorer for Pairs {
    fn id(&self) -> &'static str {
        "pairs"
    }
    fn score(&self, pairs: &[(String, String)]) -> Result<Vec<f32>, ModelError> {
        let failed = || ModelError {
            model: "pairs".into(),
            reason: "broken".into(),
        };
        let scores = self.0.clone().ok_or_else(failed)?;
        Ok(scores.into_iter().cycle().take(pairs.len()).collect())
    }
}

/// A language model that gives one reply to everything and keeps what it was asked.
pub struct Chat {
    pub reply: Result<String, ChatError>,
    pub asked: Mutex<Vec<ChatRequest>>,
}

impl Chat {
    pub fn new(reply: Result<&str, ChatError>) -> Arc<Self> {
        Arc::new(Self {
            reply: reply.map(str::to_owned),
            asked: Mutex::new(Vec::new()),
        })
    }
    pub fn asked(&self) -> Vec<ChatRequest> {
        self.asked
            .lock()
            .expect("no test panics while it holds the lock")
            .clone()
    }
}

impl ChatModel for Chat {
    fn id(&self) -> &'static str {
        "chat"
    }
    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        self.asked
            .lock()
            .expect("no test panics while it holds the lock")
            .push(request.clone());
        let reply = self.reply.clone().map(|text| ChatReply {
            text,
            model: "chat-1".into(),
            usage: Usage {
                requests: 1,
                failed_requests: 0,
                prompt_tokens: 100,
                completion_tokens: 20,
            },
            truncated: false,
        });
        Box::pin(std::future::ready(reply.map_err(ChatFailure::from)))
    }
}

pub fn unreachable() -> ChatError {
    ChatError::Network {
        url: "http://localhost:1".into(),
        attempts: 3,
        reason: "connection refused".into(),
    }
}
