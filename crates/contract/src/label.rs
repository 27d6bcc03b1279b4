//! Labels of people: answers to label, what labels say of a judge, and how raters agree.

use crate::judge::{Estimated, JudgeConfusion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of the file that `judge label` writes: an answer for a person to label. It does not say what the judge found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LabelLine {
    /// The query.
    pub id: String,
    /// To be filled in: 1 if the passages that the answer cites support all of it, else 0.
    pub faithful: Option<Value>,
    /// The question.
    pub question: String,
    /// The answer with its citations.
    pub response: String,
    /// Its claims, each with what it cites.
    pub claims: Vec<LabelClaim>,
    /// The passages that the answer was made from, each with its id, its source and its text.
    pub context: Vec<String>,
    /// How the line was drawn.
    pub sample: LabelSample,
}

/// A claim and the passages that it cites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LabelClaim {
    /// The claim.
    pub claim: String,
    /// Ids of passages.
    pub cites: Vec<String>,
}

/// How a line was drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LabelSample {
    /// The run.
    pub run_id: String,
    /// The retrieval mode.
    pub mode: String,
    /// The stratum, a letter whose order says nothing.
    pub stratum: String,
    /// How likely the row was to be drawn, above 0 to 1.
    pub probability: f64,
    /// How many rows were drawn.
    pub drawn: usize,
    /// Seed of the sample.
    pub seed: u64,
}

/// What `judge label-report` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LabelReport {
    /// The run.
    pub run_id: String,
    /// The retrieval mode.
    pub mode: String,
    /// Answers with a verdict of the judge.
    pub rows: usize,
    /// Answers with a label.
    pub labels: usize,
    /// Drawn answers without a label.
    pub unlabelled: usize,
    /// Share of the answers that the judge calls faithful.
    pub uncorrected: f64,
    /// Share of faithful answers, from labels and judge.
    pub corrected: Estimated,
    /// The same from the labels alone.
    pub labels_alone: Estimated,
    /// The weight of the judge's scores in the corrected mean, from 0.
    pub lambda: f64,
    /// Labels against verdicts.
    pub confusion: JudgeConfusion,
    /// Cohen's kappa of labels and verdicts.
    pub kappa: Option<f64>,
}

/// What `judge agreement` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeAgreement {
    /// The field with the rating.
    pub field: String,
    /// The raters.
    pub raters: Vec<Rater>,
    /// The ratings that occur.
    pub categories: Vec<String>,
    /// Items that two raters or more rated.
    pub items: usize,
    /// Items that every rater rated.
    pub complete: usize,
    /// Groups of the items that two raters or more rated; items that share a context or a question are in one group.
    pub clusters: usize,
    /// Every two raters.
    pub pairs: Vec<RaterPair>,
    /// Fleiss' kappa over the complete items; with three raters or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleiss_kappa: Option<Estimated>,
    /// Krippendorff's alpha for categories without an order; with three raters or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub krippendorff_alpha: Option<Estimated>,
    /// Seed of the intervals.
    pub seed: u64,
}

/// A rater.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Rater {
    /// The file.
    pub file: String,
    /// Items with a rating.
    pub rated: usize,
    /// Ids that another rater rated and this one did not.
    pub missing: Vec<String>,
}

/// Two raters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RaterPair {
    /// The file of the first.
    pub first: String,
    /// The file of the second.
    pub second: String,
    /// Items that both rated.
    pub items: usize,
    /// Share of these on which they agree.
    pub raw_agreement: Estimated,
    /// Cohen's kappa.
    pub kappa: Estimated,
}
