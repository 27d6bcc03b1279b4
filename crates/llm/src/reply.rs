//! What is read of a reply, and of a rejection.

use crate::extract::{after_thinking, json_object};
use serde::Deserialize;
use serde_json::Value;
use types::Usage;

/// What a chat call came back with, as far as it is used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) model: Option<String>,
    pub(crate) tokens: Tokens,
    pub(crate) truncated: bool,
}

/// Tokens that the server counts for a reply; 0 where it counts none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) read: u64,
    pub(crate) written: u64,
}

impl Tokens {
    /// Adds them to what a call spent.
    pub(crate) fn add_to(self, spent: &mut Usage) {
        spent.prompt_tokens += self.read;
        spent.completion_tokens += self.written;
    }
}

/// A body that is no reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BadReply {
    /// The server reports an error in a body with status 200; its own status where it names one.
    Error {
        status: Option<u16>,
        complaint: Complaint,
    },
    /// The model declined, or said nothing: the server works. Why, and the tokens that it cost.
    NoAnswer(String, Tokens),
    /// Anything else: what is wrong, and the tokens that it cost.
    Shape(String, Tokens),
}

/// Reads a reply. With `structured`, what stands around the JSON is taken away.
pub(crate) fn parse(body: &str, structured: bool) -> Result<Reply, BadReply> {
    let no_json = |e: serde_json::Error| BadReply::Shape(format!("it is not JSON ({e})"), Tokens::default());
    let value: Value = serde_json::from_str(body).map_err(no_json)?;
    if value.get("choices").is_none() && value.get("error").is_some_and(|e| !e.is_null()) {
        let code = &value["error"]["code"];
        let status = code
            .as_u64()
            .or_else(|| code.as_str()?.parse().ok())
            .and_then(|n| u16::try_from(n).ok());
        return Err(BadReply::Error {
            status,
            complaint: complaint(body),
        });
    }
    let tokens = tokens(&value);
    let shape = |reason: String| BadReply::Shape(reason, tokens);
    let wire: Wire = serde_json::from_value(value).map_err(|e| shape(e.to_string()))?;
    let Some(choice) = wire.choices.into_iter().next() else {
        return Err(shape("it holds no choice".to_owned()));
    };
    if let Some(refusal) = choice.message.refusal.filter(|r| !r.is_empty()) {
        return Err(BadReply::NoAnswer(format!("it declined ({refusal})"), tokens));
    }
    let truncated = choice.finish_reason.as_deref() == Some("length");
    let raw = choice.message.content.map(Content::text).unwrap_or_default();
    if raw.trim().is_empty() && !truncated {
        return Err(BadReply::NoAnswer("its message is empty".to_owned(), tokens));
    }
    let text = if structured { json_object(&raw) } else { None };
    Ok(Reply {
        text: text.unwrap_or_else(|| after_thinking(&raw)).to_owned(),
        model: wire.model.filter(|m| !m.is_empty()),
        tokens,
        truncated,
    })
}

/// The tokens that a body reports.
fn tokens(body: &Value) -> Tokens {
    let count = |name: &str| body["usage"][name].as_u64().unwrap_or(0);
    Tokens {
        read: count("prompt_tokens"),
        written: count("completion_tokens"),
    }
}

/// What the body of an error says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// What people are shown: the server's words, or the whole body where it is not known which part they are.
    pub(crate) shown: String,
    /// The server's words alone. Servers echo the request in other parts of the body, and a paper's words must not be
    /// taken for the server's.
    pub(crate) words: String,
}

/// Reads the body of an error.
pub(crate) fn complaint(body: &str) -> Complaint {
    let of = |shown: &str, words: &str| Complaint {
        shown: shown.to_owned(),
        words: words.to_owned(),
    };
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return of(body, body);
    };
    let mut parts = Vec::new();
    for place in [
        "/error/message",
        "/error/param",
        "/error/code",
        "/error/type",
        "/message",
        "/detail",
        "/error",
    ] {
        if let Some(text) = value.pointer(place).and_then(Value::as_str) {
            parts.push(text.to_owned());
        }
    }
    // Validation errors of FastAPI servers: what and where, not the input that they repeat.
    for item in value
        .pointer("/detail")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        parts.push(format!(
            "{}: {}",
            item["loc"],
            item["msg"].as_str().unwrap_or_default()
        ));
    }
    if parts.is_empty() {
        return of(body, "");
    }
    let words = parts.join("; ");
    of(&words, &words)
}

#[derive(Deserialize)]
struct Wire {
    model: Option<String>,
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<Content>,
    refusal: Option<String>,
}

/// Text, or text in parts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

impl Content {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.into_iter().filter_map(|p| p.text).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_in_their_variants() {
        let check = |body: &str, structured: bool, text: &str, tokens: (u64, u64), truncated: bool| {
            let reply = parse(body, structured).expect(body);
            assert_eq!(reply.text, text, "{body}");
            assert_eq!((reply.tokens.read, reply.tokens.written), tokens, "{body}");
            assert_eq!(reply.truncated, truncated, "{body}");
        };
        let full = r#"{"model":"m1","choices":[{"message":{"content":"```json\n{\"a\":1}\n```"},
            "finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#;
        check(full, true, "{\"a\":1}", (3, 4), false);
        check(full, false, "```json\n{\"a\":1}\n```", (3, 4), false);
        check(
            r#"{"choices":[{"message":{"content":"x"}}]}"#,
            false,
            "x",
            (0, 0),
            false,
        );
        check(
            r#"{"choices":[{"message":{"content":"x"}}],"usage":null}"#,
            false,
            "x",
            (0, 0),
            false,
        );
        let parts = r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]}"#;
        check(parts, false, "ab", (0, 0), false);
        let cut = r#"{"choices":[{"message":{"content":"{\"a\":"},"finish_reason":"length"}]}"#;
        check(cut, true, "{\"a\":", (0, 0), true);
        check(
            r#"{"choices":[{"message":{"content":null},"finish_reason":"length"}]}"#,
            true,
            "",
            (0, 0),
            true,
        );
    }

    #[test]
    fn what_is_no_reply_says_why() {
        let check = |body: &str, want: &str| {
            let error = format!("{:?}", parse(body, true).expect_err(body));
            assert!(error.contains(want), "{body}: {error}");
        };
        check("<html>", "not JSON");
        check("{}", "choices");
        check(r#"{"choices":[]}"#, "no choice");
        check(r#"{"choices":[{"message":{"content":" "}}]}"#, "empty");
        check(
            r#"{"choices":[{"message":{"content":null,"refusal":"I cannot"}}]}"#,
            "declined (I cannot)",
        );
        check(
            r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
            "Tokens { read: 3, written: 4 }",
        );
        check(r#"{"error":{"code":429,"message":"slow down"}}"#, "Some(429)");
        check(r#"{"error":{"code":"503","message":"later"}}"#, "Some(503)");
        check(r#"{"error":"model not loaded"}"#, "model not loaded");
    }

    #[test]
    fn complaints_leave_the_echoed_request_out() {
        let check = |body: &str, want: &str| {
            let found = complaint(body);
            assert_eq!((found.shown.as_str(), found.words.as_str()), (want, want));
        };
        check(
            r#"{"error":{"message":"bad","param":"temperature"},"input":"response_format"}"#,
            "bad; temperature",
        );
        check(
            r#"{"detail":[{"loc":["body","x"],"msg":"extra inputs","input":"response_format"}]}"#,
            r#"["body","x"]: extra inputs"#,
        );
        check("plain", "plain");
        let echo = r#"{"request":{"content":"the model was not found"}}"#;
        let found = complaint(echo);
        assert_eq!((found.shown.as_str(), found.words.as_str()), (echo, ""));
    }
}
