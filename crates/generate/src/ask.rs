//! Asks a language model for a reply of a certain form, and once more if the reply does not have it.

use crate::{GenerateError, prompts};
use types::{ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Usage};

/// Calls for a new answer: the second one says what was wrong with the first reply.
pub(crate) const CALLS: u32 = 2;
/// Characters of a bad reply that an error quotes.
const PREVIEW_CHARS: usize = 200;

/// What `read` makes of the reply to `request`, and what the calls spent. When `read` says what is wrong with a reply,
/// the request is sent again with that and the text `repair` behind it, `calls` times in all.
///
/// # Errors
/// [`GenerateError::Chat`] when the model cannot be asked or its reply was cut, [`GenerateError::Schema`] when the last
/// reply cannot be read either.
pub(crate) async fn ask<T>(
    model: &dyn ChatModel,
    mut request: ChatRequest,
    calls: u32,
    repair: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<(T, Usage), GenerateError> {
    let question = request.user.clone();
    let mut usage = Usage::default();
    let mut made = 0;
    loop {
        made += 1;
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
        let violation = match read(&reply.text) {
            Ok(answer) => {
                usage.add(reply.usage);
                return Ok((answer, usage));
            }
            Err(violation) => violation,
        };
        model.reject(&request, &reply);
        usage.add(reply.usage.unusable());
        if reply.truncated {
            model.forget(&request);
            return Err(cut(&reply, request.max_tokens, usage));
        }
        if made >= calls {
            for user in [&question, &request.user] {
                model.forget(&ChatRequest {
                    user: user.clone(),
                    ..request.clone()
                });
            }
            let preview = reply.text.chars().take(PREVIEW_CHARS).collect();
            return Err(GenerateError::Schema {
                model: reply.model,
                violation,
                calls: made,
                preview,
                usage,
            });
        }
        request.user = format!("{question}\n\n{}", prompts::with_error(repair, &violation));
    }
}

/// The error for a reply that was cut. Asking again would cut it at the same place.
fn cut(reply: &ChatReply, max_tokens: Option<u32>, usage: Usage) -> GenerateError {
    let spent = u32::try_from(reply.usage.completion_tokens).unwrap_or(u32::MAX);
    let source = Box::new(ChatError::Truncated {
        model: reply.model.clone(),
        max_tokens: max_tokens.unwrap_or(spent),
    });
    GenerateError::Chat { source, usage }
}
