//! Asks a language model for a reply of a certain form, and once more if the reply does not have it.

use crate::{ChatError, ChatFailure, ChatModel, ChatReply, ChatRequest, Prompt, Usage};
use text::addresses::{addresses, without};

/// Characters of a bad reply that an error quotes, without its addresses.
const PREVIEW_CHARS: usize = 200;

/// Why there is no reply of the form that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// The model could not be asked, or its reply was cut. The usage is that of all calls.
    Chat(ChatFailure),
    /// No reply has the form.
    Unusable {
        /// The model, as it names itself.
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
}

/// What `read` makes of the reply to `request`, and what the calls spent. When `read` says what is wrong with a reply, the
/// request is sent again with what `repair` makes of that behind it, `calls` times in all. A cache forgets the replies if
/// none can be used.
///
/// # Errors
/// [`Unanswered`].
pub async fn ask<T>(
    model: &dyn ChatModel,
    mut request: ChatRequest,
    calls: u32,
    repair: impl Fn(&str) -> Prompt,
    read: impl Fn(&ChatReply) -> Result<T, String>,
) -> Result<(T, Usage), Unanswered> {
    let question = request.user.clone();
    let mut usage = Usage::default();
    let mut made = 0;
    loop {
        made += 1;
        let reply = match model.complete(&request).await {
            Ok(reply) => reply,
            Err(failure) => {
                usage.add(failure.usage);
                return Err(Unanswered::Chat(ChatFailure { usage, ..failure }));
            }
        };
        let violation = match reply.check_size().and_then(|()| read(&reply)) {
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
            return Err(Unanswered::Chat(cut(&reply, request.max_tokens, usage)));
        }
        if made >= calls {
            for user in [&question, &request.user] {
                model.forget(&ChatRequest {
                    user: user.clone(),
                    ..request.clone()
                });
            }
            let preview: String = reply.text.chars().take(PREVIEW_CHARS).collect();
            let [violation, preview] = [violation, preview].map(|text| {
                let addresses = addresses(&text).into_iter();
                without(&text, addresses.map(|address| address.span))
            });
            return Err(Unanswered::Unusable {
                model: reply.model,
                violation,
                calls: made,
                preview,
                usage,
            });
        }
        request.user = question.clone().own("\n\n").then(&repair(&violation));
    }
}

/// The failure of a reply that was cut. Asking again would cut it at the same place.
fn cut(reply: &ChatReply, max_tokens: Option<u32>, usage: Usage) -> ChatFailure {
    let spent = u32::try_from(reply.usage.completion_tokens).unwrap_or(u32::MAX);
    let error = ChatError::Truncated {
        model: reply.model.clone(),
        max_tokens: max_tokens.unwrap_or(spent),
    };
    ChatFailure {
        usage,
        ..ChatFailure::from(error)
    }
}
