//! Why a language model, or the whole pipeline, gave no answer, and whether a retry can help.

use crate::{BoxError, Explain, Spent, Usage};
use std::{fmt, sync::Arc, time::Duration};

/// Whether asking again can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A retry may succeed: the server is overloaded, or the connection was lost.
    Transient,
    /// The same question would fail again.
    Permanent,
    /// Every question fails until a setting or a key is changed.
    Fatal,
}

/// Why a language model gave no usable reply. No variant ever contains a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Explain)]
#[explain(prefix = "chat", values(url, limit, file, model))]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum ChatError {
    /// The server refused the key, or requires one.
    #[error("{url} {} (HTTP {status}{body}); set {key_env} or llm.api_key_file to a valid key", if *.sent { "refused the key" } else { "wants a key and was sent none" })]
    Auth { url: String, status: u16, key_env: String, sent: bool, body: String },
    /// The server has no such model, or no chat API at this address.
    #[error(
        "{url} does not serve the model {model:?} (HTTP {status}: {body}); check llm.model and llm.base_url"
    )]
    NotServed { url: String, model: String, status: u16, body: String },
    /// The account has no credit left.
    #[error(
        "{url} reports that the account has no credit left (HTTP {status}: {body}); add credit or check the account's quota"
    )]
    Quota { url: String, status: u16, body: String },
    /// The address redirects elsewhere. Redirects are not followed: they would send the papers' text to a server that
    /// the settings do not name.
    #[error("{url} redirects to another address (HTTP {status}); set llm.base_url to the final address")]
    Redirect { url: String, status: u16 },
    /// Too many requests, or a fault of the server, even after waiting.
    #[error("{url} answered HTTP {status} ({}): {body}; try again later, or lower eval.workers", tries(*.attempts))]
    Overloaded { url: String, status: u16, attempts: u32, body: String },
    /// The request was wrong.
    #[error("{url} rejected the request (HTTP {status}): {body}")]
    Rejected { url: String, status: u16, body: String },
    /// The prompt, or the prompt with its reply, is longer than the model can read.
    #[error(
        "{url} finds the request too long (HTTP {status}): {body}; lower generate.max_context_chars or \
         llm.max_tokens, or use a model or a server setting with a longer context"
    )]
    TooLong { url: String, status: u16, body: String },
    /// No answer in time.
    #[error("{url} did not answer within {} ({}); raise llm.timeout_seconds, lower eval.workers, or use a faster model", seconds(*.timeout), tries(*.attempts))]
    Timeout { url: String, timeout: Duration, attempts: u32 },
    /// The time for the whole question ran out, or what is left of it is too short for the wait before the next try.
    #[error("{}{}; raise llm.question_seconds", deadline(.url, *.limit, *.elapsed_ms, *.wait_ms), after(.last))]
    Deadline { url: String, limit: Duration, elapsed_ms: u64, wait_ms: u64, last: String },
    /// The connection failed.
    #[error("cannot reach {url} ({}): {reason}; check llm.base_url and that the server is running", tries(*.attempts))]
    Network { url: String, attempts: u32, reason: String },
    /// The call was not made, because too many calls before it had failed.
    #[error("{url} was not called: the last {calls} calls failed (last error: {last})")]
    GivenUp { url: String, calls: u32, last: String },
    /// The reply is not what was asked for.
    #[explain(no_hint)]
    #[error("the reply of {model} cannot be read: {reason}; it began {preview:?}")]
    Malformed { model: String, reason: String, preview: String },
    /// The model declined, or its message is empty.
    #[error("{model} gave no answer: {reason}")]
    NoAnswer { model: String, reason: String },
    /// The call could cost more than is left of the limit. It was not made.
    #[error(
        "the next call could cost {next}, and {spent} of {limit} is spent or reserved; raise --max-cost to go on"
    )]
    CostLimit { limit: String, spent: String, next: String },
    /// Only kept replies are used, and there is none to this request.
    #[error("{folder} has no cached reply of {model} to this request; set llm.cache to \"on\" to send it")]
    NotKept { model: String, folder: String },
    /// Only kept replies are used, and the one to this request is damaged.
    #[error("the cached reply {file} is damaged; set llm.cache to \"on\" to ask the model again")]
    KeptDamaged { file: String },
    /// The reply was cut.
    #[error("{model} stopped at {max_tokens} tokens before the reply was complete; raise llm.max_tokens")]
    Truncated { model: String, max_tokens: u32 },
}

impl ChatError {
    /// Whether asking again can help.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Overloaded { .. } | Self::Timeout { .. } | Self::Network { .. } => FailureKind::Transient,
            Self::Auth { .. }
            | Self::NotServed { .. }
            | Self::Quota { .. }
            | Self::Redirect { .. }
            | Self::CostLimit { .. } => FailureKind::Fatal,
            Self::Rejected { .. }
            | Self::TooLong { .. }
            | Self::Deadline { .. }
            | Self::GivenUp { .. }
            | Self::Malformed { .. }
            | Self::NoAnswer { .. }
            | Self::NotKept { .. }
            | Self::KeptDamaged { .. }
            | Self::Truncated { .. } => FailureKind::Permanent,
        }
    }
}

/// A call without a usable reply, and what it cost.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct ChatFailure {
    /// Why.
    pub error: ChatError,
    /// What the call spent.
    pub usage: Usage,
    /// As [`crate::ChatReply::notes`]; behind a pointer to keep the error small.
    pub notes: Arc<Vec<String>>,
}

impl From<ChatError> for ChatFailure {
    /// A failure that cost nothing.
    fn from(error: ChatError) -> Self {
        Self { error, usage: Usage::default(), notes: Arc::default() }
    }
}

/// A question without an answer, and what it cost.
#[derive(Debug)]
pub struct AnswerFailure {
    /// Why.
    pub source: BoxError,
    /// Whether asking again can help.
    pub kind: FailureKind,
    /// What language models spent on it.
    pub spent: Spent,
}

impl fmt::Display for AnswerFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl std::error::Error for AnswerFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.source()
    }
}

impl From<BoxError> for AnswerFailure {
    /// A transient failure that cost nothing.
    fn from(source: BoxError) -> Self {
        Self { source, kind: FailureKind::Transient, spent: Spent::default() }
    }
}

/// `3 tries`.
fn tries(attempts: u32) -> String {
    if attempts == 1 { "1 try".to_owned() } else { format!("{attempts} tries") }
}

/// `120 s`, `0.5 s`.
fn seconds(time: Duration) -> String {
    format!("{} s", (time.as_secs_f64() * 100.0).round() / 100.0)
}

/// What ended the time for a question.
fn deadline(url: &str, limit: Duration, elapsed_ms: u64, wait_ms: u64) -> String {
    let limit = seconds(limit);
    if wait_ms == 0 {
        return format!("the time limit for one question, {limit}, ran out before {url} gave a usable reply");
    }
    let [elapsed, wait] = [elapsed_ms, wait_ms].map(|ms| seconds(Duration::from_millis(ms)));
    format!(
        "{url} gave no usable reply in {elapsed}, and the wait of {wait} before the next try would pass the time limit for \
         one question, {limit}"
    )
}

/// Why the last try had failed, where one had.
fn after(last: &str) -> String {
    if last.is_empty() { String::new() } else { format!(" (the last try: {last})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_read_well() {
        let check = |error: &ChatError, want: &str| assert_eq!(error.to_string(), want);
        let url = || "http://h/v1/chat/completions".to_owned();
        check(
            &ChatError::Timeout { url: url(), timeout: Duration::from_mins(2), attempts: 1 },
            "http://h/v1/chat/completions did not answer within 120 s (1 try); raise llm.timeout_seconds, lower \
             eval.workers, or use a faster model",
        );
        check(
            &ChatError::Deadline {
                url: url(),
                limit: Duration::from_millis(1500),
                elapsed_ms: 1500,
                wait_ms: 0,
                last: "HTTP 503".to_owned(),
            },
            "the time limit for one question, 1.5 s, ran out before http://h/v1/chat/completions gave a usable reply \
             (the last try: HTTP 503); raise llm.question_seconds",
        );
        check(
            &ChatError::Deadline {
                url: url(),
                limit: Duration::from_secs(20),
                elapsed_ms: 612,
                wait_ms: 60_000,
                last: String::new(),
            },
            "http://h/v1/chat/completions gave no usable reply in 0.61 s, and the wait of 60 s before the next try would \
             pass the time limit for one question, 20 s; raise llm.question_seconds",
        );
        check(
            &ChatError::Network { url: url(), attempts: 4, reason: "connection refused".to_owned() },
            "cannot reach http://h/v1/chat/completions (4 tries): connection refused; check llm.base_url and that the \
             server is running",
        );
    }

    #[test]
    fn a_failure_keeps_the_causes_of_its_source() {
        let chat = ChatFailure::from(ChatError::Redirect { url: "u".to_owned(), status: 301 });
        assert_eq!(chat.error.kind(), FailureKind::Fatal);
        let answer = AnswerFailure::from(Box::new(chat) as BoxError);
        assert_eq!((answer.kind, answer.spent.is_empty()), (FailureKind::Transient, true));
        assert!(answer.to_string().contains("HTTP 301"), "{answer}");
    }
}
