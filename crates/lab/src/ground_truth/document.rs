//! What `queries draft` prints.

use super::{
    GroundTruthRequest,
    rounds::{Done, GroundTruthKind},
};
use crate::draft::{Candidate, Dropped};
use engine::{
    chat_models::{self, ChatModels},
    settings::Settings,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use types::{ChunkId, SourceId, Usage};

/// What `queries draft` prints.
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
    pub dropped: BTreeMap<&'static str, usize>,
    /// Drafts for which the language model could not be asked. The next run tries them again.
    pub failed: usize,
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

/// A passage to write a question for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GroundTruthCandidate {
    /// The passage.
    pub chunk_id: ChunkId,
    /// Its paper.
    pub source_id: SourceId,
    /// Title of the paper, if known.
    pub title: Option<String>,
    /// The heading as printed, or the kind of the section.
    pub section: String,
    /// First page, from 1.
    pub page_start: u32,
    /// Last page.
    pub page_end: u32,
    /// Why it was chosen: `comparison`, `numbers`, `names`.
    pub reasons: Vec<&'static str>,
    /// A sentence of it with the most of that.
    pub sentence: String,
}

/// What was drafted.
pub(super) fn drafted(
    settings: &Settings,
    request: &GroundTruthRequest,
    models: &ChatModels,
    done: &Done,
    complete: bool,
) -> GroundTruth {
    let named = chat_models::by_stage(settings);
    let cost = done.spent.iter().map(|(stage, usage)| {
        let price = models.price(named.get(stage)?)?;
        Some(price.of(usage))
    });
    let cost: Option<f64> = cost.sum();
    let dropped =
        Dropped::ALL.into_iter().filter_map(|reason| Some((reason.key(), *done.dropped.get(&reason)?)));
    let total = done.spent.total();
    GroundTruth {
        output: output(request).filter(|_| complete && !done.rows.is_empty()),
        seed: request.seed(settings),
        drafted: done.rows.len(),
        kinds: done.kinds.clone(),
        dropped: dropped.collect(),
        failed: done.failed,
        usage: (total.requests > 0).then_some(total),
        cached_calls: models.counts().hits(),
        cost,
        candidates: Vec::new(),
        config_hash: settings.config_hash(),
    }
}

/// What was listed.
pub(super) fn listed(
    settings: &Settings,
    request: &GroundTruthRequest,
    candidates: &[Candidate],
    titles: &HashMap<SourceId, String>,
) -> GroundTruth {
    let candidate = |candidate: &Candidate| {
        let chunk = &candidate.chunk;
        GroundTruthCandidate {
            chunk_id: chunk.chunk_id.clone(),
            source_id: chunk.source_id.clone(),
            title: titles.get(&chunk.source_id).cloned(),
            section: candidate.gold.section.clone().unwrap_or_default(),
            page_start: chunk.page_start,
            page_end: chunk.page_end,
            reasons: candidate.reasons.iter().map(|reason| reason.as_str()).collect(),
            sentence: candidate.gold.quote.clone(),
        }
    };
    GroundTruth {
        output: output(request),
        seed: request.seed(settings),
        drafted: 0,
        kinds: Vec::new(),
        dropped: BTreeMap::new(),
        failed: 0,
        usage: None,
        cached_calls: 0,
        cost: None,
        candidates: candidates.iter().map(candidate).collect(),
        config_hash: settings.config_hash(),
    }
}

fn output(request: &GroundTruthRequest) -> Option<String> {
    request.output.as_ref().map(|path| path.display().to_string())
}
