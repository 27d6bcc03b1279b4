//! Which of the candidates make the answer: maximal marginal relevance with a share for each source.

use super::{asked::Asked, candidate::Candidate};
use crate::ExtractiveSettings;
use std::collections::{BTreeMap, BTreeSet};
use types::SourceId;

/// Candidates that are compared with each other at most: picking five does not need more.
const POOL: usize = 64;
/// From this redundancy on a sentence says the same as one already picked.
const SAME: f32 = 0.95;
/// A question across studies lets less relevant sources speak.
const ACROSS_RELIEF: f32 = 0.8;

/// The sentences of the answer: sources in order of their best sentence, sentences of a source in order of
/// relevance. Empty when none qualifies. `candidates` are sorted, the most relevant first.
pub(super) fn select<'c, 'a>(
    candidates: &'c [Candidate<'a>],
    asked: &Asked,
    settings: &ExtractiveSettings,
) -> Vec<&'c Candidate<'a>> {
    let Some(best) = candidates.first().map(|c| c.rank) else {
        return Vec::new();
    };
    let relief = if asked.across { ACROSS_RELIEF } else { 1.0 };
    let bar = best * settings.relative_relevance.clamp(0.0, 1.0) * relief;
    let pool: Vec<Item<'c, 'a>> = candidates
        .iter()
        .filter(|c| c.relevance >= settings.min_relevance && c.rank >= bar && c.rank > 0.0)
        .take(POOL)
        .map(|candidate| Item {
            candidate,
            redundancy: 0.0,
        })
        .collect();
    let sources: BTreeSet<&SourceId> = pool.iter().map(|item| item.candidate.source()).collect();
    let mut picking = Picking {
        pool,
        chosen: Vec::new(),
        used: BTreeMap::new(),
        best,
    };
    let most = settings.max_sentences.max(1);
    let mut share = most;
    if asked.across {
        share = most.div_ceil(sources.len().max(1));
        // Each source that is named, or else each that qualifies, is heard before any is heard twice.
        let heard = |s: &SourceId| asked.named.is_empty() || asked.named.contains(s);
        picking.first_of_each(heard, most);
    }
    while picking.chosen.len() < most && picking.next(share, settings) {}
    by_source(picking.chosen)
}

struct Item<'c, 'a> {
    candidate: &'c Candidate<'a>,
    /// Highest likeness to a sentence already chosen.
    redundancy: f32,
}

struct Picking<'c, 'a> {
    /// What is left, the most relevant first.
    pool: Vec<Item<'c, 'a>>,
    chosen: Vec<&'c Candidate<'a>>,
    /// Sentences chosen of each source.
    used: BTreeMap<&'c SourceId, usize>,
    best: f32,
}

impl<'c, 'a> Picking<'c, 'a> {
    /// Takes the best sentence of each source that `heard` lets speak.
    fn first_of_each(&mut self, heard: impl Fn(&SourceId) -> bool, most: usize) {
        while self.chosen.len() < most {
            let fresh = |item: &Item<'c, 'a>| {
                let source = item.candidate.source();
                heard(source) && !self.used.contains_key(source) && item.redundancy < SAME
            };
            let Some(at) = self.pool.iter().position(fresh) else {
                return;
            };
            self.take(at);
        }
    }

    /// Takes the sentence of the highest marginal relevance; false when none is left.
    fn next(&mut self, share: usize, settings: &ExtractiveSettings) -> bool {
        let lambda = settings.mmr_lambda.clamp(0.0, 1.0);
        let mut best: Option<(f32, usize)> = None;
        for (at, item) in self.pool.iter().enumerate() {
            let used = self.used.get(item.candidate.source()).copied().unwrap_or(0);
            if item.redundancy >= SAME || used >= share {
                continue;
            }
            let relevance = item.candidate.rank / self.best;
            let repeats = settings.source_penalty.clamp(0.0, 1.0) * used as f32;
            let value = lambda * relevance - (1.0 - lambda) * (item.redundancy + repeats);
            // Strictly better only: of equals the first in the pool's order wins.
            if best.is_none_or(|(top, _)| value > top) {
                best = Some((value, at));
            }
        }
        let Some((_, at)) = best else { return false };
        self.take(at);
        true
    }

    fn take(&mut self, at: usize) {
        let taken = self.pool.remove(at);
        for item in &mut self.pool {
            item.redundancy = item.redundancy.max(likeness(item, &taken));
        }
        *self.used.entry(taken.candidate.source()).or_default() += 1;
        self.chosen.push(taken.candidate);
    }
}

/// How far two sentences say the same, 0 to 1: cosine of their vectors, or the overlap of their stems where
/// that is higher (or there are no vectors).
fn likeness(a: &Item<'_, '_>, b: &Item<'_, '_>) -> f32 {
    let (left, right) = (a.candidate.vector, b.candidate.vector);
    let cosine = if left.len() == right.len() {
        left.iter().zip(right).map(|(x, y)| x * y).sum::<f32>()
    } else {
        0.0
    };
    let (x, y) = (a.candidate.stems, b.candidate.stems);
    let shared = x.intersection(y).count();
    let all = x.len() + y.len() - shared;
    let overlap = if all == 0 { 0.0 } else { shared as f32 / all as f32 };
    if cosine.is_finite() {
        cosine.max(overlap).clamp(0.0, 1.0)
    } else {
        overlap
    }
}

fn by_source<'c, 'a>(mut chosen: Vec<&'c Candidate<'a>>) -> Vec<&'c Candidate<'a>> {
    let order =
        |a: &Candidate<'_>, b: &Candidate<'_>| b.rank.total_cmp(&a.rank).then_with(|| a.key().cmp(&b.key()));
    chosen.sort_by(|a, b| order(a, b));
    let mut sources: Vec<&SourceId> = Vec::new();
    for candidate in &chosen {
        if !sources.contains(&candidate.source()) {
            sources.push(candidate.source());
        }
    }
    // Stable: inside a source the order of relevance stays.
    chosen.sort_by_key(|c| sources.iter().position(|s| *s == c.source()));
    chosen
}
