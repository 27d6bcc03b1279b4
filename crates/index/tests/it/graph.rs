//! The approximate vector index against the exact one.

use crate::common::{DIMENSION, Failed, TextSearch as _, folder, open, plain, settings, unit, write};
use index::{HnswSettings, Index, IndexWriter};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retrieve::{SearchSettings, VectorIndex};
use std::sync::Arc;
use std::{collections::BTreeSet, path::Path};
use types::SourceEntry;
use types::{Mode, Span};

const CHUNKS: usize = 2_000;

/// Unit vectors around forty centres.
pub(crate) fn clustered(count: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut rng = ChaCha8Rng::seed_from_u64(397);
    let mut point = |spread: f32, centre: &[f32]| -> Vec<f32> {
        unit(centre.iter().map(|c| c + spread * rng.random_range(-1.0_f32..1.0)).collect())
    };
    let centres: Vec<Vec<f32>> = (0..40).map(|_| point(1.0, &[0.0; DIMENSION])).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count)
        .map(|n| unit(centres[n % 40].iter().map(|c| c + 0.15 * rng.random_range(-1.0_f32..1.0)).collect()))
        .collect()
}

/// One source of chunks with a window each, but two for every tenth.
fn entry(chunks: usize) -> SourceEntry {
    let mut entry = plain("a", 1, &vec!["x"; chunks]);
    let mut vectors = clustered(chunks + chunks.div_ceil(10), 1).into_iter();
    entry.window_vectors.clear();
    for (at, windows) in entry.windows.iter_mut().enumerate() {
        if at % 10 == 0 {
            windows.push(Span::new(0, 1));
        }
        entry.window_vectors.extend(vectors.by_ref().take(windows.len()));
    }
    entry
}

fn build(root: &Path, chunks: usize, graph: HnswSettings) -> Result<Arc<Index>, Failed> {
    let mut writer = IndexWriter::open(root, settings())?;
    let mut generation = writer.begin()?;
    generation.add(entry(chunks))?;
    generation.with_graph(Some(graph)).commit()?;
    Ok(open(root)?)
}

/// Every window is compared.
fn exact() -> SearchSettings {
    SearchSettings { vector_index: VectorIndex::Exact, ..SearchSettings::default() }
}

/// The graph is walked this broad.
fn walk(ef: usize) -> SearchSettings {
    let mut settings = SearchSettings { vector_index: VectorIndex::Hnsw, ..SearchSettings::default() };
    settings.hnsw.ef = ef;
    settings
}

fn nearest(
    index: &Arc<Index>,
    query: &[f32],
    depth: usize,
    by: SearchSettings,
) -> Result<Vec<String>, Failed> {
    let settings = SearchSettings { depth, vector_k: depth, top_k: depth, min_similarity: -1.0, ..by };
    let found = index.search_text("q", Some(query), Mode::Vector, &settings, None)?;
    Ok(found.hits.iter().map(|hit| hit.chunk.chunk_id.to_string()).collect())
}

#[test]
fn ten_nearest_are_nearly_always_the_exact_ones() -> Result<(), Failed> {
    let dir = folder();
    let graph = HnswSettings { connections: 12, ef_construction: 48 };
    let index = build(dir.path(), CHUNKS, graph)?;
    assert!(index.check().is_ok());
    let (mut shared, mut total) = (0, 0);
    for query in clustered(60, 2) {
        let exact: BTreeSet<String> = nearest(&index, &query, 10, exact())?.into_iter().collect();
        let walked = nearest(&index, &query, 10, walk(64))?;
        assert_eq!(walked.len(), 10);
        shared += walked.iter().filter(|id| exact.contains(*id)).count();
        total += exact.len();
    }
    let recall = f64::from(shared as u32) / f64::from(total as u32);
    println!("recall@10 of the graph: {recall:.4} over {total} neighbours");
    assert!(recall >= 0.95, "recall@10 is {recall}");

    // The index measures the same of itself, with its own vectors as questions.
    let recall = index.graph_recall()?.expect("a graph");
    assert!((0.95..=1.0).contains(&recall), "recall@10 is {recall}");

    // A breadth below the depth is raised to it, and a depth near the whole index is searched exactly.
    for depth in [100, 1_500, 10_000] {
        let query = &clustered(1, 3)[0];
        let exact: BTreeSet<String> = nearest(&index, query, depth, exact())?.into_iter().collect();
        let walked = nearest(&index, query, depth, walk(1))?;
        assert_eq!(walked.len(), exact.len());
        let shared = walked.iter().filter(|id| exact.contains(*id)).count();
        assert!(shared * 100 >= exact.len() * if depth == 100 { 90 } else { 100 }, "depth {depth}: {shared}");
    }

    // Damage is found before the graph is loaded.
    let path = dir.path().join("segments/1/hnsw/windows.hnsw.data");
    let mut bytes = std::fs::read(&path).expect("reads");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).expect("writes");
    let index = open(dir.path())?;
    let error = nearest(&index, &clustered(1, 3)[0], 10, walk(64)).expect_err("damaged");
    assert!(error.to_string().contains("windows.hnsw.data"), "{error}");
    Ok(())
}

#[test]
fn the_same_windows_give_the_same_graph() -> Result<(), Failed> {
    let (first, second) = (folder(), folder());
    let settings = HnswSettings { connections: 8, ef_construction: 24 };
    let (first, second) = (build(first.path(), 300, settings)?, build(second.path(), 300, settings)?);
    let graph = |index: &Index| {
        let files = index.manifest().files.iter().filter(|(name, _)| name.contains("/hnsw/"));
        files.map(|(name, file)| (name.clone(), file.clone())).collect::<Vec<_>>()
    };
    assert_eq!(graph(&first).len(), 2);
    assert_eq!(graph(&first), graph(&second));
    Ok(())
}

#[test]
fn a_graph_of_nothing_is_no_obstacle() -> Result<(), Failed> {
    let dir = folder();
    let without = write(dir.path(), [plain("a", 1, &["x"])])?;
    let error = nearest(&without, &clustered(1, 3)[0], 10, walk(8)).expect_err("no graph");
    assert!(error.to_string().contains("holds no hnsw graph"), "{error}");
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    let mut generation = writer.begin()?;
    let mut bare = plain("a", 1, &["x"]);
    bare.windows = vec![vec![]];
    bare.window_vectors.clear();
    generation.add(bare)?;
    generation.with_graph(Some(HnswSettings::default())).commit()?;
    let index = open(dir.path())?;
    assert!(nearest(&index, &clustered(1, 3)[0], 10, walk(8))?.is_empty());
    assert_eq!(index.graph_recall()?, None);
    Ok(())
}
