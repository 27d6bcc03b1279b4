//! What an evaluation would cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The calls to language models that an evaluation would make, and what they would cost. Retries and corrections of replies
/// that cannot be used come on top.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DryRun {
    /// The query set, by name.
    pub query_set: String,
    /// Hash of the settings that shape results.
    pub config_hash: String,
    /// The modes.
    pub modes: Vec<String>,
    /// Questions in the set.
    pub questions: usize,
    /// Rows: one for each question and mode.
    pub rows: usize,
    /// Rows for which an answer would be generated; the others are refused before that.
    pub generated: usize,
    /// Calls that the cache already answers. They cost nothing and are not counted below.
    pub cached: u64,
    /// Expected cost in US dollars; null if a price is not known.
    pub cost: Option<f64>,
    /// Cost in US dollars if every reply is as long as it may be; null if a price is not known.
    pub cost_at_most: Option<f64>,
    /// Calls by stage.
    pub stages: Vec<DryRunStage>,
    /// What the same tokens would cost with other models.
    pub at_prices: Vec<DryRunPrice>,
}

/// The calls of one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DryRunStage {
    /// `rerank`, `generate` or `judge`.
    pub stage: String,
    /// The model.
    pub model: String,
    /// Calls.
    pub calls: u32,
    /// Tokens of the prompts, counted with `cl100k_base`; the model's own count differs by some percent.
    pub prompt_tokens: u64,
    /// Tokens of replies of usual length.
    pub completion_tokens: u64,
    /// Expected cost in US dollars; null if the price is not known.
    pub cost: Option<f64>,
    /// Cost in US dollars if every reply is as long as it may be.
    pub cost_at_most: Option<f64>,
    /// When the price was read; null if it comes from the settings, or is not known.
    pub price_read: Option<String>,
}

/// What the tokens would cost with a model of the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DryRunPrice {
    /// The model.
    pub model: String,
    /// Expected cost in US dollars.
    pub cost: f64,
    /// US dollars per million tokens read.
    pub input: f64,
    /// US dollars per million tokens written.
    pub output: f64,
    /// When the price was read.
    pub read: String,
}
