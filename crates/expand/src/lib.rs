//! Widens the reranked chunks by their neighbours, so that the generator sees what stands around a find.
//!
//! Place in the flow: after reranking, before the topic check and the generator. A chunk is cut by size,
//! not by thought, so the sentence that explains a finding often stands in the chunk before or after it.
//! [`expand`] adds up to `reach` chunks on either side of each kept chunk, from the same source and
//! section, and stops at `cap` chunks in all.
//!
//! The rules, in the order in which they bind:
//!
//! 1. Reranked chunks come first: neighbours only fill what the cap leaves. Should the reranker have kept
//!    more than the cap allows, its list is cut from the end.
//! 2. A chunk stands once. One that is both reranked and a neighbour stays [`Origin::Reranked`]; one that
//!    neighbours two kept chunks follows the parent that gives it the higher score (the earlier of equals).
//! 3. A neighbour's score is `discount` times its parent's vector score, in `0..=1`. When the cap bites,
//!    the higher score wins, then the smaller chunk id.
//! 4. A parent is followed by its neighbours in reading order.
//!
//! With [`Order::End`] rules 2 to 4 give way to those of the earlier system: see there.
//!
//! A neighbour was not found by the question: its BM25 and fused scores are 0 and it has no rerank score.
//! This crate does not look for chunks, does not score text, and does not reorder what the reranker said.
//! A source that the store does not know is shown with its id alone.

mod settings;

pub use settings::{ExpandSettings, Order};

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use types::{
    Chunk, ChunkId, ChunkStore, Context, ContextChunk, Origin, Ranked, SourceId, SourceMeta, StoreError,
};

/// The context of the generator: the reranked chunks, best first, each followed by those of its neighbours
/// that the cap leaves room for. The result depends on nothing but the arguments; a vector score that is no
/// number counts as 0.
///
/// # Errors
/// When the index cannot be read.
pub fn expand(
    ranked: &[Ranked],
    store: &dyn ChunkStore,
    settings: &ExpandSettings,
) -> Result<Context, StoreError> {
    let kept = kept(ranked, settings.cap);
    if settings.order == Order::End {
        return at_the_end(&kept, store, settings);
    }
    let mut neighbours = chosen_neighbours(&kept, store, settings)?;
    let mut sources = Sources {
        store,
        known: BTreeMap::new(),
    };
    let mut chunks = Vec::new();
    for (parent, ranked) in kept.iter().enumerate() {
        chunks.push(reranked(ranked, &mut sources));
        for n in neighbours.remove(&parent).unwrap_or_default() {
            chunks.push(ContextChunk {
                source: sources.get(&n.chunk.source_id),
                chunk: n.chunk,
                origin: Origin::Expanded,
                vector_score: n.score,
                bm25_score: 0.0,
                combined_score: 0.0,
                rerank_score: None,
            });
        }
    }
    Ok(Context { chunks })
}

/// The reranked chunks, then the neighbours of each that are not there yet, until the cap is reached.
fn at_the_end(
    kept: &[&Ranked],
    store: &dyn ChunkStore,
    settings: &ExpandSettings,
) -> Result<Context, StoreError> {
    let mut sources = Sources {
        store,
        known: BTreeMap::new(),
    };
    let mut present: BTreeSet<ChunkId> = kept.iter().map(|r| r.hit.chunk.chunk_id.clone()).collect();
    let mut chunks: Vec<ContextChunk> = kept.iter().map(|ranked| reranked(ranked, &mut sources)).collect();
    for ranked in kept {
        let hit = &ranked.hit;
        for chunk in store.neighbours(&hit.chunk.chunk_id, settings.reach)? {
            if chunks.len() >= settings.cap || !present.insert(chunk.chunk_id.clone()) {
                continue;
            }
            chunks.push(ContextChunk {
                source: sources.get(&chunk.source_id),
                chunk,
                origin: Origin::Expanded,
                vector_score: finite(hit.vector_score) * settings.discount(),
                bm25_score: 0.0,
                combined_score: finite(hit.combined_score) * settings.discount(),
                rerank_score: None,
            });
        }
    }
    Ok(Context { chunks })
}

fn reranked(ranked: &Ranked, sources: &mut Sources<'_>) -> ContextChunk {
    let hit = &ranked.hit;
    ContextChunk {
        source: sources.get(&hit.chunk.source_id),
        chunk: Arc::clone(&hit.chunk),
        origin: Origin::Reranked,
        vector_score: finite(hit.vector_score),
        bm25_score: finite(hit.bm25_score),
        combined_score: finite(hit.combined_score),
        rerank_score: Some(finite(ranked.rerank_score)),
    }
}

/// A neighbour that may enter the context.
struct Neighbour {
    chunk: Arc<Chunk>,
    /// Position of its parent among the kept chunks.
    parent: usize,
    /// Position among the neighbours of that parent, in reading order.
    place: usize,
    score: f32,
}

/// The reranked chunks, each once, at most `cap`.
fn kept(ranked: &[Ranked], cap: usize) -> Vec<&Ranked> {
    let mut seen = BTreeSet::new();
    ranked
        .iter()
        .filter(|r| seen.insert(r.hit.chunk.chunk_id.as_str()))
        .take(cap)
        .collect()
}

/// The neighbours that fit below the cap, by the position of their parent, in reading order.
fn chosen_neighbours(
    kept: &[&Ranked],
    store: &dyn ChunkStore,
    settings: &ExpandSettings,
) -> Result<BTreeMap<usize, Vec<Neighbour>>, StoreError> {
    let room = settings.cap - kept.len();
    if room == 0 || settings.reach == 0 {
        return Ok(BTreeMap::new());
    }
    let reranked: BTreeSet<&ChunkId> = kept.iter().map(|r| &r.hit.chunk.chunk_id).collect();
    let mut best: BTreeMap<ChunkId, Neighbour> = BTreeMap::new();
    for (parent, ranked) in kept.iter().enumerate() {
        let score = (finite(ranked.hit.vector_score) * settings.discount()).clamp(0.0, 1.0);
        let around = store.neighbours(&ranked.hit.chunk.chunk_id, settings.reach)?;
        for (place, chunk) in around.into_iter().enumerate() {
            let better = best.get(&chunk.chunk_id).is_none_or(|other| score > other.score);
            if better && !reranked.contains(&chunk.chunk_id) {
                best.insert(
                    chunk.chunk_id.clone(),
                    Neighbour {
                        chunk,
                        parent,
                        place,
                        score,
                    },
                );
            }
        }
    }
    // The map yields ids in order, and the sort is stable: equal scores stay in the order of their ids.
    let mut winners: Vec<Neighbour> = best.into_values().collect();
    winners.sort_by(|a, b| b.score.total_cmp(&a.score));
    winners.truncate(room);
    winners.sort_by_key(|n| (n.parent, n.place));
    let mut by_parent: BTreeMap<usize, Vec<Neighbour>> = BTreeMap::new();
    for winner in winners {
        by_parent.entry(winner.parent).or_default().push(winner);
    }
    Ok(by_parent)
}

/// What is known of the sources, each asked for once.
struct Sources<'a> {
    store: &'a dyn ChunkStore,
    known: BTreeMap<SourceId, Arc<SourceMeta>>,
}

impl Sources<'_> {
    fn get(&mut self, id: &SourceId) -> Arc<SourceMeta> {
        let store = self.store;
        let look_up = || {
            let nameless = || {
                Arc::new(SourceMeta {
                    source_id: id.clone(),
                    ..SourceMeta::default()
                })
            };
            store.source(id).unwrap_or_else(nameless)
        };
        Arc::clone(self.known.entry(id.clone()).or_insert_with(look_up))
    }
}

fn finite(score: f32) -> f32 {
    if score.is_finite() { score } else { 0.0 }
}

#[cfg(test)]
mod tests;
