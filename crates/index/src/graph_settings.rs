//! How the graph of vectors is built.

use serde::{Deserialize, Serialize};

/// The parameters of the graph of a segment (Malkov and Yashunin 2018).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HnswSettings {
    /// Links of a point in each upper layer, twice as many in the lowest; `2..=255`: hnsw_rs stores the number in one byte and
    /// ends the process above 256.
    pub connections: usize,
    /// Breadth of the walk while building; at least 1.
    pub ef_construction: usize,
}

impl Default for HnswSettings {
    fn default() -> Self {
        Self { connections: 16, ef_construction: 200 }
    }
}
