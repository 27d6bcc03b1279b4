//! How far and how much to widen.

use serde::{Deserialize, Serialize};

/// Where neighbours stand, and which of them the cap leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Each behind its parent; when the cap bites, the higher score wins.
    #[default]
    Parent,
    /// All behind the reranked chunks, in the order of their parents; the cap cuts from the end. What the earlier
    /// system did, which also gave a neighbour the discounted fused score of its parent.
    End,
}

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
    /// Where neighbours stand.
    pub order: Order,
}

impl Default for ExpandSettings {
    /// The baseline's values.
    fn default() -> Self {
        Self {
            reach: 1,
            discount: 0.8,
            cap: 10,
            order: Order::Parent,
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
