//! How many neighbours are added, and where.

use serde::{Deserialize, Serialize};
use types::ranges::{OutOfRange, Ranges, positive, share};

/// Where neighbours are placed, and which of them are kept if there are more than the cap allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Each after its parent; if there are more than the cap allows, those with the higher scores are kept.
    Parent,
    /// All after the reranked chunks, in the order of their parents; the cap cuts from the end. As in the earlier
    /// system, which also gave a neighbour the discounted fused score of its parent.
    End,
}

/// Settings of [`expand`](crate::expand): the section `[expand]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpandSettings {
    /// Neighbours on either side of a kept chunk; 0 switches expansion off.
    pub reach: usize,
    /// Share of its parent's vector score that a neighbour gets, `0..=1`; a value outside is clamped,
    /// one that is not a number counts as 0.
    pub discount: f32,
    /// Maximum number of chunks in the context, reranked ones included.
    pub cap: usize,
    /// Where neighbours are placed.
    pub order: Order,
}

impl Default for ExpandSettings {
    /// The values of `configs/default.toml`; a test of the settings compares them.
    fn default() -> Self {
        Self {
            reach: 1,
            discount: 0.8,
            cap: 10,
            order: Order::Parent,
        }
    }
}

impl Ranges for ExpandSettings {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        share("discount", self.discount)?;
        positive("cap", self.cap)
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
