//! Which means should reach what, and what to do if they do not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// Which side of its target a value must be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The target or more.
    AtLeast,
    /// More than the target.
    Above,
    /// Less than the target.
    Below,
}

/// A target of a mean.
pub struct Target {
    /// The name of the mean in the summary.
    pub key: &'static str,
    /// The metric whose mean it is.
    pub metric: &'static str,
    /// The side.
    pub bound: Bound,
    /// Its value.
    pub value: f64,
    /// What to do if it is missed.
    pub advice: &'static str,
}

macro_rules! target {
    ($key:literal of $metric:literal, $bound:ident $value:literal, $advice:literal) => {
        Target { key: $key, metric: $metric, bound: Bound::$bound, value: $value, advice: $advice }
    };
}

/// The targets, in the order of the report. The bounds are those of the reference systems: of the Ragas
/// evaluation service for rag_score, faithfulness and the two rates ("≥ 0.85", "< 0.15"), of ADR-013 for context recall, and
/// of LitPath for the others ("> 80 %"). A distance is a squared L2 distance, 0 to 4; 1.0 belongs to all-mpnet-base-v2.
pub static TARGETS: &[Target] = &[
    target!("rag_score" of "rag_score", AtLeast 0.85,
        "raise the lowest of context_recall, faithfulness and answer_relevance first"),
    target!("context_recall" of "context_recall", AtLeast 0.8,
        "improve retrieval: more candidates, another embedding model, fewer filters"),
    target!("faithfulness" of "faithfulness", AtLeast 0.9,
        "check the prompt and the language model: answers claim more than their passages say"),
    target!("failure_rate" of "auto_fail", Below 0.15,
        "read the failure reasons of the rows that fail, and treat the most frequent one first"),
    target!("hallucination_rate" of "hallucination", Below 0.1,
        "remove or check numbers and names that no passage has before an answer is shown"),
    target!("relevance_pass_rate" of "relevance", Above 0.8,
        "make the prompt state what is asked, and read the questions that failed: some may be unclear"),
    target!("groundedness_pass_rate" of "faithful", Above 0.8,
        "judge against whole passages, not excerpts; then restrict answers to what the passages say"),
    target!("retrieval_relevance_pass_rate" of "retrieval_relevance_pass", Above 0.7,
        "no passage has the words of these questions: check the index, the language and the search for synonyms"),
    target!("factual_accuracy" of "factual_accuracy", Above 0.9,
        "answers use words and numbers that their passages do not have: ask for the wording of the passages"),
    target!("citation_verification_rate" of "citation_verification_rate", Above 0.7,
        "drop or repair citations that name nothing retrieved or quote what is not there"),
    target!("average_distance" of "average_distance", Below 1.0,
        "passages are far from the questions: cut chunks smaller or use another embedding model, with a target of its own"),
];

/// A target beside the value that should reach it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "EvaluateTarget")]
pub struct TargetResult {
    /// The name of the mean in the summary.
    pub key: String,
    /// Its value.
    pub value: f64,
    /// Which side of the target it must be on.
    pub bound: Bound,
    /// The target.
    pub target: f64,
    /// Whether it is.
    pub met: bool,
}

impl Bound {
    /// Whether a value is on this side of a target.
    pub fn is_met(self, value: f64, target: f64) -> bool {
        match self {
            Self::AtLeast => value >= target,
            Self::Above => value > target,
            Self::Below => value < target,
        }
    }

    /// In words: "at least".
    pub fn words(self) -> &'static str {
        match self {
            Self::AtLeast => "at least",
            Self::Above => "above",
            Self::Below => "below",
        }
    }
}

impl Display for TargetResult {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:.3} (target: {} {})", self.key, self.value, self.bound.words(), self.target)
    }
}

/// The targets of the means that have a value.
pub(super) fn results(mean: impl Fn(&str) -> Option<f64>) -> Vec<TargetResult> {
    let result = |target: &Target| {
        let (value, limit) = (mean(target.metric)?, target.value);
        Some(TargetResult {
            key: target.key.to_owned(),
            value,
            bound: target.bound,
            target: limit,
            met: target.bound.is_met(value, limit),
        })
    };
    TARGETS.iter().filter_map(result).collect()
}

/// One line for each missed target.
pub(super) fn recommendations(results: &[TargetResult]) -> Vec<String> {
    let line = |result: &TargetResult| {
        let target = TARGETS.iter().find(|target| target.key == result.key)?;
        Some(format!("{result}: {}", target.advice))
    };
    results.iter().filter(|result| !result.met).filter_map(line).collect()
}
