//! What language models spend.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What calls to a language model spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Usage {
    /// Requests sent, retries included.
    pub requests: u32,
    /// How many of these requests gave no usable reply: refused, lost, timed out, or answered with a reply that could
    /// not be used.
    #[serde(default)]
    pub failed_requests: u32,
    /// Tokens read, as far as the server reports them.
    pub prompt_tokens: u64,
    /// Tokens written, as far as the server reports them.
    pub completion_tokens: u64,
}

impl Usage {
    /// Adds what another call spent.
    pub fn add(&mut self, other: Usage) {
        self.requests += other.requests;
        self.failed_requests += other.failed_requests;
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
    }

    /// The same, with the last request counted as failed: its reply could not be used.
    #[must_use]
    pub fn unusable(self) -> Self {
        Self { failed_requests: (self.failed_requests + 1).min(self.requests), ..self }
    }
}

/// What was spent on one question, by stage: [`Spent::RERANK`], [`Spent::GENERATE`], [`Spent::VERIFY`],
/// [`Spent::JUDGE`]. Stages that sent no request are not listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Spent(BTreeMap<String, Usage>);

impl Spent {
    /// Reranking.
    pub const RERANK: &'static str = "rerank";
    /// Generation of the answer.
    pub const GENERATE: &'static str = "generate";
    /// Verification of the claims of an answer.
    pub const VERIFY: &'static str = "verify";
    /// The judge of an evaluation.
    pub const JUDGE: &'static str = "judge";

    /// One stage alone.
    pub fn of(stage: &str, usage: Usage) -> Self {
        let mut spent = Self::default();
        spent.add(stage, usage);
        spent
    }

    /// Adds to a stage.
    pub fn add(&mut self, stage: &str, usage: Usage) {
        if usage.requests > 0 {
            self.0.entry(stage.to_owned()).or_default().add(usage);
        }
    }

    /// Adds all stages of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (stage, usage) in &other.0 {
            self.add(stage, *usage);
        }
    }

    /// What is left of it without `part`; nothing falls below 0.
    #[must_use]
    pub fn without(&self, part: &Self) -> Self {
        let mut rest = Self::default();
        for (stage, all) in &self.0 {
            let less = part.get(stage).unwrap_or_default();
            let usage = Usage {
                requests: all.requests.saturating_sub(less.requests),
                failed_requests: all.failed_requests.saturating_sub(less.failed_requests),
                prompt_tokens: all.prompt_tokens.saturating_sub(less.prompt_tokens),
                completion_tokens: all.completion_tokens.saturating_sub(less.completion_tokens),
            };
            rest.add(stage, usage);
        }
        rest
    }

    /// Counts one more request of a stage as failed: its reply could not be used. Does nothing if all are counted.
    pub fn fail_one(&mut self, stage: &str) {
        if let Some(usage) = self.0.get_mut(stage) {
            *usage = usage.unusable();
        }
    }

    /// What a stage spent; `None` when it sent no request.
    pub fn get(&self, stage: &str) -> Option<Usage> {
        self.0.get(stage).copied()
    }

    /// All stages together.
    pub fn total(&self) -> Usage {
        self.0.values().fold(Usage::default(), |mut sum, usage| {
            sum.add(*usage);
            sum
        })
    }

    /// Stages by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Usage)> {
        self.0.iter().map(|(stage, usage)| (stage.as_str(), *usage))
    }

    /// Whether no request was sent.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_add_up() {
        let usage = |requests, failed_requests, prompt_tokens| Usage {
            requests,
            failed_requests,
            prompt_tokens,
            completion_tokens: 1,
        };
        let mut spent = Spent::of(Spent::GENERATE, usage(2, 1, 10));
        spent.add(Spent::RERANK, Usage::default());
        spent.merge(&Spent::of(Spent::GENERATE, usage(1, 0, 5)));
        spent.merge(&Spent::of(Spent::JUDGE, usage(1, 1, 0)));
        assert_eq!(spent.get(Spent::RERANK), None, "no request, no entry");
        assert_eq!(
            spent.get(Spent::GENERATE).map(|u| (u.requests, u.failed_requests, u.prompt_tokens)),
            Some((3, 1, 15))
        );
        assert_eq!((spent.total().requests, spent.total().failed_requests), (4, 2));
        let generated = Spent::of(Spent::GENERATE, usage(3, 1, 15));
        assert_eq!(spent.without(&generated).iter().collect::<Vec<_>>(), [(Spent::JUDGE, usage(1, 1, 0))]);
        let mut failing = spent.clone();
        failing.fail_one(Spent::RERANK);
        assert_eq!(failing, spent, "no request, none to fail");
        for failed in [2, 3, 3] {
            failing.fail_one(Spent::GENERATE);
            assert_eq!(failing.get(Spent::GENERATE).map(|u| u.failed_requests), Some(failed));
        }
        let json = serde_json::to_string(&spent).expect("serialises");
        assert!(json.starts_with(r#"{"generate":{"requests":3,"failed_requests":1,"#), "{json}");
        assert_eq!(serde_json::from_str::<Spent>(&json).expect("loads"), spent);
        let old: Usage = serde_json::from_str(r#"{"requests":1,"prompt_tokens":2,"completion_tokens":3}"#)
            .expect("old logs load");
        assert_eq!(old.failed_requests, 0);
        assert_eq!((old.unusable().failed_requests, old.unusable().unusable().failed_requests), (1, 1));
    }
}
