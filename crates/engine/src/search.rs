//! Retrieval alone.

use crate::{Pipeline, error::EngineError};
use std::collections::BTreeMap;
use types::{Filter, Mode, Question, RetrievalOutcome, RetrievalPlan};

/// What retrieval found, with the time it took.
#[derive(Clone, Debug)]
pub struct Found {
    /// The question.
    pub question: Question,
    /// The hits, with explanations if they were asked for.
    pub retrieved: RetrievalOutcome,
    /// Milliseconds of the stages `embed` and `retrieve`.
    pub timings_ms: BTreeMap<String, f64>,
}

impl Found {
    /// What was taken from the words of the question, and how the search differed from what the settings ask for, as
    /// sentences.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = crate::show::notes(&self.question.filter, &self.question.understood);
        notes.extend_from_slice(&self.retrieved.notes);
        notes
    }
}

impl Pipeline {
    /// Retrieves at most `count` hits, without answering.
    ///
    /// # Errors
    /// When the question is empty, the filter names an unknown source, or the model or the store fails.
    pub async fn search(
        &self,
        query: &str,
        mode: Mode,
        filter: &Filter,
        count: usize,
        explain: bool,
    ) -> Result<Found, EngineError> {
        let (question, mut clock) = self.analyse(query, mode, filter).await?;
        let plan = RetrievalPlan {
            hits: Some(count),
            neighbours: 0,
            sentences: true,
            explain,
        };
        let retrieved = self.store.retrieve(&question, plan).await?;
        clock.lap("retrieve");
        Ok(Found {
            question,
            retrieved,
            timings_ms: clock.laps,
        })
    }
}
