//! What tokens of a language model cost.

use crate::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens that a price is for.
const PER: f64 = 1e6;

/// The price of a language model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Price {
    /// US dollars per million tokens read.
    pub input: f64,
    /// US dollars per million tokens written.
    pub output: f64,
    /// When it was read, as a date; empty if the settings give it.
    #[serde(default)]
    pub read: String,
}

impl Price {
    /// US dollars for what calls spent, as far as the server reports tokens.
    pub fn of(&self, usage: Usage) -> f64 {
        self.of_tokens(usage.prompt_tokens, usage.completion_tokens)
    }

    /// US dollars for this many tokens read and written.
    pub fn of_tokens(&self, read: u64, written: u64) -> f64 {
        (read as f64 * self.input + written as f64 * self.output) / PER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_their_own_prices() {
        let price = Price { input: 0.5, output: 2.0, read: String::new() };
        let usage =
            Usage { requests: 3, prompt_tokens: 2_000_000, completion_tokens: 500_000, ..Usage::default() };
        assert!((price.of(usage) - 2.0).abs() < 1e-12);
        assert!(Price::default().of(usage).abs() < 1e-12);
    }
}
