//! One call of a language model that judges, and a second one if the reply cannot be used.

use super::JudgeError;
use types::{ChatModel, ChatReply, ChatRequest, Prompt, Unanswered, Usage};

/// Calls for one verdict: a reply that cannot be used is asked for once more.
const CALLS: u32 = 2;

/// What `read` makes of the reply, and what the calls spent. The user's part may have `max_chars` characters and is never cut;
/// `judge` names the judge in the error. Nothing of a bad reply goes back to the model, only what `read` says of it.
pub(super) async fn ask<T>(
    model: &dyn ChatModel,
    judge: &str,
    request: ChatRequest,
    max_chars: usize,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<(T, Usage), JudgeError> {
    let chars = request.user.chars().count();
    if chars > max_chars {
        return Err(JudgeError::TooLong { chars, limit: max_chars });
    }
    let repair = |violation: &str| {
        Prompt::filled("An earlier reply was not usable: {violation}.", "violation", violation)
    };
    let read = |reply: &ChatReply| {
        if reply.truncated {
            return Err("it was cut at the token limit".to_owned());
        }
        read(reply.text.trim())
    };
    let asked = types::ask(model, request, CALLS, repair, read).await;
    asked.map_err(|failed| match failed {
        Unanswered::Chat(failure) => JudgeError::Chat(failure),
        Unanswered::Unusable { violation, usage, .. } => {
            JudgeError::Malformed { judge: judge.to_owned(), reason: violation, usage }
        }
    })
}

/// What is wrong with a reply that is no JSON of the form that was asked for.
pub(super) fn not_json(error: &serde_json::Error) -> String {
    format!("it is not the JSON object asked for (line {}, column {})", error.line(), error.column())
}
