//! Approximate search by a hierarchical navigable small world graph (Malkov and Yashunin 2018), by hnsw_rs.
//!
//! The graph is built serially, in the order of windows, from the fixed seed inside hnsw_rs: the same windows
//! give the same graph. It is written beside the vectors and read back when first asked for. hnsw_rs neither maps a
//! graph nor deletes points: loading takes the memory of all vectors once more. Each segment therefore has its own, which
//! is never changed: adding a paper builds the graph of the new segment alone. hnsw_rs ends the process on some damaged
//! files: the caller compares the checksums before it loads.

use crate::{HnswSettings, IndexError};
use hnsw_rs::prelude::{AnnT, Distance, Hnsw, HnswIo};
use std::path::Path;
use types::vector::dot;

/// Stem of the two files of a dump.
const STEM: &str = "windows";
/// What hnsw_rs allows at most; enough for any number of points at two links or more.
const LAYERS: usize = 16;

/// `1 - cosine` of unit vectors. Its name is written into the dump, and compared when that is loaded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnitDistance;

impl Distance<f32> for UnitDistance {
    fn eval(&self, left: &[f32], right: &[f32]) -> f32 {
        // Rounding may carry the product of a vector with itself above 1, and a distance must not be negative.
        (1.0 - dot(left, right)).max(0.0)
    }
}

/// Builds the graph of the windows of a segment, whose unit vectors come in order, and writes it to `dir`, which exists and
/// is empty.
pub(crate) fn build_graph<'a>(
    dir: &Path,
    windows: impl ExactSizeIterator<Item = &'a [f32]>,
    settings: &HnswSettings,
) -> Result<(), IndexError> {
    let count = windows.len();
    let graph: Hnsw<'_, f32, UnitDistance> = Hnsw::new(
        // hnsw_rs ends the process above 256.
        settings.connections.clamp(2, 255),
        count,
        LAYERS,
        settings.ef_construction.max(1),
        UnitDistance,
    );
    for (window, vector) in windows.enumerate() {
        graph.insert((vector, window));
    }
    if count == 0 {
        return Ok(()); // hnsw_rs cannot write a graph without an entry point
    }
    graph.file_dump(dir, STEM).map(drop).map_err(|e| failed("write", dir, &e))
}

/// A loaded graph.
pub(crate) struct Graph {
    hnsw: Hnsw<'static, f32, UnitDistance>,
}

impl Graph {
    /// Loads the graph of `windows` windows.
    pub(crate) fn load(dir: &Path, windows: usize) -> Result<Self, IndexError> {
        // A loaded graph borrows its loader, because a loader may hold a map of the vectors; this one holds two
        // short strings. It is given up, once for each index that searches its graph.
        let loader: &'static mut HnswIo = Box::leak(Box::new(HnswIo::new(dir, STEM)));
        let hnsw = loader.load_hnsw::<f32, UnitDistance>().map_err(|e| failed("load", dir, &e))?;
        if hnsw.get_nb_point() != windows {
            let reason = format!("the graph has {} points, the index {windows} windows", hnsw.get_nb_point());
            return Err(IndexError::damaged(dir, reason));
        }
        Ok(Self { hnsw })
    }

    /// About the `k` nearest windows of the unit vector `query`, nearest first.
    pub(crate) fn nearest(&self, query: &[f32], k: usize, ef: usize) -> Vec<usize> {
        let neighbours = self.hnsw.search(query, k, ef.max(k));
        neighbours.into_iter().map(|neighbour| neighbour.get_origin_id()).collect()
    }
}

fn failed(action: &'static str, dir: &Path, reason: &impl ToString) -> IndexError {
    IndexError::Graph { action, path: dir.to_owned(), reason: reason.to_string() }
}
