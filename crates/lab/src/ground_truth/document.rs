//! The results as the document of `contract`.

use super::{GroundTruthRequest, rounds::Done};
use contract::{GroundTruth, GroundTruthCandidate, GroundTruthKind};
use draft::{Candidate, Dropped};
use engine::{
    chat_models::{self, ChatModels},
    settings::Settings,
};
use std::collections::{BTreeMap, HashMap};
use types::SourceId;

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
    let dropped: BTreeMap<String, usize> = Dropped::ALL
        .into_iter()
        .filter_map(|reason| Some((reason.key().to_owned(), *done.dropped.get(&reason)?)))
        .collect();
    let kinds = done.kinds.iter().map(|(name, drafted, wanted)| GroundTruthKind {
        kind: (*name).to_owned(),
        drafted: *drafted,
        wanted: *wanted,
    });
    let total = done.spent.total();
    GroundTruth {
        output: output(request).filter(|_| complete && !done.rows.is_empty()),
        seed: request.seed(settings),
        drafted: done.rows.len(),
        kinds: kinds.collect(),
        dropped,
        failed: done.failed,
        resumed: done.resumed,
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
            chunk_id: chunk.chunk_id.to_string(),
            source_id: chunk.source_id.to_string(),
            title: titles.get(&chunk.source_id).cloned(),
            section: candidate.gold.section.clone().unwrap_or_default(),
            page_start: chunk.page_start,
            page_end: chunk.page_end,
            reasons: candidate
                .reasons
                .iter()
                .map(|reason| reason.as_str().to_owned())
                .collect(),
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
        resumed: 0,
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
