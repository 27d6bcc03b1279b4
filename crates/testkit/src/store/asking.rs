//! What the properties share: opening a store and asking it.

use super::{MakeStore, at_cosine, filled};
use retrieve::Searcher;
use types::{Filter, Hit, Mode, Question, Retrieval, RetrievalPlan, SourceEntry};

/// A reader of a new store of these sources.
pub(super) async fn open(make: MakeStore<'_>, sources: Vec<SourceEntry>) -> Searcher {
    filled(make, sources).await.open()
}

pub(super) fn asked(query: &str, mode: Mode, filter: Filter) -> Question {
    question::analyse(query, at_cosine(1.0), mode, filter)
}

pub(super) fn any(query: &str) -> Question {
    asked(query, Mode::Hybrid, Filter::default())
}

pub(super) async fn found(store: &Searcher, question: &Question, plan: RetrievalPlan) -> Retrieval {
    store.retrieve(question, plan).await.expect("the store can be read").retrieval
}

pub(super) fn ids_of(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.chunk().chunk_id.as_str()).collect()
}
