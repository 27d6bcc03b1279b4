//! The search by codes and vectors against the comparison of all vectors, in an index that is large enough for codes.

use crate::{
    common::{Failed, TextSearch as _, folder, open, plain, settings},
    graph::clustered,
};
use index::{Index, IndexWriter};
use retrieve::SearchSettings;
use std::{collections::BTreeMap, path::Path, sync::Arc};
use types::SourceEntry;
use types::{Filter, Mode, Span};

/// Chunks of each of four sources.
const CHUNKS: usize = 1_500;

/// Every tenth chunk has two windows, and every eleventh none.
fn entry(id: &str, seed: u64) -> SourceEntry {
    let mut entry = plain(id, 1, &vec!["x"; CHUNKS]);
    let mut vectors = clustered(CHUNKS * 2, seed).into_iter();
    entry.window_vectors.clear();
    for (at, windows) in entry.windows.iter_mut().enumerate() {
        if at % 10 == 0 {
            windows.push(Span::new(0, 1));
        }
        if at % 11 == 0 {
            windows.clear();
        }
        entry.window_vectors.extend(vectors.by_ref().take(windows.len()));
    }
    entry
}

/// The vectors of the windows of each chunk.
type Vectors = BTreeMap<String, Vec<Vec<f32>>>;

/// Two segments, of which the first holds a source that was replaced.
fn build(root: &Path) -> Result<(Arc<Index>, Vectors), Failed> {
    let mut writer = IndexWriter::open(root, settings())?;
    let mut generation = writer.begin()?;
    for (id, seed) in [("b", 1), ("d", 2), ("a", 9)] {
        generation.add(entry(id, seed))?;
    }
    generation.commit()?;
    let mut generation = writer.begin()?;
    for id in ["b", "d"] {
        generation.keep(&id.into())?;
    }
    for (id, seed) in [("a", 3), ("c", 4)] {
        generation.add(entry(id, seed))?;
    }
    generation.commit()?;
    let index = open(root)?;
    let mut vectors = BTreeMap::new();
    for (id, seed) in [("a", 3), ("b", 1), ("c", 4), ("d", 2)] {
        let entry = entry(id, seed);
        let mut own = entry.window_vectors.into_iter();
        for (chunk, windows) in entry.chunks.iter().zip(&entry.windows) {
            let windows = own.by_ref().take(windows.len()).collect();
            vectors.insert(chunk.chunk_id.to_string(), windows);
        }
    }
    Ok((index, vectors))
}

#[test]
fn the_nearest_are_those_of_comparing_all_vectors() -> Result<(), Failed> {
    let dir = folder();
    let (index, vectors) = build(dir.path())?;
    assert_eq!(index.manifest().segments.len(), 2);
    let only_c = Filter { sources: Some(["c".into()].into()), ..Filter::default() };
    for (query, filter) in clustered(6, 77).iter().zip([None, Some(&only_c)].into_iter().cycle()) {
        let mut wanted: Vec<(String, f64)> = vectors
            .iter()
            .filter(|(id, windows)| !windows.is_empty() && (filter.is_none() || id.starts_with("c_")))
            .map(|(id, windows)| {
                let cosine = |window: &Vec<f32>| -> f64 {
                    let products = window.iter().zip(query).map(|(w, q)| f64::from(*w) * f64::from(*q));
                    products.sum()
                };
                (id.clone(), windows.iter().map(cosine).fold(-1.0, f64::max))
            })
            .collect();
        wanted.sort_by(|(_, left), (_, right)| right.total_cmp(left));
        for depth in [1, 10, 300, 1_400, 2_900] {
            let settings = SearchSettings {
                depth,
                vector_k: depth,
                top_k: depth,
                min_similarity: -1.0,
                ..SearchSettings::default()
            };
            let found = index.search_text("q", Some(query), Mode::Vector, &settings, filter)?;
            assert_eq!(found.hits.len(), depth.min(wanted.len()), "depth {depth}");
            for (hit, (id, cosine)) in found.hits.iter().zip(&wanted) {
                // Neighbours whose cosines differ by less than rounding may change places.
                assert!(
                    (f64::from(hit.vector_score) - cosine.max(0.0)).abs() < 1e-5,
                    "depth {depth}: {} where {id} is expected",
                    hit.chunk.chunk_id
                );
            }
        }
    }
    Ok(())
}
