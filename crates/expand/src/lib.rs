//! Adds neighbours to the reranked chunks, so that the generator sees the text around each of them.
//!
//! Place in the flow: after reranking, before the topic check and the generator. Chunks are cut by
//! size, so the sentence that explains a finding is often in the chunk before or after it.
//! [`expand`] adds up to `reach` chunks on either side of each kept chunk, from the same source and
//! section, and stops at `cap` chunks in all.
//!
//! The rules, in order of precedence:
//!
//! 1. Reranked chunks come first: neighbours only fill what the cap leaves. Should the reranker have kept
//!    more than the cap allows, its list is cut from the end.
//! 2. A chunk occurs once. One that is both reranked and a neighbour stays [`Origin::Reranked`]; one that
//!    neighbours two kept chunks follows the parent that gives it the higher score (the earlier of equals).
//! 3. A neighbour's score is `discount` times its parent's vector score, in `0..=1`. If not all fit
//!    below the cap, the higher score wins, then the smaller chunk id.
//! 4. A parent is followed by its neighbours in reading order.
//!
//! With [`Order::End`], the rules of the earlier system, described there, replace rules 2 to 4.
//!
//! A neighbour was not found by the question: its BM25 and fused scores are 0 and it has no rerank score.
//! This crate does not look for chunks (a hit carries its neighbours), does not score text, and does not reorder
//! the reranked chunks.

mod settings;

pub use settings::{ExpandSettings, Order};

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use types::{ChunkId, Context, ContextChunk, Hit, Origin, Passage, Ranked};

/// The context of the generator: the reranked chunks, best first, each followed by those of its neighbours
/// that the cap leaves room for. The result depends on nothing but the arguments; a vector score that is not a
/// number counts as 0. The neighbours are those that the hits carry: as many as retrieval was asked for, at least
/// `reach` on either side.
pub fn expand(ranked: &[Ranked], settings: &ExpandSettings) -> Context {
    let kept = kept(ranked, settings.max_chunks);
    if settings.order == Order::End {
        return at_the_end(&kept, settings);
    }
    let mut neighbours = chosen_neighbours(&kept, settings);
    let mut chunks = Vec::new();
    for (parent, ranked) in kept.iter().enumerate() {
        chunks.push(reranked(ranked));
        for n in neighbours.remove(&parent).unwrap_or_default() {
            chunks.push(expanded(n.passage, n.score, 0.0));
        }
    }
    Context { chunks }
}

/// The reranked chunks, then the neighbours of each that are not there yet, until the cap is reached.
fn at_the_end(kept: &[&Ranked], settings: &ExpandSettings) -> Context {
    let mut present: BTreeSet<&ChunkId> = kept.iter().map(|r| &r.hit.chunk().chunk_id).collect();
    let mut chunks: Vec<ContextChunk> = kept.iter().map(|ranked| reranked(ranked)).collect();
    for ranked in kept {
        let hit = &ranked.hit;
        for passage in neighbours(hit, settings.reach) {
            if chunks.len() >= settings.max_chunks || !present.insert(&passage.chunk.chunk_id) {
                continue;
            }
            let vector_score = finite(hit.vector_score) * settings.discount();
            let combined_score = finite(hit.combined_score) * settings.discount();
            chunks.push(expanded(passage, vector_score, combined_score));
        }
    }
    Context { chunks }
}

/// The nearest neighbours of a hit, at most `reach` on either side, in reading order.
fn neighbours(hit: &Hit, reach: usize) -> impl Iterator<Item = &Passage> {
    let own = hit.chunk().ordinal;
    let carried = &hit.passage.neighbours;
    let before = carried.iter().filter(|p| p.chunk.ordinal < own).count();
    let from = before.saturating_sub(reach);
    carried.iter().take(before.saturating_add(reach)).skip(from)
}

fn reranked(ranked: &Ranked) -> ContextChunk {
    let Hit { passage, .. } = &ranked.hit;
    ContextChunk {
        chunk: Arc::clone(&passage.chunk),
        source: Arc::clone(&passage.source),
        sentences: Arc::clone(&passage.sentences),
        origin: Origin::Reranked,
        vector_score: finite(ranked.hit.vector_score),
        bm25_score: finite(ranked.hit.bm25_score),
        combined_score: finite(ranked.hit.combined_score),
        rerank_score: Some(finite(ranked.rerank_score)),
    }
}

fn expanded(passage: &Passage, vector_score: f32, combined_score: f32) -> ContextChunk {
    ContextChunk {
        chunk: Arc::clone(&passage.chunk),
        source: Arc::clone(&passage.source),
        sentences: Arc::clone(&passage.sentences),
        origin: Origin::Expanded,
        vector_score,
        bm25_score: 0.0,
        combined_score,
        rerank_score: None,
    }
}

/// A neighbour that may enter the context.
struct Neighbour<'a> {
    passage: &'a Passage,
    /// Position of its parent among the kept chunks.
    parent: usize,
    /// Position among the neighbours of that parent, in reading order.
    place: usize,
    score: f32,
}

/// The reranked chunks, each once, at most `cap`.
fn kept(ranked: &[Ranked], cap: usize) -> Vec<&Ranked> {
    let mut seen = BTreeSet::new();
    ranked.iter().filter(|r| seen.insert(r.hit.chunk().chunk_id.as_str())).take(cap).collect()
}

/// The neighbours that fit below the cap, by the position of their parent, in reading order.
fn chosen_neighbours<'a>(
    kept: &[&'a Ranked],
    settings: &ExpandSettings,
) -> BTreeMap<usize, Vec<Neighbour<'a>>> {
    let room = settings.max_chunks - kept.len();
    if room == 0 || settings.reach == 0 {
        return BTreeMap::new();
    }
    let reranked: BTreeSet<&ChunkId> = kept.iter().map(|r| &r.hit.chunk().chunk_id).collect();
    let mut best: BTreeMap<&ChunkId, Neighbour<'a>> = BTreeMap::new();
    for (parent, ranked) in kept.iter().enumerate() {
        let score = (finite(ranked.hit.vector_score) * settings.discount()).clamp(0.0, 1.0);
        for (place, passage) in neighbours(&ranked.hit, settings.reach).enumerate() {
            let id = &passage.chunk.chunk_id;
            let better = best.get(id).is_none_or(|other| score > other.score);
            if better && !reranked.contains(id) {
                best.insert(id, Neighbour { passage, parent, place, score });
            }
        }
    }
    // The map yields ids in order, and the sort is stable: equal scores stay in the order of their ids.
    let mut winners: Vec<Neighbour<'a>> = best.into_values().collect();
    winners.sort_by(|a, b| b.score.total_cmp(&a.score));
    winners.truncate(room);
    winners.sort_by_key(|n| (n.parent, n.place));
    let mut by_parent: BTreeMap<usize, Vec<Neighbour<'a>>> = BTreeMap::new();
    for winner in winners {
        by_parent.entry(winner.parent).or_default().push(winner);
    }
    by_parent
}

fn finite(score: f32) -> f32 {
    if score.is_finite() { score } else { 0.0 }
}

#[cfg(test)]
mod tests;
