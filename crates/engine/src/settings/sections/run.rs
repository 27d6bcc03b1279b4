//! Evaluation and logs.

use schemars::JsonSchema;
use serde::{
    Deserialize, Serialize,
    de::{self, IntoDeserializer as _},
};
use smart_default::SmartDefault;
use std::{path::PathBuf, str::FromStr};

/// Evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct EvalSection {
    /// Number of questions answered concurrently. Matters only with a language model: offline, an answer takes milliseconds.
    #[default(4)]
    #[schemars(range(min = 1), extend("main" = true), extend("no_effect" = true))]
    pub workers: usize,
    /// How often a question that failed with a temporary error is retried, after all others. Permanent errors are not retried.
    #[default(2)]
    #[schemars(extend("no_effect" = true))]
    pub retries: u32,
    /// Number of consecutive failed questions after which the run stops. 0: never. The remaining questions are recorded as
    /// errors; run the same command again to retry them.
    #[default(5)]
    #[schemars(extend("no_effect" = true))]
    pub stop_after: usize,
    /// Random seed.
    #[default(20_240_229)]
    pub seed: u64,
    /// Judge that decides whether citations support an answer: "lexical" (offline: words, numbers, names and, with the default
    /// embedding model, vectors), "llm", or "auto" (llm if one is configured, else lexical).
    #[default(JudgeChoice::Lexical)]
    #[schemars(extend("main" = true))]
    pub judge: JudgeChoice,
    /// Language model for the judge "llm": the name of a section [llm.NAME]. Empty: the model of [llm].
    pub judge_model: String,
    /// Minimum probability at which a claim counts as supported.
    #[default(0.5)]
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(alias = "tau")]
    pub support_threshold: f32,
    /// How refusals count in citation precision and faithfulness.
    #[serde(skip)]
    pub refusals: RefusalScores,
}

/// What judges whether citations support an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgeChoice {
    Lexical,
    Llm,
    /// The language model if one is configured, else the offline judge.
    Auto,
}

impl FromStr for JudgeChoice {
    type Err = de::value::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::deserialize(name.into_deserializer())
    }
}

/// How refusals count in citation precision and faithfulness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefusalScores {
    /// Not at all.
    #[default]
    NotCounted,
    /// As 1.
    Perfect,
}

/// Evaluation of the answers of other systems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct EvaluateSection {
    #[serde(flatten)]
    pub limits: types::EvaluateLimits,
    #[serde(flatten)]
    pub weights: types::EvaluateWeights,
}

/// Logs and reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct LogSection {
    /// File for the run log, relative to the working directory: `pipeline runs` lists what it has stored. Empty: no log.
    #[default("logs/run_log.jsonl")]
    #[schemars(extend("main" = true), extend("no_effect" = true))]
    pub file: PathBuf,
    /// What `retrieval.returned_chunks` of a log line lists.
    #[serde(skip)]
    pub returned_chunks: ReturnedChunks,
    /// Folder for reports.
    #[default("logs/reports")]
    #[schemars(extend("no_effect" = true))]
    pub reports: PathBuf,
}

/// What a log line lists as returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReturnedChunks {
    /// What the reranker read.
    #[default]
    Candidates,
    /// What the generator read.
    Context,
}
