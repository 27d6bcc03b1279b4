//! What can be measured of a question and its context, apart from any cut-off.

use super::known::KnownSources;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use text::entities::{EntityKind, Ground};
use types::{
    Context, ContextChunk, Question, QuestionEntity, QuestionTerm, Span, StoredSource, TermStatistics,
    metadata_text, words::distinct,
};

/// Measurements that the topic check decides from. They hold no cut-off, so that cut-offs can be fitted to
/// labelled questions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a measurement of its own")]
pub struct Features {
    /// Chunks in the context.
    pub candidates: usize,
    /// Share of the question's distinct terms, weighted by idf, that stand in the context's text or in the
    /// title, authors or year of its sources, `0..=1`. A term that the corpus does not hold has the highest
    /// idf. `None` when the question has no terms or is clearly not in English.
    pub coverage: Option<f32>,
    /// The same share within the one sentence that holds most of it.
    pub best_sentence_coverage: Option<f32>,
    /// Whether the question is clearly not in English, so that its terms were not looked for.
    #[serde(default)]
    pub other_language: bool,
    /// Whether it asks about the library, not about what papers say.
    #[serde(default)]
    pub about_library: bool,
    /// `max(0, cosine)` of the question and the closest sentence of the context, `0..=1`; `None` without a
    /// vector of the question.
    pub similarity: Option<f32>,
    /// The estimated probability that the papers answer the question, `0..=1`.
    #[serde(default)]
    pub answerable: f32,
    /// The estimated probability that the best sentences of the context answer it, `0..=1`.
    #[serde(default)]
    pub probability: f32,
    /// Whether the question is asked of every study ([`types::StudyItem`]).
    #[serde(default)]
    pub study_item: bool,
    /// The question's terms that the context lacks, as they stand in the question, in its order.
    pub missing: Vec<String>,
    /// Symbols of the question (genes, acronyms, codes) that stand in no chunk of the corpus and in no source's title or
    /// authors. A name may be said in other words: "Nigerian".
    pub absent_entities: Vec<String>,
    /// How many sources the question names ("Zhang et al. 2021") or describes ("the clock review").
    pub named_sources: usize,
    /// Those of them that match no source of the corpus and no text of the context.
    pub unknown_sources: Vec<String>,
    /// Whether the context holds a paper without known authors that may be one of these.
    pub anonymous_candidate: bool,
}

/// Measures a question against its context; see [`crate::check_topic`] for the arguments.
pub fn features(
    question: &Question,
    context: &Context,
    statistics: &TermStatistics,
    mentioned: &[StoredSource],
) -> Features {
    let mut out = Features {
        candidates: context.chunks.len(),
        similarity: similarity(question, context),
        other_language: question.other_language(),
        about_library: super::library::is_about_library(&question.text),
        study_item: question.study_item.is_some(),
        named_sources: question.named_sources.len().max(question.compared().len()),
        ..Features::default()
    };
    if !out.other_language {
        cover(question, context, statistics, &mut out);
        out.absent_entities = absent_entities(question, context, statistics, mentioned);
    }
    if question.named_sources.is_empty() {
        return out;
    }
    let known = KnownSources::new(context, mentioned);
    let unknown: Vec<_> = question.named_sources.iter().filter(|named| !known.knows(named)).collect();
    let mut named = question.named_sources.iter();
    out.anonymous_candidate = named.any(|named| known.may_be_anonymous(named));
    out.unknown_sources = unknown.into_iter().map(|named| named.text.clone()).collect();
    out
}

/// The closest sentence of all chunks; a chunk without stored sentences speaks through its own score.
fn similarity(question: &Question, context: &Context) -> Option<f32> {
    if question.vector.is_empty() || context.chunks.is_empty() {
        return None;
    }
    let of = |c: &ContextChunk| {
        let sentences = &c.sentences.similarities;
        if sentences.is_empty() { c.vector_score } else { sentences.iter().copied().fold(0.0, f32::max) }
    };
    // `max` passes over NaN.
    Some(context.chunks.iter().map(of).fold(0.0, f32::max).min(1.0))
}

/// Share of the mean weight of the question's terms from which a term is worth naming.
const LEAST: f32 = 0.5;

fn cover(question: &Question, context: &Context, statistics: &TermStatistics, out: &mut Features) {
    let order: Vec<&QuestionTerm> =
        question.distinct_terms().filter(|term| question.asks_for(term, statistics)).collect();
    let wanted: BTreeMap<&str, f32> =
        order.iter().map(|term| (term.stem.as_str(), statistics.idf(&term.stem))).collect();
    let all: f32 = wanted.values().sum();
    if all <= 0.0 || context.chunks.is_empty() {
        return;
    }
    let weight = |found: &BTreeSet<&str>| {
        // An empty sum of floats is -0.
        found.iter().filter_map(|stem| wanted.get(stem)).fold(0.0, |sum: f32, weight| sum + weight)
    };
    // A term is found if one text holds the term, or all of another form.
    let held_by = |stems: &BTreeSet<String>| -> BTreeSet<&str> {
        let held = order.iter().filter(|term| question.is_found(term, |stem| stems.contains(stem)));
        held.map(|term| term.stem.as_str()).collect()
    };
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut best = 0.0_f32;
    for c in &context.chunks {
        for stems in c.sentence_stems() {
            let held = held_by(stems);
            best = best.max(weight(&held));
            found.extend(held);
        }
        let mut look = |text: &str| {
            // Most questions are covered before this.
            if found.len() < wanted.len() {
                found.extend(held_by(&text::stems(text)));
            }
        };
        look(&c.chunk.text);
        look(&c.chunk.heading);
        look(c.chunk.section.as_str());
        look(&metadata_text(&c.source));
    }
    // Of the spellings of one word, one is enough.
    let otherwise = |term: &QuestionTerm| {
        let other = |o: &&QuestionTerm| o.span == term.span && found.contains(o.stem.as_str());
        !found.contains(term.stem.as_str()) && order.iter().any(other)
    };
    let spare: BTreeSet<&str> =
        order.iter().filter(|term| otherwise(term)).map(|term| term.stem.as_str()).collect();
    let needed = wanted.iter().filter(|(stem, _)| !spare.contains(*stem));
    let total: f32 = needed.map(|(_, weight)| weight).sum();
    out.coverage = Some((weight(&found) / total).min(1.0));
    out.best_sentence_coverage = Some((best / total).min(1.0));
    let mean = total / wanted.len().max(1) as f32;
    let lost = |stem: &str| wanted[stem] >= LEAST * mean && !found.contains(stem) && !spare.contains(stem);
    out.missing = order.iter().filter(|term| lost(&term.stem)).map(|term| term.word.clone()).collect();
}

/// Symbols that the corpus does not hold: looked for in the context's text, in what is known of the sources
/// that may hold them, and, word by word, among the stems of the corpus.
fn absent_entities(
    question: &Question,
    context: &Context,
    statistics: &TermStatistics,
    mentioned: &[StoredSource],
) -> Vec<String> {
    if question.entities.is_empty() {
        return Vec::new();
    }
    let mut ground = Ground::default();
    for source in mentioned {
        ground.add(&metadata_text(&source.meta));
    }
    for c in &context.chunks {
        ground.add(&c.chunk.text);
        ground.add(&metadata_text(&c.source));
    }
    let in_a_source = |text: &str| question.named_sources.iter().any(|named| named.text.contains(text));
    let in_no_chunk = |entity: &QuestionEntity| {
        let span = Span::new(entity.entity.span.start, entity.entity.span.end);
        let mut forms = question.other_forms.iter().filter(|form| form.span.overlaps(span));
        let held = |stem: &str| statistics.frequency(stem) > 0;
        !entity.stems.iter().all(|stem| held(stem)) && !forms.any(|form| form.is_found(held))
    };
    let absent = |of_question: &&QuestionEntity| {
        let entity = &of_question.entity;
        let is_symbol = entity.kind == EntityKind::Symbol;
        is_symbol && !ground.holds(entity) && !in_a_source(&entity.text) && in_no_chunk(of_question)
    };
    distinct(question.entities.iter().filter(absent).map(|own| own.entity.text.clone()))
}
