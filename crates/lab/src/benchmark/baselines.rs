//! Plain baselines: the best sentences of all papers by cosine, by BM25, and by both.

use crate::error::LabError;
use engine::{Pipeline, settings::Settings};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};
use strum::VariantArray as _;
use types::{Chunk, ChunkQuery, Filter, Mode, Question, SourceId};

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// How sentences are ordered.
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// By cosine.
    Cosine,
    /// By BM25 over sentences.
    Bm25,
    /// By half the sum of both, each scaled between its lowest and highest value.
    #[strum(serialize = "half-half")]
    Half,
}

impl Baseline {
    /// Every baseline.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its name in tables and JSON.
    pub fn key(self) -> &'static str {
        self.into()
    }
}

/// Every sentence of the papers, ready for BM25.
pub(super) struct Sentences {
    pipeline: Pipeline,
    of: HashMap<(SourceId, u32), usize>,
    /// For each stem, the sentences that contain it and how often.
    postings: HashMap<String, Vec<(usize, u32)>>,
    lengths: Vec<u32>,
}

/// A sentence of all papers.
pub(super) struct Found {
    pub(super) chunk: Arc<Chunk>,
    pub(super) sentence: usize,
}

impl Sentences {
    /// Reads all chunks.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) async fn read(pipeline: &Pipeline, settings: &Settings) -> Result<Self, LabError> {
        let chunks = pipeline.store().chunks(&ChunkQuery::All).await?;
        let mut plain = settings.clone();
        plain.retrieve.search.threshold = 0.0;
        plain.retrieve.search.depth = chunks.len().max(1);
        plain.retrieve.search.vector_k = chunks.len().max(1);
        plain.retrieve.search.candidates = chunks.len().max(1);
        plain.expand.reach = 0;
        let mut out = Self {
            pipeline: pipeline.with(&plain)?,
            of: HashMap::new(),
            postings: HashMap::new(),
            lengths: Vec::new(),
        };
        for chunk in &chunks {
            for sentence in &chunk.sentences {
                let next = out.lengths.len();
                let number = *out.of.entry((chunk.source_id.clone(), sentence.number)).or_insert(next);
                if number == next {
                    out.add(chunk.sentence(sentence));
                }
            }
        }
        Ok(out)
    }

    fn add(&mut self, text: &str) {
        let number = self.lengths.len();
        let terms = text::terms(text);
        self.lengths.push(terms.len() as u32);
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for term in terms {
            *counts.entry(term.stem).or_default() += 1;
        }
        for (stem, count) in counts {
            self.postings.entry(stem).or_default().push((number, count));
        }
    }

    /// The `depth` best sentences of each baseline, of the papers that the filter admits.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) async fn best(
        &self,
        query: &str,
        filter: &Filter,
        depth: usize,
    ) -> Result<Vec<(Baseline, Vec<Found>)>, LabError> {
        let retrieved = self.pipeline.retrieve(query, Mode::Vector, filter).await?;
        let bm25 = self.bm25(&retrieved.question);
        let mut all: BTreeMap<usize, (f64, Found)> = BTreeMap::new();
        for hit in &retrieved.retrieval.hits {
            let chunk = hit.chunk();
            for (at, sentence) in chunk.sentences.iter().enumerate() {
                let Some(number) = self.of.get(&(chunk.source_id.clone(), sentence.number)) else {
                    continue;
                };
                let cosine = hit.passage.sentences.similarities.get(at).copied().unwrap_or(0.0);
                all.entry(*number).or_insert_with(|| {
                    let found = Found { chunk: Arc::clone(chunk), sentence: at };
                    (f64::from(cosine), found)
                });
            }
        }
        let bm25_of = |number: usize| bm25.get(&number).copied().unwrap_or(0.0);
        let cosines = scale(all.values().map(|(cosine, _)| *cosine));
        let words = scale(all.keys().map(|number| bm25_of(*number)));
        let best = |baseline: Baseline| {
            let score = |number: usize, cosine: f64| match baseline {
                Baseline::Cosine => cosine,
                Baseline::Bm25 => bm25_of(number),
                Baseline::Half => cosines(cosine) + words(bm25_of(number)),
            };
            let mut scored: Vec<(f64, usize)> =
                all.iter().map(|(number, (cosine, _))| (score(*number, *cosine), *number)).collect();
            scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            let found = scored.iter().take(depth).filter_map(|(_, number)| {
                let (_, found) = all.get(number)?;
                Some(Found { chunk: Arc::clone(&found.chunk), sentence: found.sentence })
            });
            (baseline, found.collect())
        };
        Ok(Baseline::ALL.into_iter().map(best).collect())
    }

    fn bm25(&self, question: &Question) -> HashMap<usize, f64> {
        let all = self.lengths.len() as f64;
        let mean = self.lengths.iter().map(|length| f64::from(*length)).sum::<f64>() / all.max(1.0);
        let mut out: HashMap<usize, f64> = HashMap::new();
        for term in question.distinct_terms() {
            let Some(postings) = self.postings.get(&term.stem) else {
                continue;
            };
            let holding = postings.len() as f64;
            let idf = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
            for (sentence, count) in postings {
                let count = f64::from(*count);
                let length = f64::from(self.lengths[*sentence]) / mean.max(1.0);
                let score = idf * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
                *out.entry(*sentence).or_default() += score;
            }
        }
        out
    }
}

/// Scales values between the lowest and the highest of these; 0 where both are the same.
fn scale(values: impl Iterator<Item = f64>) -> impl Fn(f64) -> f64 {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    move |value| {
        if high > low { (value - low) / (high - low) } else { 0.0 }
    }
}
