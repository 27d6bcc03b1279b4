//! Evaluation and logs.

use serde::{
    Deserialize, Serialize,
    de::{self, IntoDeserializer as _},
};
use std::{path::PathBuf, str::FromStr};
use types::ranges::{OutOfRange, Ranges, positive, share};

/// Evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalSection {
    pub workers: usize,
    pub retries: u32,
    pub stop_after: usize,
    pub seed: u64,
    pub judge: JudgeChoice,
    /// The name of the language model that judges with [`JudgeChoice::Llm`]; empty for that of `[llm]`.
    pub judge_model: String,
    /// The folder of the entailment model that judges with [`JudgeChoice::Nli`].
    pub nli_model: PathBuf,
    /// What the outputs of that model stand for, in order.
    pub nli_labels: Vec<String>,
    pub tau: f32,
    pub refusals: RefusalScores,
}

/// What judges whether citations support an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeChoice {
    Lexical,
    /// A local entailment model.
    Nli,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalScores {
    /// Not at all.
    #[serde(rename = "n_a")]
    NotCounted,
    /// As 1.
    Perfect,
}

impl Ranges for EvalSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        positive("workers", self.workers)?;
        share("tau", self.tau)
    }
}

/// Evaluation of the answers of other systems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluateSection {
    #[serde(flatten)]
    pub limits: eval::Limits,
    #[serde(flatten)]
    pub weights: eval::judge::dimensions::Weights,
}

impl Ranges for EvaluateSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        self.limits.check_ranges()?;
        self.weights.check_ranges()
    }
}

/// Logs and reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogSection {
    pub file: PathBuf,
    pub returned_chunks: ReturnedChunks,
    pub reports: PathBuf,
}

/// What a log line lists as returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReturnedChunks {
    /// What the reranker read.
    Candidates,
    /// What the generator read.
    Context,
}
