//! An answer from a language model: one structured call, one more when the reply breaks the schema.

mod parse;
mod prompt;

use crate::{Evidence, LlmGenerateSettings, REFUSAL};
use types::{
    ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Context, FailureKind, RagResponse,
    RefusalReason, Usage,
};

/// Characters of a bad reply that an error quotes.
const PREVIEW_CHARS: usize = 200;
/// Calls for one answer at most.
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
        "{model} gave {calls} replies that do not follow the answer's schema: {violation} (the last began \
         {preview:?}); use a stronger model, or a server that enforces JSON schemas"
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
    #[error(
        "the best excerpt {chunk_id} needs {needed} characters; raise generate.max_context_chars, now {limit}"
    )]
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
    /// What was spent although no answer came of it.
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

/// Asks `model` to answer `query` from `context`. Returns the answer as the model gave it, and what it cost.
///
/// The response is the model's own, so that it can be logged as such: the guardrails lower its confidence and fill in
/// a refusal without words. Only what was done to the prompt is added, as caveats: excerpts that did not fit, and
/// text that imitated the prompt's delimiters. An empty context is refused without a call.
///
/// # Errors
/// [`GenerateError::Chat`] when the model cannot be asked or its reply was cut, [`GenerateError::Schema`] when
/// two replies in a row contradict the schema, [`GenerateError::NoRoom`] when no excerpt fits the prompt.
pub async fn generate_llm(
    model: &dyn ChatModel,
    query: &str,
    context: &Context,
    evidence: Evidence,
    settings: &LlmGenerateSettings,
) -> Result<(RagResponse, Usage), GenerateError> {
    if context.chunks.is_empty() {
        let detail = "no passage was found";
        let refusal = RagResponse::refusal(REFUSAL, detail).because(RefusalReason::NoCandidates, detail);
        return Ok((refusal, Usage::default()));
    }
    let prompt = prompt::build(query, context, evidence, settings)?;
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
            Err(ChatFailure { error, usage: last }) => {
                usage.add(last);
                let source = Box::new(error);
                return Err(GenerateError::Chat { source, usage });
            }
        };
        let violation = match parse::response(&reply.text, settings.accept_refusal_citations) {
            Ok(mut response) => {
                usage.add(reply.usage);
                response.caveats.extend(prompt.caveats);
                return Ok((response, usage));
            }
            Err(violation) => violation,
        };
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
