//! What the server does with one request.

use serde_json::{Value, json};
use std::fmt::Write;

/// Tokens that [`Step::said`] reports as read and as written.
const TOKENS: (u64, u64) = (7, 2);

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Step {
    /// Answers.
    Answer {
        /// HTTP status.
        status: u16,
        /// Further header lines.
        headers: Vec<(String, String)>,
        /// The body: text or any bytes.
        body: Vec<u8>,
    },
    /// Promises more bytes than it sends, then closes.
    Cut(Vec<u8>),
    /// Sends an answer byte by byte, with this many milliseconds between them.
    Slow(Vec<u8>, u64),
    /// Closes without a word.
    Close,
    /// Never answers.
    Hang,
}

impl Step {
    /// A status and a body.
    pub fn answer(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::Answer { status, headers: Vec::new(), body: body.into() }
    }

    /// A reply of the model `m-1`, which reports 7 tokens read and 2 written.
    pub fn said(text: impl Into<String>) -> Self {
        Self::completion(&text.into(), "stop", TOKENS)
    }

    /// A reply that was cut at the token limit.
    pub fn cut_short(text: &str) -> Self {
        Self::completion(text, "length", TOKENS)
    }

    /// A reply that reports these numbers of tokens read and written.
    pub fn completion(text: &str, finish_reason: &str, tokens: (u64, u64)) -> Self {
        let body = json!({
            "model": "m-1",
            "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}],
            "usage": {"prompt_tokens": tokens.0, "completion_tokens": tokens.1},
        });
        Self::answer(200, body.to_string())
    }

    /// A reply that is a JSON value.
    pub fn json(value: &Value) -> Self {
        Self::said(value.to_string())
    }

    /// The same reply as server-sent events, a few characters in each.
    pub fn streamed(value: &Value) -> Self {
        let text: Vec<char> = value.to_string().chars().collect();
        let event = |delta: Value, finish: Value| {
            let choice = json!({"delta": delta, "finish_reason": finish});
            format!("data: {}\n\n", json!({"model": "m-1", "choices": [choice]}))
        };
        let pieces = text.chunks(5).map(|piece| piece.iter().collect::<String>());
        let mut body: String = pieces.map(|piece| event(json!({"content": piece}), Value::Null)).collect();
        body.push_str(&event(json!({}), "stop".into()));
        let usage = json!({"prompt_tokens": TOKENS.0, "completion_tokens": TOKENS.1});
        let counted = json!({"choices": [], "usage": usage});
        body.extend(["data: ", &counted.to_string(), "\n\ndata: [DONE]\n\n"]);
        Self::answer(200, body).with_header("content-type", "text/event-stream")
    }

    /// An error with a message, wrapped as servers do.
    pub fn error(status: u16, message: &str) -> Self {
        Self::answer(status, json!({"error": {"message": message}}).to_string())
    }

    /// The same answer with another header line.
    ///
    /// # Panics
    /// When the step is no answer.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        match &mut self {
            Self::Answer { headers, .. } => headers.push((name.to_owned(), value.to_owned())),
            other => panic!("{other:?} has no headers"),
        }
        self
    }

    /// What is sent over the wire.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let (status, headers, body, missing) = match self {
            Self::Answer { status, headers, body } => (*status, headers.as_slice(), body, 0),
            Self::Cut(body) => (200, [].as_slice(), body, 100),
            Self::Slow(body, _) => (200, [].as_slice(), body, 0),
            Self::Close | Self::Hang => return Vec::new(),
        };
        let mut head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n");
        for (name, value) in headers {
            // Writing to a string cannot fail.
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "content-length: {}\r\n\r\n", body.len() + missing);
        [head.as_bytes(), body.as_slice()].concat()
    }
}
