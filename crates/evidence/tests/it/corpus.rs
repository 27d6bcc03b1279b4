//! Contexts made by hand.

use evidence::{FEATURES, Measured};
use std::sync::Arc;
use types::{
    Chunk, ChunkId, Context, ContextChunk, Filter, Mode, Origin, Question, Ranking, SectionKind,
    SentenceData, SentenceSpan, SourceMeta, Span, TermStatistics,
};

/// The measured sentences, which no reader has read.
pub(crate) fn measure(question: &Question, context: &Context, statistics: &TermStatistics) -> Vec<Measured> {
    evidence::measure(question, context, statistics, None).expect("nothing can fail")
}

/// The ranking, where no reader has read.
pub(crate) fn rank(question: &Question, context: &Context, statistics: &TermStatistics) -> Ranking {
    evidence::rank(question, context, statistics, None).expect("nothing can fail")
}

/// A question without a vector: similarities are given by the context.
pub(crate) fn question(query: &str) -> Question {
    question::analyse(query, Vec::new(), Mode::Hybrid, Filter::default())
}

/// A store of 100 chunks, of which this many hold each stem; of all other stems there are none.
pub(crate) fn statistics(holding: &[(&str, usize)]) -> TermStatistics {
    TermStatistics {
        chunks: 100,
        frequencies: holding.iter().map(|(word, chunks)| (text::stem(word), *chunks)).collect(),
    }
}

pub(crate) fn source(id: &str, title: &str, authors: &[&str], year: u16) -> SourceMeta {
    SourceMeta {
        source_id: id.into(),
        title: Some(title.to_owned()),
        authors: authors.iter().map(|author| (*author).to_owned()).collect(),
        year: Some(year),
        ..SourceMeta::default()
    }
}

/// A found chunk of these sentences, each with its similarity. Sentences are numbered from `first` on.
pub(crate) fn chunk(source: &SourceMeta, first: u32, sentences: &[(&str, f32)]) -> ContextChunk {
    let mut text = String::new();
    let mut spans = Vec::new();
    for (sentence, _) in sentences {
        if !text.is_empty() {
            text.push(' ');
        }
        spans.push(Span::new(text.len(), text.len() + sentence.len()));
        text.push_str(sentence);
    }
    let similarities = sentences.iter().map(|(_, similarity)| *similarity).collect();
    of_text(source, first, text, &spans, similarities)
}

/// A found chunk of this text, with sentences at these places.
pub(crate) fn of_text(
    source: &SourceMeta,
    first: u32,
    text: String,
    spans: &[Span],
    similarities: Vec<f32>,
) -> ContextChunk {
    let section = SectionKind::Results;
    let sentence = |(number, span): (u32, &Span)| SentenceSpan { span: *span, number, page: 1 };
    let chunk = Chunk {
        chunk_id: ChunkId::from_parts(&source.source_id, section, first as usize),
        source_id: source.source_id.clone(),
        section,
        heading: String::new(),
        ordinal: first,
        page_start: 1,
        page_end: 1,
        span: Span::new(0, text.len()),
        prefix: String::new(),
        tokens: 1,
        sentences: (first..).zip(spans).map(sentence).collect(),
        text,
        table_head: Vec::new(),
    };
    ContextChunk {
        chunk: Arc::new(chunk),
        source: Arc::new(source.clone()),
        sentences: Arc::new(SentenceData::new(similarities, Vec::new())),
        origin: Origin::Reranked,
        vector_score: 0.5,
        bm25_score: 1.0,
        combined_score: 0.5,
        rerank_score: Some(5.0),
    }
}

/// The same chunk as a neighbour of one that was found.
pub(crate) fn neighbour(chunk: &ContextChunk) -> ContextChunk {
    ContextChunk {
        sentences: Arc::new(SentenceData::new(chunk.sentences.similarities.clone(), Vec::new())),
        origin: Origin::Expanded,
        rerank_score: None,
        bm25_score: 0.0,
        ..chunk.clone()
    }
}

/// A feature by its name.
pub(crate) fn value(measured: &Measured, feature: &str) -> f32 {
    let at = FEATURES.iter().position(|name| *name == feature);
    measured.features.values()[at.unwrap_or_else(|| panic!("no feature {feature}"))]
}

/// Compares a feature of all sentences with values worked by hand.
#[track_caller]
pub(crate) fn check(measured: &[Measured], feature: &str, want: &[f32]) {
    let found: Vec<f32> = measured.iter().map(|each| value(each, feature)).collect();
    let close = |(found, want): (&f32, &f32)| (found - want).abs() < 1e-4;
    assert!(
        found.len() == want.len() && found.iter().zip(want).all(close),
        "{feature}: {found:?} instead of {want:?}"
    );
}
