//! The union of what several searches found.

use std::collections::BTreeMap;
use types::{ChunkId, Hit};

/// The hits of all searches.
pub(crate) struct Union {
    /// Each chunk once, the highest fused score first, then the smallest id.
    pub(crate) hits: Vec<Hit>,
    /// By search: the chunks that no earlier one had found.
    pub(crate) new: Vec<Vec<ChunkId>>,
}

/// Fused scores are normalised within a search, so the scores of different searches can be compared: a chunk that several
/// found has the highest of its fused scores. Its other scores are those of the first search that found it.
pub(crate) fn union(first: &[Hit], further: &[Vec<Hit>]) -> Union {
    let mut hits: Vec<Hit> = Vec::new();
    let mut places: BTreeMap<ChunkId, usize> = BTreeMap::new();
    let mut add = |hit: &Hit| {
        let id = &hit.chunk().chunk_id;
        if let Some(known) = places.get(id).and_then(|at| hits.get_mut(*at)) {
            known.combined_score = known.combined_score.max(hit.combined_score);
            return None;
        }
        places.insert(id.clone(), hits.len());
        hits.push(hit.clone());
        Some(id.clone())
    };
    for hit in first {
        add(hit);
    }
    let new = further.iter().map(|found| found.iter().filter_map(&mut add).collect());
    let new = new.collect();
    hits.sort_by(|a, b| {
        (b.combined_score.total_cmp(&a.combined_score))
            .then_with(|| a.chunk().chunk_id.cmp(&b.chunk().chunk_id))
    });
    Union { hits, new }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use types::{Chunk, Passage, SectionKind, SentenceData, SourceMeta, Span};

    fn hit(id: &str, combined_score: f32, vector_score: f32) -> Hit {
        Hit {
            passage: Passage {
                chunk: Arc::new(Chunk {
                    chunk_id: id.into(),
                    source_id: "a".into(),
                    section: SectionKind::Results,
                    heading: String::new(),
                    ordinal: 0,
                    page_start: 1,
                    page_end: 1,
                    span: Span { start: 0, end: 0 },
                    prefix: String::new(),
                    text: String::new(),
                    tokens: 0,
                    sentences: Vec::new(),
                    table_head: Vec::new(),
                }),
                source: Arc::new(SourceMeta::default()),
                sentences: Arc::new(SentenceData::default()),
                neighbours: Vec::new(),
            },
            vector_score,
            bm25_score: 0.0,
            combined_score,
        }
    }

    fn shown(hits: &[Hit]) -> Vec<(&str, f32, f32)> {
        let parts = |hit: &'_ Hit| (hit.combined_score, hit.vector_score);
        hits.iter()
            .map(|hit| {
                let (combined, vector) = parts(hit);
                (hit.chunk().chunk_id.as_str(), combined, vector)
            })
            .collect()
    }

    #[test]
    fn a_chunk_is_once_in_the_union_with_its_highest_fused_score() {
        let first = [hit("b", 0.9, 0.5), hit("a", 0.4, 0.4)];
        let further = [
            vec![hit("c", 1.0, 0.3), hit("a", 0.8, 0.9)],
            vec![hit("d", 0.8, 0.1), hit("c", 0.2, 0.7), hit("b", 0.1, 0.6)],
            Vec::new(),
        ];
        let union = union(&first, &further);
        assert_eq!(shown(&union.hits), [("c", 1.0, 0.3), ("b", 0.9, 0.5), ("a", 0.8, 0.4), ("d", 0.8, 0.1)]);
        let ids = |list: &[&str]| list.iter().map(|id| ChunkId::from(*id)).collect::<Vec<_>>();
        assert_eq!(union.new, [ids(&["c"]), ids(&["d"]), ids(&[])]);
    }

    #[test]
    fn searches_that_find_nothing_new_change_no_set_of_hits() {
        let first = [hit("a", 0.9, 0.5), hit("b", 0.4, 0.4)];
        let union = union(&first, &[vec![hit("b", 0.3, 0.9)]]);
        assert_eq!(shown(&union.hits), [("a", 0.9, 0.5), ("b", 0.4, 0.4)]);
        assert!(union.new.concat().is_empty());
    }
}
