//! Asks a language model whether the context answers the question, and for further searches if it does not.

mod reply;

use crate::{
    GenerateError, LlmGenerateSettings,
    ask::{CALLS, ask},
    language_model, prompts,
};
pub use reply::Plan;
use std::sync::Arc;
use types::{ChatModel, ChatRequest, Context, Evidence, GenerationFailure, Prompt, Question};

/// Settings of [`Planner`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannerSettings {
    /// Searches that a model may ask for; 0 for none.
    pub limit: usize,
    /// As [`LlmGenerateSettings::max_context_chars`].
    pub max_context_chars: usize,
    /// Bound of the reply in the model's tokens; `None` leaves it to the client.
    pub max_tokens: Option<u32>,
}

impl Default for PlannerSettings {
    /// The values of `configs/default.toml`; a test of the settings compares them.
    fn default() -> Self {
        let generation = LlmGenerateSettings::default();
        Self {
            limit: 0,
            max_context_chars: generation.max_context_chars,
            max_tokens: generation.max_tokens,
        }
    }
}

/// Plans further searches.
#[derive(Clone)]
pub struct Planner {
    model: Arc<dyn ChatModel>,
    settings: PlannerSettings,
}

impl Planner {
    /// Uses `model`.
    pub fn new(model: Arc<dyn ChatModel>, settings: PlannerSettings) -> Self {
        Self { model, settings }
    }

    /// Asks in one call, and in a second one if the reply breaks the schema. The context may be empty; chunks that do not
    /// fit are left out as for an answer.
    ///
    /// # Errors
    /// When the model cannot be asked, its reply was cut, two replies in a row break the schema, or no excerpt fits the
    /// prompt.
    pub async fn plan(&self, question: &Question, context: &Context) -> Result<Plan, GenerationFailure> {
        Ok(self.asked(question, context).await?)
    }

    async fn asked(&self, question: &Question, context: &Context) -> Result<Plan, GenerateError> {
        let shown = LlmGenerateSettings {
            max_context_chars: self.settings.max_context_chars,
            ..LlmGenerateSettings::default()
        };
        let limit = self.settings.limit;
        let prompt = language_model::prompt::build(&question.text, context, Evidence::Sufficient, &shown)?;
        let request = ChatRequest {
            system: Prompt::filled(prompts::FURTHER, "limit", &limit.to_string()),
            user: prompt.user,
            schema: Some(reply::schema(limit)),
            max_tokens: self.settings.max_tokens,
        };
        let read = |text: &str| reply::read(text, &question.text, limit);
        let (plan, _) = ask(&*self.model, request, CALLS, prompts::FURTHER_REPAIR, read).await?;
        Ok(plan)
    }
}
