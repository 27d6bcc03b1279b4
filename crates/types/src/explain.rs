//! Errors as values: the parts of an error, for programs and for people.

use schemars::JsonSchema;
use serde::Serialize;
use std::{error::Error, fmt};

/// Why a command or a request failed. Displayed, the parts form the text of the error: the message, then `; ` and the hint if there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Error", deny_unknown_fields)]
pub struct ErrorParts {
    /// The kind of error, for programs: words joined by `_`.
    pub code: &'static str,
    /// What was wrong, in one sentence without a full stop.
    pub message: String,
    /// The value that was wrong, if there is one: a path, a setting's value, an id.
    pub value: Option<String>,
    /// What to do, if anything can be done.
    pub hint: Option<String>,
}

impl fmt::Display for ErrorParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

/// An error that can be split into parts. It displays as its [`ErrorParts`] do: if there is a hint, its text ends with
/// it.
pub trait Explain: Error {
    /// The kind of error, for programs.
    fn code(&self) -> &'static str;

    /// The value that was wrong, if there is one.
    fn value(&self) -> Option<String>;

    /// What to do, if anything can be done.
    fn hint(&self) -> Option<String>;

    /// All parts.
    fn explain(&self) -> ErrorParts {
        let text = self.to_string();
        let hint = self.hint();
        let end = hint.as_ref().map(|hint| format!("; {hint}"));
        let message = end.as_deref().and_then(|end| text.strip_suffix(end));
        debug_assert_eq!(message.is_some(), hint.is_some(), "{text}: {hint:?}");
        ErrorParts {
            code: self.code(),
            message: message.unwrap_or(&text).to_owned(),
            value: self.value(),
            hint,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ChatError, Explain};

    #[test]
    fn the_parts_together_are_the_text() {
        let check = |error: ChatError, code: &str, hint: Option<&str>| {
            let parts = error.explain();
            assert_eq!(parts.to_string(), error.to_string());
            assert_eq!((parts.code, parts.hint.as_deref()), (code, hint));
            assert!(hint.is_none_or(|hint| !parts.message.contains(hint)), "{parts:?}");
        };
        let url = || "http://h/v1".to_owned();
        check(
            ChatError::Quota { url: url(), status: 429, body: "a; b".to_owned() },
            "chat_quota",
            Some("add credit or check the account's quota"),
        );
        check(
            ChatError::Auth {
                url: url(),
                status: 401,
                key_env: "KEY".to_owned(),
                sent: false,
                body: String::new(),
            },
            "chat_auth",
            Some("set KEY or llm.api_key_file to a valid key"),
        );
        // What the server says is no hint.
        check(
            ChatError::Rejected { url: url(), status: 400, body: "no; not so".to_owned() },
            "chat_rejected",
            None,
        );
    }

    #[test]
    fn the_derive_reads_messages_and_attributes() {
        const ALL: &str = "give one; or none";
        #[derive(Debug, thiserror::Error, Explain)]
        #[explain(prefix = "t", values(file, name))]
        enum Error {
            #[error("no {name} in {file}; write {name}={{x}}")]
            TwoWords { name: String, file: std::path::PathBuf },
            #[explain(no_hint, value = inner + 1)]
            #[error("{inner}; not good", inner = .0)]
            Number(u32),
            #[error("nothing; {ALL}")]
            Nothing,
            #[error(transparent)]
            Chat(ChatError),
            #[explain(code = "other", hint = inner.to_string().len())]
            #[error("{0}; {len}", len = .0.to_string().len())]
            Other(ChatError),
            #[explain(from = of)]
            #[error("{name}: {of}")]
            In { name: &'static str, of: Box<Error> },
        }
        let cut = || ChatError::Truncated { model: "m".to_owned(), max_tokens: 1 };
        let check = |error: Error, code: &str, value: Option<&str>, hint: Option<&str>| {
            let parts = error.explain();
            assert_eq!(parts.to_string(), error.to_string());
            let found = (parts.code, parts.value.as_deref(), parts.hint.as_deref());
            assert_eq!(found, (code, value, hint));
        };
        let two = || Error::TwoWords { name: "a".to_owned(), file: "f; g".into() };
        check(two(), "t_two_words", Some("f; g"), Some("write a={x}"));
        check(Error::Number(1), "t_number", Some("2"), None);
        check(Error::Nothing, "t_nothing", None, Some(ALL));
        check(Error::Chat(cut()), "chat_truncated", Some("m"), Some("raise llm.max_tokens"));
        let length = cut().to_string().len().to_string();
        check(Error::Other(cut()), "other", None, Some(&length));
        let inside = Error::In { name: "n", of: Box::new(two()) };
        check(inside, "t_two_words", Some("n"), Some("write a={x}"));
    }
}
