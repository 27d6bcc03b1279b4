//! The sentences of a context, each with its relevance to the question.

use super::{
    asked::Asked,
    cue,
    fitness::{Fitness, assess},
};
use crate::ExtractiveSettings;
use std::collections::{BTreeMap, BTreeSet};
use text::{fold::fold, numbers::quantities};
use types::{Context, ContextChunk, Origin, SentenceSpan, SourceId};

/// A sentence that may be quoted.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    /// Where it stands.
    pub(super) place: &'a ContextChunk,
    /// Its span and number.
    pub(super) sentence: SentenceSpan,
    /// Its text.
    pub(super) text: &'a str,
    /// Its stems.
    pub(super) stems: &'a BTreeSet<String>,
    /// Its unit vector; empty without one.
    pub(super) vector: &'a [f32],
    /// Cosine with the question; `None` without vectors.
    pub(super) similarity: Option<f32>,
    /// Weighted part of the question's terms that it covers, 0 to 1.
    pub(super) coverage: f32,
    /// Relevance, 0 to 1, the same whatever else the context holds.
    pub(super) relevance: f32,
    /// Relevance with the hints of the question's wording: what sentences are ordered by.
    pub(super) rank: f32,
}

impl Candidate<'_> {
    /// The paper.
    pub(super) fn source(&self) -> &SourceId {
        &self.place.chunk.source_id
    }
    /// The name of the sentence: the same sentence in two overlapping chunks has the same.
    pub(super) fn key(&self) -> (&SourceId, u32) {
        (self.source(), self.sentence.number)
    }
}

/// Part of its parent's rank that a neighbour is given: it was not found, it stands beside what was found.
const NEIGHBOUR: f32 = 0.8;
/// Credit for a question's term that stands in the title or heading above a sentence, not in it.
const ABOVE: f32 = 0.5;
/// Factors for what the question's wording points at.
const NUMBER_HINT: f32 = 1.2;
const ROW_HINT: f32 = 0.8;
const SECTION_HIT: f32 = 1.3;
const SECTION_MISS: f32 = 0.8;
const SOURCE_HIT: f32 = 1.2;
const SOURCE_MISS: f32 = 0.6;

/// All sentences of the context that may be quoted, each once, the most relevant first.
pub(super) fn weigh<'a>(
    asked: &Asked,
    has_vector: bool,
    context: &'a Context,
    settings: &ExtractiveSettings,
) -> Vec<Candidate<'a>> {
    let weights = Weights::new(settings, has_vector);
    let mut found: BTreeMap<(&SourceId, u32), Candidate<'a>> = BTreeMap::new();
    let mut parent = 0.0;
    for place in &context.chunks {
        let standing = standing(place, &mut parent);
        let above = above(place);
        let similarities = &place.sentences.similarities;
        let stems_of = place.sentence_stems();
        for (number, sentence) in place.chunk.sentences.iter().enumerate() {
            let text = place.chunk.sentence(sentence);
            let form = match assess(text, settings) {
                Fitness::Unfit => continue,
                Fitness::TableRow if !asked.asks_number => continue,
                Fitness::TableRow => ROW_HINT,
                Fitness::Usable(factor) => factor,
            };
            let key = (&place.chunk.source_id, sentence.number);
            // A found chunk is a better place to cite than its neighbour.
            let reranked = |p: &ContextChunk| p.origin == Origin::Reranked;
            if found
                .get(&key)
                .is_some_and(|old| reranked(old.place) || !reranked(place))
            {
                continue;
            }
            let Some(stems) = stems_of.get(number) else {
                continue;
            };
            let similarity = similarities.get(number).copied().filter(|s| s.is_finite());
            let coverage = coverage(asked, stems, &above);
            let relevance = weights.relevance(similarity, coverage, standing);
            let rank = relevance * form * hints(asked, place, text);
            let sentence = *sentence;
            found.insert(
                key,
                Candidate {
                    place,
                    sentence,
                    text,
                    stems,
                    vector: place.sentences.vector(number).unwrap_or_default(),
                    similarity,
                    coverage,
                    relevance,
                    rank,
                },
            );
        }
    }
    let mut all: Vec<Candidate<'a>> = found.into_values().collect();
    all.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| a.key().cmp(&b.key())));
    all
}

/// How much each sign counts. Cosine and terms are evidence, and their parts sum to 1; the standing of the chunk
/// is none: it only takes up to `chunk` of the relevance away.
struct Weights {
    cosine: f32,
    lexical: f32,
    chunk: f32,
}

impl Weights {
    fn new(settings: &ExtractiveSettings, vectors: bool) -> Self {
        let part = |value: f32| {
            if value.is_finite() {
                value.clamp(0.0, 1.0)
            } else {
                0.0
            }
        };
        let lexical = part(settings.lexical_weight);
        let chunk = part(settings.chunk_weight);
        // Without vectors terms are all there is.
        let lexical = if vectors { lexical } else { 1.0 };
        Self {
            cosine: 1.0 - lexical,
            lexical,
            chunk,
        }
    }

    fn relevance(&self, similarity: Option<f32>, coverage: f32, standing: f32) -> f32 {
        let cosine = similarity.unwrap_or(0.0).clamp(0.0, 1.0);
        let evidence = self.cosine * cosine + self.lexical * coverage;
        evidence * (1.0 - self.chunk * (1.0 - standing))
    }
}

/// The chunk's own standing, 0 to 1: its rerank score, or a part of that of the chunk it is a neighbour of,
/// which stands before it.
fn standing(place: &ContextChunk, parent: &mut f32) -> f32 {
    match place.origin {
        Origin::Reranked => {
            let score = place.rerank_score.filter(|s| s.is_finite()).unwrap_or(0.0);
            *parent = (score / 10.0).clamp(0.0, 1.0);
            *parent
        }
        Origin::Expanded => NEIGHBOUR * *parent,
    }
}

/// Stems of what stands above the sentences of a chunk: the paper's title and the heading.
fn above(place: &ContextChunk) -> BTreeSet<String> {
    let title = place.source.title.as_deref().unwrap_or_default();
    text::terms(title)
        .into_iter()
        .chain(text::terms(&place.chunk.heading))
        .map(|t| t.stem)
        .collect()
}

/// Weighted part of the question's terms that the sentence covers. What stands above it counts too, but at
/// most as much as what the sentence says itself: a title alone makes no sentence relevant.
fn coverage(asked: &Asked, stems: &BTreeSet<String>, above: &BTreeSet<String>) -> f32 {
    let weight = |covers: &dyn Fn(&String) -> bool| -> f32 {
        asked
            .terms
            .iter()
            .filter(|(stem, _)| covers(stem))
            .map(|(_, weight)| weight)
            .sum()
    };
    let own = weight(&|stem| stems.contains(stem));
    let lent = ABOVE * weight(&|stem| !stems.contains(stem) && above.contains(stem));
    (own + lent.min(own)).min(1.0)
}

/// The factor of the question's wording.
fn hints(asked: &Asked, place: &ContextChunk, text: &str) -> f32 {
    let mut factor = if asked.asks_aim {
        1.0
    } else {
        cue::factor(fold(text).text())
    };
    if asked.asks_number && !quantities(text).is_empty() {
        factor *= NUMBER_HINT;
    }
    if let Some(section) = asked.section {
        factor *= if place.chunk.section == section {
            SECTION_HIT
        } else {
            SECTION_MISS
        };
    }
    if !asked.named.is_empty() {
        factor *= if asked.named.contains(&place.chunk.source_id) {
            SOURCE_HIT
        } else {
            SOURCE_MISS
        };
    }
    factor
}
