//! How much each list counts.

use crate::SearchSettings;
use types::Mode;

/// The weights of both lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// That of the vector list.
    pub vector: f32,
    /// That of the BM25 list.
    pub bm25: f32,
}

impl Weights {
    /// The weights of a mode.
    pub fn of(mode: Mode, settings: &SearchSettings) -> Self {
        let (vector, bm25) = match mode {
            Mode::Hybrid => (settings.vector_weight, settings.bm25_weight),
            Mode::Vector => (1.0, 0.0),
            Mode::Bm25 => (0.0, 1.0),
        };
        Self { vector, bm25 }
    }
}
