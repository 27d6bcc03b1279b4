//! Asks a language model for an answer of a certain form, and once more if its reply does not have it.

use crate::{GenerateError, prompts};
use types::{ChatModel, ChatRequest, Unanswered, Usage};

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
    let repair = |violation: &str| prompts::with_error(repair, violation);
    Ok(types::ask(model, request, calls, repair, |reply| read(&reply.text)).await?)
}

impl From<Unanswered> for GenerateError {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Chat(failure) => Self::Chat {
                source: Box::new(failure.error),
                usage: failure.usage,
            },
            Unanswered::Unusable {
                model,
                violation,
                calls,
                preview,
                usage,
            } => Self::Schema {
                model,
                violation,
                calls,
                preview,
                usage,
            },
        }
    }
}
