//! Asks a language model for an answer of a certain form, and once more if its reply does not have it; why it gave no usable
//! answer.

use std::fmt::Display;
use types::{
    ChatError, ChatModel, ChatRequest, Explain, FailureKind, GenerationFailure, Prompt, Unanswered, Usage,
};

/// Calls for a new answer: the second one says what was wrong with the first reply.
pub(crate) const CALLS: u32 = 2;

/// As [`types::ask`], with the text `repair` behind the second request.
///
/// # Errors
/// [`GenerateError::Chat`] when the model cannot be asked or its reply was cut, [`GenerateError::Schema`] when the last
/// reply cannot be read either.
pub(crate) async fn ask<T>(
    model: &dyn ChatModel,
    request: ChatRequest,
    calls: u32,
    repair: &'static str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<(T, Usage), GenerateError> {
    let repair = |violation: &str| Prompt::filled(repair.trim(), "error", violation);
    Ok(types::ask(model, request, calls, repair, |reply| read(&reply.text)).await?)
}

impl From<Unanswered> for GenerateError {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Chat(failure) => Self::Chat { source: Box::new(failure.error), usage: failure.usage },
            Unanswered::Unusable { model, violation, calls, preview, usage } => {
                Self::Schema { model, violation, calls, preview, usage }
            }
        }
    }
}

const SCHEMA: &str = "use a stronger model, or a server that enforces JSON schemas";

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
    /// Every reply breaks the schema.
    #[error(
        "{model} gave {}: {violation} (the last began {preview:?}); {SCHEMA}",
        replies(*.calls)
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
    /// No excerpt fits.
    #[error("the best excerpt {chunk_id} needs {needed} characters; {}", no_room(.limit))]
    NoRoom {
        /// The chunk with the highest score.
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

impl From<GenerateError> for GenerationFailure {
    fn from(error: GenerateError) -> Self {
        Self { kind: error.kind(), usage: error.usage(), source: Box::new(error) }
    }
}

impl Explain for GenerateError {
    fn code(&self) -> &'static str {
        match self {
            Self::Chat { source, .. } => source.code(),
            Self::Schema { .. } => "generate_schema",
            Self::NoRoom { .. } => "generate_no_room",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Chat { source, .. } => source.value(),
            Self::Schema { model, .. } => Some(model.clone()),
            Self::NoRoom { chunk_id, .. } => Some(chunk_id.clone()),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Chat { source, .. } => source.hint(),
            Self::Schema { .. } => Some(SCHEMA.to_owned()),
            Self::NoRoom { limit, .. } => Some(no_room(limit)),
        }
    }
}

fn replies(calls: u32) -> String {
    if calls == 1 {
        "1 reply that does not follow the answer's schema".to_owned()
    } else {
        format!("{calls} replies that do not follow the answer's schema")
    }
}

fn no_room(limit: &dyn Display) -> String {
    format!("raise generate.max_context_chars, now {limit}")
}
