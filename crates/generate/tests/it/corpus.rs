//! A hand-made corpus: chunks by the sentence, with sentence vectors that are bags of stems, so that
//! sentences are alike exactly as far as they share words.

use std::{collections::BTreeMap, sync::Arc};
use types::{
    Chunk, ChunkId, Context, ContextChunk, Evidence, Filter, GenerationInput, Mode, Origin, Question,
    RankedSentence, Ranking, SectionKind, SentenceData, SentenceSpan, SourceId, SourceMeta, Span,
    TermStatistics,
};

/// Length of a vector: large enough that few stems share a place.
const DIMENSION: usize = 512;

/// Chunks of the index that are in no context.
const ELSEWHERE: usize = 50;

/// The unit vector of a text.
pub(crate) fn vector(text: &str) -> Vec<f32> {
    let mut out = vec![0.0; DIMENSION];
    for term in text::terms(text) {
        let hash = term.stem.bytes().fold(17_usize, |h, b| h.wrapping_mul(131).wrapping_add(usize::from(b)));
        out[hash % DIMENSION] += 1.0;
    }
    let length = out.iter().map(|x: &f32| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in &mut out {
            *x /= length;
        }
    }
    out
}

/// Chunks in the order of a context, and what is stored of them.
#[derive(Default)]
pub(crate) struct Corpus {
    pub(crate) context: Context,
    vectors: BTreeMap<(SourceId, u32), Vec<f32>>,
    /// Similarities of the sentences of every chunk, instead of the true ones.
    pub(crate) lies: Option<Vec<f32>>,
}

impl Corpus {
    /// Adds a chunk whose sentences are numbered from `first` on.
    pub(crate) fn add(
        &mut self,
        source: &str,
        section: SectionKind,
        first: u32,
        sentences: &[&str],
    ) -> &mut Self {
        let mut text = String::new();
        let mut spans = Vec::new();
        for sentence in sentences {
            if !text.is_empty() {
                text.push(' ');
            }
            spans.push(Span::new(text.len(), text.len() + sentence.len()));
            text.push_str(sentence);
        }
        self.add_text(source, section, first, text, &spans)
    }

    /// Adds a chunk of a text whose sentences stand at `spans`.
    pub(crate) fn add_text(
        &mut self,
        source: &str,
        section: SectionKind,
        first: u32,
        text: String,
        spans: &[Span],
    ) -> &mut Self {
        let source_id = SourceId::from(source);
        let number = self.context.chunks.len();
        let sentence = |(n, span): (u32, &Span)| SentenceSpan { span: *span, number: first + n, page: n + 1 };
        let sentences: Vec<SentenceSpan> = (0..).zip(spans).map(sentence).collect();
        for s in &sentences {
            let key = (source_id.clone(), s.number);
            self.vectors.insert(key, vector(s.span.slice(&text).unwrap_or_default()));
        }
        let chunk = Chunk {
            chunk_id: ChunkId::from_parts(&source_id, section, number),
            source_id: source_id.clone(),
            section,
            heading: String::new(),
            ordinal: number as u32,
            page_start: 1,
            page_end: spans.len().max(1) as u32,
            span: Span::new(0, text.len()),
            prefix: String::new(),
            text,
            tokens: 0,
            sentences,
            table_head: Vec::new(),
        };
        let (author, year) = source.split_once('_').unwrap_or((source, "2020"));
        let mut surname = author.to_owned();
        surname[..1].make_ascii_uppercase();
        let source = SourceMeta {
            source_id,
            title: Some(format!("A study by {surname}")),
            authors: vec![format!("Ada {surname}")],
            year: year.parse().ok(),
            ..SourceMeta::default()
        };
        self.context.chunks.push(ContextChunk {
            chunk: Arc::new(chunk),
            source: Arc::new(source),
            sentences: Arc::default(),
            origin: Origin::Reranked,
            vector_score: 0.5,
            bm25_score: 1.0,
            combined_score: 0.5,
            rerank_score: Some(5.0),
        });
        self
    }
}

impl Corpus {
    /// What `work` makes of a question over this corpus, whose sentences are ranked by the fitted model.
    pub(crate) fn asked<T>(
        &self,
        query: &str,
        vector: &[f32],
        work: impl FnOnce(GenerationInput<'_>) -> T,
    ) -> T {
        let question = question::analyse(query, vector.to_vec(), Mode::Hybrid, Filter::default());
        let (context, statistics) = (self.measured(vector), self.statistics(&question));
        work(GenerationInput {
            question: &question,
            ranking: &evidence::rank(&question, &context, &statistics, None).expect("nothing can fail"),
            context: &context,
            statistics: &statistics,
            evidence: Evidence::Sufficient,
        })
    }

    /// The same with this ranking.
    pub(crate) fn asked_with<T>(
        &self,
        query: &str,
        ranking: &Ranking,
        evidence: Evidence,
        work: impl FnOnce(GenerationInput<'_>) -> T,
    ) -> T {
        let vector = vector(query);
        let question = question::analyse(query, vector.clone(), Mode::Hybrid, Filter::default());
        work(GenerationInput {
            question: &question,
            context: &self.measured(&vector),
            ranking,
            statistics: &self.statistics(&question),
            evidence,
        })
    }

    /// A ranking of the sentences of the context, whose probabilities are given in the order of the context. Sentences
    /// without one are not ranked. The probability of the whole is that of the best sentence.
    pub(crate) fn ranking(&self, probabilities: &[f32]) -> Ranking {
        let places = self.context.chunks.iter().enumerate().flat_map(|(chunk, place)| {
            let sentences = 0..place.chunk.sentences.len();
            sentences.map(move |sentence| (chunk, sentence))
        });
        let mut sentences: Vec<RankedSentence> = places
            .zip(probabilities)
            .map(|((chunk, sentence), probability)| RankedSentence {
                chunk,
                sentence,
                probability: *probability,
            })
            .collect();
        sentences.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        let best = sentences.first().map_or(0.0, |best| best.probability);
        Ranking { sentences, probability: best, answerable: best }
    }

    /// The context with what is stored of its sentences.
    fn measured(&self, query: &[f32]) -> Context {
        let mut context = self.context.clone();
        for place in &mut context.chunks {
            let chunk = &place.chunk;
            let stored = |s: &SentenceSpan| self.vectors[&(chunk.source_id.clone(), s.number)].clone();
            let vectors: Vec<Vec<f32>> = chunk.sentences.iter().map(stored).collect();
            let dot = |v: &Vec<f32>| v.iter().zip(query).map(|(a, b)| a * b).sum::<f32>();
            let similarities = match &self.lies {
                _ if query.is_empty() => Vec::new(),
                Some(lies) => lies.clone(),
                None => vectors.iter().map(dot).collect(),
            };
            place.sentences = Arc::new(SentenceData::new(similarities, vectors));
        }
        context
    }

    /// As if the index held more chunks, on other subjects.
    fn statistics(&self, question: &Question) -> TermStatistics {
        let chunks = &self.context.chunks;
        let holding = |stem: &str| {
            let holds = |c: &&ContextChunk| text::terms(&c.chunk.text).iter().any(|t| t.stem == stem);
            (stem.to_owned(), chunks.iter().filter(holds).count())
        };
        TermStatistics {
            chunks: chunks.len() + ELSEWHERE,
            frequencies: question.stems().into_iter().map(holding).collect(),
        }
    }
}
