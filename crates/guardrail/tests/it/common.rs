//! Contexts, answers and a store made by hand.
#![allow(missing_docs, unreachable_pub, reason = "one program")]

use guardrail::{Features, Guarded, GuardrailSettings, Topic, TopicSettings};
use std::{collections::BTreeMap, sync::Arc};
use types::{
    Chunk, ChunkId, Citation, Confidence, Context, ContextChunk, Filter, Mode, Origin, OtherForm, Question,
    QuestionTerm, RagResponse, Ranking, SectionKind, SentenceData, SentenceSpan, SourceMeta, Span,
    StoredSource, SupportScorer, TermStatistics,
};

/// Verifies without instructions and verdicts of a language model.
pub fn verify(
    query: &str,
    response: RagResponse,
    context: &Context,
    settings: &GuardrailSettings,
    scorer: &dyn SupportScorer,
) -> Guarded {
    guardrail::verify(query, response, context, &[], settings, scorer, &[])
}

/// A chunk of `source`, `results__NNN`, with a page for each sentence, the first being page `number + 1`.
pub fn chunk(source: &SourceMeta, number: usize, sentences: &[&str]) -> ContextChunk {
    let text = sentences.join(" ");
    let first = number as u32 + 1;
    let mut at = 0;
    let mut spans = Vec::new();
    for s in sentences {
        let span = Span::new(at, at + s.len());
        spans.push(SentenceSpan { span, number: spans.len() as u32, page: first + spans.len() as u32 });
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
        table_head: Vec::new(),
    };
    ContextChunk {
        chunk: Arc::new(chunk),
        source: Arc::new(source.clone()),
        sentences: Arc::default(),
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
    RagResponse { answer: text.into(), citations, confidence: Confidence::High, ..RagResponse::default() }
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
                &["Adherence was 57.5–72.5 min/day in both groups.", "Smoking was an exclusion criterion."],
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
}

impl Corpus {
    pub fn new(words: &[(&str, usize)], similarity: f32) -> Self {
        let chunks_with = words.iter().map(|(w, n)| (text::stem(w), *n)).collect();
        let mut sources: Vec<SourceMeta> = context().chunks.iter().map(|c| (*c.source).clone()).collect();
        sources.dedup();
        sources.push(source("okafor_2018", "Sleep in shift workers", &["Ada Okafor"], Some(2018)));
        Self { chunks_with, similarity, sources }
    }
}

impl Corpus {
    fn statistics(&self, question: &Question) -> TermStatistics {
        let frequency = |stem: &str| (stem.to_owned(), self.chunks_with.get(stem).copied().unwrap_or(0));
        TermStatistics { chunks: 100, frequencies: question.stems().into_iter().map(frequency).collect() }
    }

    fn mentioned(&self) -> Vec<StoredSource> {
        let stored =
            |meta: &SourceMeta| StoredSource { meta: Arc::new(meta.clone()), ..StoredSource::default() };
        self.sources.iter().map(stored).collect()
    }

    /// The context with the similarity of every sentence; none for a question without a vector.
    fn measured(&self, context: &Context, vector: &[f32]) -> Context {
        let mut context = context.clone();
        for place in context.chunks.iter_mut().filter(|_| !vector.is_empty()) {
            let similarities = vec![self.similarity; place.chunk.sentences.len()];
            place.sentences = Arc::new(SentenceData::new(similarities, Vec::new()));
        }
        context
    }
}

fn question(query: &str, vector: &[f32]) -> Question {
    question::analyse(query, vector.to_vec(), Mode::Hybrid, Filter::default())
}

/// The topic check of a question whose answer is certain, as far as probabilities decide.
pub fn check_topic(
    query: &str,
    vector: &[f32],
    context: &Context,
    corpus: &Corpus,
    settings: &TopicSettings,
) -> Topic {
    let ranking = estimated(1.0, 1.0);
    check_estimated(query, vector, context, corpus, &ranking, settings)
}

/// A ranking with these probabilities that the papers, and that the best sentences, answer.
pub fn estimated(answerable: f32, probability: f32) -> Ranking {
    Ranking { answerable, probability, ..Ranking::default() }
}

/// The topic check of a question with estimated probabilities.
pub fn check_estimated(
    query: &str,
    vector: &[f32],
    context: &Context,
    corpus: &Corpus,
    ranking: &Ranking,
    settings: &TopicSettings,
) -> Topic {
    let question = question(query, vector);
    let context = corpus.measured(context, vector);
    guardrail::check_topic(
        &question,
        &context,
        &corpus.statistics(&question),
        &corpus.mentioned(),
        ranking,
        settings,
    )
}

/// The features of a question.
pub fn features(query: &str, vector: &[f32], context: &Context, corpus: &Corpus) -> Features {
    features_of(&question(query, vector), context, corpus)
}

/// The features of a question whose first term has another form.
pub fn features_with_form(query: &str, form: &str, context: &Context, corpus: &Corpus) -> Features {
    let mut question = question(query, &[1.0]);
    let span = question.terms[0].span;
    let term =
        |term: text::Term| QuestionTerm { word: term.stem.clone(), stem: term.stem, span, after_how: false };
    question.other_forms = vec![OtherForm {
        text: form.to_owned(),
        span,
        terms: text::terms(form).into_iter().map(term).collect(),
        is_long: true,
    }];
    features_of(&question, context, corpus)
}

fn features_of(question: &Question, context: &Context, corpus: &Corpus) -> Features {
    let context = corpus.measured(context, &question.vector);
    let statistics = corpus.statistics(question);
    guardrail::features(question, &context, &statistics, &corpus.mentioned())
}
