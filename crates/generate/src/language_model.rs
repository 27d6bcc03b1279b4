//! An answer from a language model: one structured call, one more when the reply breaks the schema.

mod marks;
mod parse;
pub(crate) mod prompt;
mod revision;

use crate::{
    GenerateError, LlmGenerateSettings, PROMPT_VERSION,
    ask::{CALLS, ask},
    extractive::compose,
    prompts,
};
use std::sync::Arc;
use types::{
    BoxFuture, ChatModel, ChatRequest, Generated, GenerationFailure, GenerationInput, Generator, Prompt,
    RagResponse,
};

/// Asks a language model to answer from the context.
#[derive(Clone)]
pub struct LanguageModel {
    model: Arc<dyn ChatModel>,
    settings: LlmGenerateSettings,
}

impl LanguageModel {
    /// Uses `model`.
    pub fn new(model: Arc<dyn ChatModel>, settings: LlmGenerateSettings) -> Self {
        Self { model, settings }
    }

    /// Asks the model. Returns the answer as the model gave it, and what it cost.
    ///
    /// The response is the model's own, so that it can be logged as such: the guardrails lower its confidence and fill
    /// in a refusal without words. Only what was done to the prompt is added, as caveats: excerpts that did not fit,
    /// and text that imitated the prompt's delimiters. An empty context is refused without a call.
    ///
    /// # Errors
    /// [`GenerateError::Chat`] when the model cannot be asked or its reply was cut, [`GenerateError::Schema`] when
    /// two replies in a row contradict the schema, [`GenerateError::NoRoom`] when no excerpt fits the prompt.
    pub async fn answer(&self, input: GenerationInput<'_>) -> Result<Generated, GenerateError> {
        self.reply_to(input, None, CALLS).await
    }

    /// Asks the model, in one call, to correct sentences of its `answer` from the same excerpts. Each of `problems` begins with
    /// a sentence that they do not support, the reason behind it. The other sentences stay, with their evidence.
    ///
    /// # Errors
    /// As [`Self::answer`]; [`GenerateError::Schema`] after the first reply that contradicts the schema.
    pub async fn revised(
        &self,
        input: GenerationInput<'_>,
        answer: &RagResponse,
        problems: &[String],
    ) -> Result<Generated, GenerateError> {
        let more = prompt::revision(answer, problems);
        let mut revised = self.reply_to(input, Some(more), 1).await?;
        revised.response = revision::merged(answer, revised.response, problems);
        Ok(revised)
    }

    /// The reply to the excerpts, the question and what is added behind them.
    async fn reply_to(
        &self,
        input: GenerationInput<'_>,
        more: Option<Prompt>,
        calls: u32,
    ) -> Result<Generated, GenerateError> {
        if input.context.chunks.is_empty() {
            return Ok(Generated { response: compose::refusal(input.context), ..Generated::default() });
        }
        let mut prompt = prompt::build(&input.question.text, input.context, input.evidence, &self.settings)?;
        if let Some(more) = more {
            prompt.user = prompt.user.own("\n\n").then(&more);
        }
        let request = ChatRequest {
            system: prompts::ANSWER.into(),
            user: prompt.user,
            schema: Some(prompt::schema()),
            max_tokens: self.settings.max_tokens,
        };
        let accept = self.settings.accept_refusal_citations;
        let read = |text: &str| parse::response(text, accept);
        let (mut response, usage) = ask(&*self.model, request, calls, prompts::REPAIR, read).await?;
        for caveat in prompt.caveats {
            // A revised answer may repeat those of the earlier one.
            if !response.caveats.contains(&caveat) {
                response.caveats.push(caveat);
            }
        }
        Ok(Generated { response, usage, fell_back: false })
    }
}

impl Generator for LanguageModel {
    fn id(&self) -> &str {
        self.model.id()
    }

    fn version(&self) -> &'static str {
        PROMPT_VERSION
    }

    fn instructions(&self) -> &[&str] {
        &[prompts::ANSWER, prompts::PARTIAL, prompts::REPAIR, prompts::REVISE]
    }

    fn generate<'a>(
        &'a self,
        input: GenerationInput<'a>,
    ) -> BoxFuture<'a, Result<Generated, GenerationFailure>> {
        Box::pin(async move { Ok(self.answer(input).await?) })
    }

    fn revise<'a>(
        &'a self,
        input: GenerationInput<'a>,
        answer: &'a RagResponse,
        problems: &'a [String],
    ) -> Option<BoxFuture<'a, Result<Generated, GenerationFailure>>> {
        Some(Box::pin(async move { Ok(self.revised(input, answer, problems).await?) }))
    }
}
