//! What can be measured of a question and its context, apart from any cut-off.

use super::named::{NamedSource, SourceIndex, named_sources};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};
use text::entities::{EntityKind, Ground, entities};
use types::{ChunkStore, Context, ContextChunk, SourceMeta, StoreError};

/// Measurements that the topic check decides from. They hold no cut-off, so that cut-offs can be fitted to
/// labelled questions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// `max(0, cosine)` of the question and the closest sentence of the context, `0..=1`; `None` without a
    /// vector of the question.
    pub similarity: Option<f32>,
    /// The question's terms that the context lacks, as they stand in the question, in its order.
    pub missing: Vec<String>,
    /// Those of them that no chunk of the whole corpus holds.
    pub absent: Vec<String>,
    /// Symbols and names of the question that stand in no chunk of the corpus and in no source's title or
    /// authors. Authors named with a year are among [`Self::unknown_sources`] instead.
    pub absent_entities: Vec<String>,
    /// How many sources the question names ("Zhang et al. 2021").
    pub named_sources: usize,
    /// Those of them that match no source of the corpus and no text of the context.
    pub unknown_sources: Vec<String>,
    /// Whether the context holds a paper without known authors that may be one of these.
    pub anonymous_candidate: bool,
}

/// Measures a question against its context. `query_vector` is empty where there is none.
///
/// # Errors
/// When the index cannot be read.
pub fn features(
    query: &str,
    query_vector: &[f32],
    context: &Context,
    store: &dyn ChunkStore,
) -> Result<Features, StoreError> {
    let mut out = Features {
        candidates: context.chunks.len(),
        ..Features::default()
    };
    out.similarity = similarity(query_vector, context, store);
    let named = named_sources(query);
    out.other_language = !text::looks_english(query);
    if !out.other_language {
        cover(query, context, store, &mut out)?;
        out.absent_entities = absent_entities(query, &named, context, store)?;
    }
    out.named_sources = named.len();
    if named.is_empty() {
        return Ok(out);
    }
    let index = SourceIndex::new(context, store);
    let unknown: Vec<_> = named.into_iter().filter(|n| !index.knows(n)).collect();
    out.anonymous_candidate = unknown.iter().any(|n| index.may_be_anonymous(n));
    out.unknown_sources = unknown.into_iter().map(|n| n.text).collect();
    Ok(out)
}

/// The closest sentence of all chunks; a chunk without stored sentences speaks through its own score.
fn similarity(query_vector: &[f32], context: &Context, store: &dyn ChunkStore) -> Option<f32> {
    if query_vector.is_empty() || context.chunks.is_empty() {
        return None;
    }
    let of = |c: &ContextChunk| {
        let sentences = store.sentence_similarities(&c.chunk, query_vector);
        if sentences.is_empty() {
            c.vector_score
        } else {
            sentences.into_iter().fold(0.0, f32::max)
        }
    };
    // `max` passes over NaN.
    Some(context.chunks.iter().map(of).fold(0.0, f32::max).min(1.0))
}

/// A term of the question.
struct Wanted {
    word: String,
    weight: f32,
    chunks: usize,
}

fn cover(
    query: &str,
    context: &Context,
    store: &dyn ChunkStore,
    out: &mut Features,
) -> Result<(), StoreError> {
    let mut wanted: BTreeMap<String, Wanted> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for term in text::terms(query) {
        let word = query.get(term.span).unwrap_or_default();
        if let Entry::Vacant(new) = wanted.entry(term.stem) {
            let (idf, chunks) = store.idf(new.key())?;
            let weight = if idf.is_finite() { idf.max(0.0) } else { 0.0 };
            order.push(new.key().clone());
            new.insert(Wanted {
                word: word.to_owned(),
                weight,
                chunks,
            });
        }
    }
    let total: f32 = wanted.values().map(|w| w.weight).sum();
    if total <= 0.0 || context.chunks.is_empty() {
        return Ok(());
    }
    let weight = |found: &BTreeSet<String>| {
        found
            .iter()
            .filter_map(|s| wanted.get(s))
            .map(|w| w.weight)
            // An empty sum of floats is -0.
            .fold(0.0, |sum: f32, weight: f32| sum + weight)
    };
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut best = 0.0_f32;
    for c in &context.chunks {
        for sentence in &c.chunk.sentences {
            best = best.max(weight(&stems(c.chunk.sentence(sentence), &wanted)));
        }
        found.extend(stems(&c.chunk.text, &wanted));
        found.extend(stems(&c.chunk.heading, &wanted));
        found.extend(stems(c.chunk.section.as_str(), &wanted));
        found.extend(stems(&known_of(&c.source), &wanted));
    }
    out.coverage = Some((weight(&found) / total).min(1.0));
    out.best_sentence_coverage = Some((best / total).min(1.0));
    for stem in order {
        if let Some(lost) = wanted
            .get(&stem)
            .filter(|w| w.weight > 0.0 && !found.contains(&stem))
        {
            out.missing.push(lost.word.clone());
            if lost.chunks == 0 {
                out.absent.push(lost.word.clone());
            }
        }
    }
    Ok(())
}

/// Symbols and names that the corpus does not hold: looked for in the context's text, in what is known of all
/// sources, and, word by word, among the stems of the corpus.
fn absent_entities(
    query: &str,
    named: &[NamedSource],
    context: &Context,
    store: &dyn ChunkStore,
) -> Result<Vec<String>, StoreError> {
    let mut ground = Ground::default();
    for meta in &store.sources() {
        ground.add(&known_of(meta));
    }
    for c in &context.chunks {
        ground.add(&c.chunk.text);
        ground.add(&known_of(&c.source));
    }
    let in_a_source = |text: &str| named.iter().any(|n| n.text.contains(text));
    let in_no_chunk = |text: &str| {
        for term in text::terms(text) {
            if store.idf(&term.stem)?.1 == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let mut out: Vec<String> = Vec::new();
    for entity in entities(query)
        .into_iter()
        .filter(|e| e.kind != EntityKind::Number)
    {
        let absent = !ground.holds(&entity) && !in_a_source(&entity.text) && in_no_chunk(&entity.text)?;
        if absent && !out.contains(&entity.text) {
            out.push(entity.text);
        }
    }
    Ok(out)
}

/// Those of the wanted stems that stand in `text`.
fn stems(text: &str, wanted: &BTreeMap<String, Wanted>) -> BTreeSet<String> {
    text::terms(text)
        .into_iter()
        .map(|t| t.stem)
        .filter(|s| wanted.contains_key(s))
        .collect()
}

/// Title, authors, year and venue of a source as one text.
fn known_of(meta: &SourceMeta) -> String {
    let mut parts: Vec<String> = meta.title.iter().chain(&meta.venue).cloned().collect();
    parts.extend(meta.authors.iter().cloned());
    parts.extend(meta.year.map(|y| y.to_string()));
    parts.join(". ")
}
