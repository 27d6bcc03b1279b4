//! How many neighbours are added, and where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Where neighbours are placed, and which of them are kept if there are more than the cap allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Each after its parent; if there are more than the cap allows, those with the higher scores are kept.
    Parent,
    /// All after the reranked chunks, in the order of their parents; the cap cuts from the end. As in the earlier
    /// system, which also gave a neighbour the discounted fused score of its parent.
    End,
}

/// Settings of [`expand`](crate::expand): the section `[expand]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct ExpandSettings {
    /// Number of neighbouring chunks added on each side of a kept chunk, from the same source and section. 0: none.
    #[default(1)]
    pub reach: usize,
    /// Share of its parent's vector score that a neighbour gets, `0..=1`; a value outside is clamped,
    /// one that is not a number counts as 0.
    #[serde(skip)]
    #[default(0.8)]
    pub discount: f32,
    /// Maximum number of chunks in the context, kept ones included.
    #[default(10)]
    #[schemars(range(min = 1), extend("main" = true))]
    pub max_chunks: usize,
    /// Where neighbours are placed.
    #[serde(skip)]
    #[default(Order::Parent)]
    pub order: Order,
}

impl ExpandSettings {
    /// The discount as used.
    pub(crate) fn discount(&self) -> f32 {
        if self.discount.is_nan() { 0.0 } else { self.discount.clamp(0.0, 1.0) }
    }
}
