//! What the stages before generation find for a question, without an answer.

use super::StageInput;
use crate::{Pipeline, clock::Clock, error::EngineError};
use std::sync::Arc;
use types::{Context, Filter, Mode};

impl Pipeline {
    /// The context of a question with the settings as they are, whether the topic check refuses the question or not.
    ///
    /// # Errors
    /// When the question is empty, or the store or a model fails.
    pub async fn context_of(&self, query: &str, mode: Mode) -> Result<Arc<Context>, EngineError> {
        let (question, _) = self.analyse(query, mode, &Filter::default()).await?;
        let retrieval = self.store.retrieve(&question, self.plan()).await?.retrieval;
        let asked = Arc::new(StageInput { question, retrieval });
        let round = self.round(asked, &mut Clock::start()).await?;
        Ok(round.context)
    }
}
