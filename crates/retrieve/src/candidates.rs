//! The chunks that may become hits.

use crate::Candidate;
use std::collections::HashMap;
use types::{ChunkId, Scored};

/// The first `dense_k` and `lexical_k` chunks of the two lists, each chunk once, with its ranks in the whole lists.
pub fn candidates(dense: &[Scored], lexical: &[Scored], dense_k: usize, lexical_k: usize) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut places: HashMap<&ChunkId, usize> = HashMap::new();
    for chunk in dense.iter().take(dense_k).chain(lexical.iter().take(lexical_k)) {
        places.entry(&chunk.id).or_insert_with(|| {
            candidates.push(Candidate { id: chunk.id.clone(), ..Candidate::default() });
            candidates.len() - 1
        });
    }
    // Ranks from the whole depth for a chunk that only the other list's head holds.
    let reach = |own: usize, other: &[Scored]| if other.is_empty() { own } else { usize::MAX };
    for (rank, chunk) in dense.iter().enumerate().take(reach(dense_k, lexical)) {
        if let Some(at) = places.get(&chunk.id) {
            candidates[*at].vector_rank = Some(rank);
        }
    }
    for (rank, chunk) in lexical.iter().enumerate().take(reach(lexical_k, dense)) {
        if let Some(at) = places.get(&chunk.id) {
            candidates[*at].bm25_rank = Some(rank);
        }
    }
    candidates
}
