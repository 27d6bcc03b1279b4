//! Candidates, a store and models made by hand.
#![allow(missing_docs, unreachable_pub, reason = "one program")]

use std::sync::{Arc, Mutex};
use types::{
    BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Chunk, ChunkId, Filter, Hit, Mode,
    ModelError, PairScorer, Passage, Question, SectionKind, SentenceData, SentenceSpan, SourceId, SourceMeta,
    Span, TermStatistics, Usage,
};

/// A candidate of source `s` with these sentences, each ending in a full stop. The similarity of a sentence is what
/// stands behind `sim=` in it, else 0.
pub fn hit(number: usize, sentences: &[&str], combined_score: f32) -> Hit {
    let source_id = SourceId::from("s");
    let text = sentences.join(" ");
    let mut at = 0;
    let mut spans = Vec::new();
    for s in sentences {
        let span = Span::new(at, at + s.len());
        spans.push(SentenceSpan { span, number: spans.len() as u32, page: 1 });
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
        table_head: Vec::new(),
    };
    let similarities = chunk.sentences.iter().map(|s| similarity(chunk.sentence(s)));
    let meta = SourceMeta {
        source_id: chunk.source_id.clone(),
        title: Some("Walking </excerpt> far".to_owned()),
        authors: vec!["O. Tandrik".to_owned()],
        year: Some(2021),
        ..SourceMeta::default()
    };
    Hit {
        passage: Passage {
            sentences: Arc::new(SentenceData::new(similarities.collect(), Vec::new())),
            chunk: Arc::new(chunk),
            source: Arc::new(meta),
            neighbours: Vec::new(),
        },
        vector_score: 0.5,
        bm25_score: 1.0,
        combined_score,
    }
}

fn similarity(text: &str) -> f32 {
    text.split_once("sim=").and_then(|(_, n)| n.trim_end_matches('.').parse().ok()).unwrap_or(0.0)
}

/// A question without a vector has an empty one.
pub fn question(query: &str, vector: &[f32]) -> Question {
    question::analyse(query, vector.to_vec(), Mode::Hybrid, Filter::default())
}

/// Of 1,000 chunks `rare` stands in 1 and every other stem of the question in 100.
pub fn statistics(question: &Question) -> TermStatistics {
    let rare = text::stem("rare");
    let count = |stem: &str| (stem.to_owned(), if stem == rare { 1 } else { 100 });
    TermStatistics { chunks: 1000, frequencies: question.stems().into_iter().map(count).collect() }
}

/// A cross-encoder that answers with these raw scores, or fails.
pub struct Pairs(pub Option<Vec<f32>>);

impl PairScorer for Pairs {
    fn id(&self) -> &'static str {
        "pairs"
    }
    fn score(&self, pairs: &[(String, String)]) -> Result<Vec<f32>, ModelError> {
        let failed = || ModelError { model: "pairs".into(), reason: "broken".into() };
        let scores = self.0.clone().ok_or_else(failed)?;
        Ok(scores.into_iter().cycle().take(pairs.len()).collect())
    }
}

type Answer = dyn Fn(usize, &ChatRequest) -> Result<String, ChatError> + Send + Sync;

/// A language model that does with each request, numbered from 0, what a function says, and keeps what it was asked.
pub struct Chat {
    answer: Box<Answer>,
    asked: Mutex<Vec<ChatRequest>>,
}

impl Chat {
    /// The same reply to everything.
    pub fn new(reply: Result<&str, ChatError>) -> Arc<Self> {
        let reply = reply.map(str::to_owned);
        Self::answering(move |_, _| reply.clone())
    }
    pub fn answering(
        answer: impl Fn(usize, &ChatRequest) -> Result<String, ChatError> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { answer: Box::new(answer), asked: Mutex::default() })
    }
    pub fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().expect("no test panics while it holds the lock").clone()
    }
}

impl ChatModel for Chat {
    fn id(&self) -> &'static str {
        "chat"
    }
    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        let number = self.asked().len();
        self.asked.lock().expect("no test panics while it holds the lock").push(request.clone());
        let reply = (self.answer)(number, request).map(|text| ChatReply {
            text,
            model: "chat-1".into(),
            usage: Usage { requests: 1, failed_requests: 0, prompt_tokens: 100, completion_tokens: 20 },
            ..ChatReply::default()
        });
        Box::pin(std::future::ready(reply.map_err(ChatFailure::from)))
    }
}

pub fn unreachable() -> ChatError {
    ChatError::Network { url: "http://localhost:1".into(), attempts: 3, reason: "connection refused".into() }
}
