//! An answer from a language model: one structured call, one more when the reply breaks the schema.

mod explain;

mod parse;
mod prompt;

use crate::{LlmGenerateSettings, PROMPT_VERSION, REFUSAL};
use std::sync::Arc;
use types::{
    BoxFuture, ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, FailureKind, Generated,
    GenerationFailure, GenerationInput, Generator, RagResponse, RefusalReason, Usage,
};

/// Characters of a bad reply that an error quotes.
const PREVIEW_CHARS: usize = 200;
/// Maximum number of calls for one answer.
const CALLS: u32 = 2;

/// A language model gave no usable answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// The call itself failed.
    #[error("no answer from the language model: {source}")]
    Chat {
        /// Why.
        source: Box<ChatError>,
        /// What all calls for this answer spent.
        usage: Usage,
    },
    /// Both replies break the schema.
    #[error(
        "{model} gave {calls} replies that do not follow the answer's schema: {violation} (the last began {preview:?}); {}",
        explain::SCHEMA
    )]
    Schema {
        /// The model.
        model: String,
        /// What is wrong with the last reply.
        violation: String,
        /// Calls made.
        calls: u32,
        /// The start of the last reply.
        preview: String,
        /// What the calls spent.
        usage: Usage,
    },
    /// Not even the first excerpt fits.
    #[error("the best excerpt {chunk_id} needs {needed} characters; {}", explain::no_room(.limit))]
    NoRoom {
        /// The chunk.
        chunk_id: String,
        /// Characters it takes.
        needed: usize,
        /// The setting.
        limit: usize,
    },
}

impl GenerateError {
    /// What was spent without getting an answer.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Chat { usage, .. } | Self::Schema { usage, .. } => *usage,
            Self::NoRoom { .. } => Usage::default(),
        }
    }

    /// Whether asking again can help. A model that broke the schema twice breaks it again.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Chat { source, .. } => source.kind(),
            Self::Schema { .. } | Self::NoRoom { .. } => FailureKind::Permanent,
        }
    }
}

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
        ask(&*self.model, input, &self.settings).await
    }
}

impl Generator for LanguageModel {
    fn id(&self) -> &str {
        self.model.id()
    }

    fn version(&self) -> &'static str {
        PROMPT_VERSION
    }

    fn is_verbatim(&self) -> bool {
        false
    }

    fn computes(&self) -> bool {
        false
    }

    fn generate<'a>(
        &'a self,
        input: GenerationInput<'a>,
    ) -> BoxFuture<'a, Result<Generated, GenerationFailure>> {
        Box::pin(async move {
            self.answer(input).await.map_err(|error| GenerationFailure {
                kind: error.kind(),
                usage: error.usage(),
                source: Box::new(error),
            })
        })
    }
}

async fn ask(
    model: &dyn ChatModel,
    input: GenerationInput<'_>,
    settings: &LlmGenerateSettings,
) -> Result<Generated, GenerateError> {
    if input.context.chunks.is_empty() {
        let detail = "no passage was found";
        return Ok(Generated {
            response: RagResponse::refusal(REFUSAL, detail).because(RefusalReason::NoCandidates, detail),
            ..Generated::default()
        });
    }
    let prompt = prompt::build(&input.question.text, input.context, input.evidence, settings)?;
    let mut request = ChatRequest {
        system: prompt::SYSTEM.to_owned(),
        user: prompt.user,
        schema: Some(prompt::schema()),
        max_tokens: settings.max_tokens,
    };
    let question = request.user.clone();
    let mut usage = Usage::default();
    let mut calls = 0;
    loop {
        calls += 1;
        let reply = match model.complete(&request).await {
            Ok(reply) => reply,
            Err(ChatFailure {
                error, usage: last, ..
            }) => {
                usage.add(last);
                let source = Box::new(error);
                return Err(GenerateError::Chat { source, usage });
            }
        };
        let violation = match parse::response(&reply.text, settings.accept_refusal_citations) {
            Ok(mut response) => {
                usage.add(reply.usage);
                response.caveats.extend(prompt.caveats);
                return Ok(Generated { response, usage });
            }
            Err(violation) => violation,
        };
        model.reject(&request, &reply);
        usage.add(reply.usage.unusable());
        if reply.truncated {
            return Err(cut(&reply, settings, usage));
        }
        if calls == CALLS {
            let preview = reply.text.chars().take(PREVIEW_CHARS).collect();
            return Err(GenerateError::Schema {
                model: reply.model,
                violation,
                calls,
                preview,
                usage,
            });
        }
        request.user = format!("{question}\n\n{}", prompt::repair(&violation));
    }
}

/// The error for a reply that was cut. Asking again would cut it at the same place.
fn cut(reply: &ChatReply, settings: &LlmGenerateSettings, usage: Usage) -> GenerateError {
    let spent = u32::try_from(reply.usage.completion_tokens).unwrap_or(u32::MAX);
    let max_tokens = settings.max_tokens.unwrap_or(spent);
    let source = Box::new(ChatError::Truncated {
        model: reply.model.clone(),
        max_tokens,
    });
    GenerateError::Chat { source, usage }
}
