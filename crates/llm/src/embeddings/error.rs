//! What a failed request means for someone who embeds papers.

use types::{ChatError, Explain as _};

/// The failure in words, with what to do about it. The settings that it names are those of `[embedding]`.
pub(super) fn reason(error: &ChatError) -> String {
    let message = error.explain().message;
    match hint(error) {
        Some(hint) => format!("{message}; {hint}"),
        None => message,
    }
}

fn hint(error: &ChatError) -> Option<String> {
    Some(match error {
        ChatError::Auth { .. } | ChatError::Quota { .. } => return error.hint(),
        ChatError::NotServed { .. } => "check embedding.model and embedding.base_url".to_owned(),
        ChatError::Redirect { .. } => "set embedding.base_url to the final address".to_owned(),
        ChatError::Overloaded { .. } => {
            "try again later, or lower embedding.threads (the number of requests at the same time)".to_owned()
        }
        ChatError::Rejected { .. } | ChatError::TooLong { .. } => {
            "if a text is too long for the model, lower embedding.max_tokens".to_owned()
        }
        ChatError::Timeout { .. } => "raise llm.timeout_seconds".to_owned(),
        ChatError::Network { .. } => "check embedding.base_url and that the server is running".to_owned(),
        _ => return None,
    })
}
