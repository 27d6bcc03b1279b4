//! How far and how much to widen.

use serde::{Deserialize, Serialize};

/// Settings of [`expand`](crate::expand).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExpandSettings {
    /// Neighbours on either side of a kept chunk; 0 switches expansion off.
    pub reach: usize,
    /// Share of its parent's vector score that a neighbour gets, `0..=1`; a value outside is moved to the
    /// nearer end, one that is no number counts as 0.
    pub discount: f32,
    /// Chunks in the context at most, reranked ones included.
    pub cap: usize,
}

impl Default for ExpandSettings {
    /// The baseline's values.
    fn default() -> Self {
        Self {
            reach: 1,
            discount: 0.8,
            cap: 10,
        }
    }
}

impl ExpandSettings {
    /// The discount as used.
    pub(crate) fn discount(&self) -> f32 {
        if self.discount.is_nan() {
            0.0
        } else {
            self.discount.clamp(0.0, 1.0)
        }
    }
}
