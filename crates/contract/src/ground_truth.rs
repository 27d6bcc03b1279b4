//! A drafted query set, or passages to write questions for.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use types::Usage;

/// What `ground-truth` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GroundTruth {
    /// The query set that was written; null if none was.
    pub output: Option<String>,
    /// The seed that chose the passages.
    pub seed: u64,
    /// Rows in the query set; 0 if passages were listed.
    pub drafted: usize,
    /// How many questions of each kind were drafted.
    pub kinds: Vec<GroundTruthKind>,
    /// How many drafts were dropped, by reason: `declined` (the model found nothing to ask or to answer), `unusable` (the
    /// reply), `quote` (a quote is not in its passage word for word), `invented` (the answer has a number or a name that no
    /// passage has), `points_at_passage`, `copies_passage`, `repeats` (another question), `one_passage` (a synthesis
    /// question about one), `answered` (a passage answers a question that no paper should answer), `not_judged` (whether
    /// one does), `no_document` (none of a given question is in the index).
    pub dropped: BTreeMap<String, usize>,
    /// Drafts for which the language model could not be asked. The next run tries them again.
    pub failed: usize,
    /// Drafts that an earlier, unfinished run had made.
    pub resumed: usize,
    /// What language models spent in this run; null if nothing was sent.
    pub usage: Option<Usage>,
    /// Calls that the cache answered.
    pub cached_calls: u64,
    /// Cost of this run in US dollars; null if a price is not known or no language model was used.
    pub cost: Option<f64>,
    /// Passages to write questions for; empty if questions were drafted.
    pub candidates: Vec<GroundTruthCandidate>,
    /// Hash of the settings.
    pub config_hash: String,
}

/// One kind of question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GroundTruthKind {
    /// `direct`, `synthesis`, `unanswerable`, or `given` for questions that got an answer.
    pub kind: String,
    /// Rows.
    pub drafted: usize,
    /// Rows that were asked for.
    pub wanted: usize,
}

/// A passage to write a question for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GroundTruthCandidate {
    /// The passage.
    pub chunk_id: String,
    /// Its paper.
    pub source_id: String,
    /// Title of the paper, if known.
    pub title: Option<String>,
    /// The heading as printed, or the kind of the section.
    pub section: String,
    /// First page, from 1.
    pub page_start: u32,
    /// Last page.
    pub page_end: u32,
    /// Why it was chosen: `comparison`, `numbers`, `names`.
    pub reasons: Vec<String>,
    /// A sentence of it with the most of that.
    pub sentence: String,
}
