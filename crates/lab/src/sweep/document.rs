//! What a sweep prints.

use super::combinations::Combinations;
use eval::{
    Comparison, MetricSummary,
    sweep::{Choice, Verdict},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{collections::BTreeMap, fmt::Write};

/// What `sweep` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Sweep {
    /// The query set, by name.
    pub query_set: String,
    /// SHA-256 of its queries.
    pub query_set_hash: String,
    /// Questions that the combinations are compared on.
    pub questions: usize,
    /// Questions that failed with at least one combination: they are left out of all numbers.
    pub left_out: Vec<String>,
    /// What the combinations are compared by.
    pub metric: SweepMetric,
    /// The settings that are varied.
    pub varied: Vec<SweepAxis>,
    /// Combinations of their values.
    pub grid_size: usize,
    /// How many of them were drawn; null if all were evaluated.
    pub sampled: Option<usize>,
    /// The combinations, in the order of the grid. The settings that the sweep started from are the last one if the grid
    /// does not contain them.
    pub combinations: Vec<SweepCombination>,
    /// Which combination is best, and what that is worth.
    pub choice: SweepChoice,
    /// Calls to language models that were sent.
    pub calls_sent: u64,
    /// Calls that kept replies answered.
    pub calls_cached: u64,
    /// Rows that failed.
    pub failed: usize,
    /// What limits the numbers.
    pub notes: Vec<String>,
    /// Generation of the index.
    pub generation: String,
    /// Version of the binary.
    pub version: String,
    /// Seed of the sample, the folds, intervals and tests.
    pub seed: u64,
}

/// What combinations are compared by.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SweepMetric {
    /// Its name.
    pub key: String,
    /// Its definition.
    pub definition: String,
    /// `higher` or `lower`.
    pub better: String,
}

/// A setting with its values.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SweepAxis {
    /// The setting.
    pub key: String,
    /// Its values, as written.
    pub values: Vec<String>,
}

/// A setting with one value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SweepValue {
    /// The setting.
    pub key: String,
    /// Its value, as written.
    pub value: String,
}

/// A combination.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SweepCombination {
    /// Its number, from 1.
    pub number: usize,
    /// The values of the varied settings.
    pub settings: Vec<SweepValue>,
    /// Whether these are the settings that the sweep started from.
    pub start: bool,
    /// Whether the grid contains it, so that it can be chosen.
    pub in_grid: bool,
    /// Hash of its settings, as `eval` names them.
    pub config_hash: String,
    /// Retrieval mode.
    pub mode: String,
    /// The mean of the metric; the interval is a bootstrap over papers.
    pub summary: MetricSummary,
    /// Its mean minus that of the start, question by question; p is not corrected for the number of combinations.
    pub against_start: Comparison,
    /// Share of the answerable questions that were answered; null without such questions.
    pub answered: Option<f64>,
    /// Share of the unanswerable questions that were refused; null without such questions.
    pub refused: Option<f64>,
    /// Median milliseconds of an answer; null if no row was timed.
    pub latency_ms: Option<f64>,
    /// Rows that were timed.
    pub timed: usize,
    /// Calls to language models for all questions, as if it had been run alone and without a cache; without the judge.
    pub calls: u64,
    /// Tokens that these calls read.
    pub prompt_tokens: u64,
    /// Tokens that these calls wrote.
    pub completion_tokens: u64,
    /// What these calls cost in US dollars; null if a price is not known.
    pub cost: Option<f64>,
    /// Rows that failed.
    pub failed: usize,
}

/// The choice among the combinations.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SweepChoice {
    /// What was chosen, and what that is worth.
    #[serde(flatten)]
    pub found: Choice,
    /// The number of the combination that the sweep started from.
    pub start: usize,
    /// The settings to change, as a settings file; null unless the verdict is `better`.
    pub recommended: Option<String>,
}

impl SweepChoice {
    /// The choice, with the settings to change if it is better.
    pub(super) fn new(found: Choice, combinations: &Combinations) -> Self {
        let better =
            found.best.filter(|best| found.verdict == Verdict::Better && *best != combinations.start);
        Self {
            recommended: better.map(|best| toml(combinations, best)),
            start: combinations.start + 1,
            found,
        }
    }
}

/// The settings of a combination that differ from those of the start, as a settings file.
fn toml(combinations: &Combinations, at: usize) -> String {
    let (own, start) = (&combinations.all[at], &combinations.all[combinations.start]);
    let mut sections: BTreeMap<String, String> = BTreeMap::new();
    for (key, value, _) in own.layers.entries() {
        // A mode that was given beside the settings belongs to what was measured.
        let needed = combinations.mode_given && key == "retrieve.mode";
        let same = !needed && start.layers.get(key).is_some_and(|(other, _)| other == value);
        if let Some((section, name)) = key.rsplit_once('.').filter(|_| !same) {
            let lines = sections.entry(section.to_owned()).or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{name} = {value}");
        }
    }
    let section = |(name, lines): (&String, &String)| format!("[{name}]\n{lines}");
    sections.iter().map(section).collect::<Vec<_>>().join("\n")
}
