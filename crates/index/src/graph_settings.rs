//! How the graph of vectors is built.

use crate::IndexError;
use serde::{Deserialize, Serialize};

/// The parameters of the graph of a generation (Malkov and Yashunin 2018).
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
        Self {
            connections: 16,
            ef_construction: 200,
        }
    }
}

impl HnswSettings {
    pub(crate) fn validate(&self) -> Result<(), IndexError> {
        let wrong = |name, value: usize, allowed| {
            Err(IndexError::Setting {
                name,
                value: value.to_string(),
                allowed,
            })
        };
        if !(2..=255).contains(&self.connections) {
            return wrong("hnsw.connections", self.connections, "between 2 and 255");
        }
        if self.ef_construction == 0 {
            return wrong("hnsw.ef_construction", 0, "at least 1");
        }
        Ok(())
    }
}
