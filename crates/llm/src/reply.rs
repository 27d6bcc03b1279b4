//! What is read of a reply, in whatever format.

use crate::{
    extract::{self, after_thinking},
    wire::{NoReply, Raw, Tokens, Wire},
};
use serde_json::Value;

/// What a chat call came back with, as far as it is used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) model: Option<String>,
    pub(crate) tokens: Tokens,
    pub(crate) truncated: bool,
    /// What was repaired in the text.
    pub(crate) repairs: Vec<&'static str>,
}

/// A body that is no reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BadReply {
    /// The server reports an error in a body with status 200; its own status where it names one.
    Error(Option<u16>),
    /// It holds no reply.
    NoReply(NoReply),
}

/// Reads a reply. With `structured`, what stands around the JSON is taken away, and damaged JSON is repaired.
pub(crate) fn parse(wire: &dyn Wire, body: &str, structured: bool) -> Result<Reply, BadReply> {
    let bad = |reason: NoReply| BadReply::NoReply(reason);
    let body: Value = serde_json::from_str(body).map_err(|error| {
        bad(NoReply::Shape(
            format!("it is not JSON ({error})"),
            Tokens::default(),
        ))
    })?;
    if body.get(wire.mark()).is_none() && body.get("error").is_some_and(|e| !e.is_null()) {
        return Err(BadReply::Error(status(&body["error"]["code"])));
    }
    let Raw {
        text,
        model,
        tokens,
        truncated,
    } = wire.read(body).map_err(bad)?;
    if text.trim().is_empty() && !truncated {
        let reason = "its message is empty".to_owned();
        return Err(bad(NoReply::NoAnswer(reason, tokens)));
    }
    let found = if structured {
        extract::json(&text, truncated)
    } else {
        None
    };
    let (text, repairs) = match found {
        Some(found) => (found.json.into_owned(), found.repairs),
        None => (after_thinking(&text).to_owned(), Vec::new()),
    };
    Ok(Reply {
        text,
        model: model.filter(|m| !m.is_empty()),
        tokens,
        truncated,
        repairs,
    })
}

/// A status as servers write it: a number, or its digits.
fn status(code: &Value) -> Option<u16> {
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
    u16::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Api, wire};
    use serde_json::json;

    fn read(body: &str, structured: bool) -> Result<Reply, BadReply> {
        parse(wire::of(Api::OpenAi), body, structured)
    }

    fn said(text: &str, reason: &str) -> String {
        json!({"choices": [{"message": {"content": text}, "finish_reason": reason}]}).to_string()
    }

    #[test]
    fn the_text_is_taken_out_of_what_surrounds_it() {
        let check = |text: &str, structured: bool, want: &str| {
            let reply = read(&said(text, "stop"), structured).expect(text);
            assert_eq!((reply.text.as_str(), reply.truncated), (want, false), "{text}");
            assert!(reply.repairs.is_empty(), "{text}");
        };
        let fenced = "```json\n{\"a\":1}\n```";
        check(fenced, true, "{\"a\":1}");
        check(fenced, false, fenced);
        check("<think>hm</think> Yes.", false, "Yes.");
        check("[{\"a\": 1}]", true, "[{\"a\": 1}]");
    }

    #[test]
    fn a_cut_reply_stays_marked() {
        let check = |text: &str, want: &str, repaired: bool| {
            let reply = read(&said(text, "length"), true).expect(text);
            assert_eq!((reply.text.as_str(), reply.truncated), (want, true), "{text}");
            assert_eq!(!reply.repairs.is_empty(), repaired, "{text}");
        };
        check("{\"a\":", "{\"a\":", false);
        check("{\"a\": 1, \"b", "{\"a\": 1}", true);
        check("", "", false);
    }

    #[test]
    fn what_is_no_reply_says_why() {
        let check = |body: &str, want: &str| {
            let error = format!("{:?}", read(body, true).expect_err(body));
            assert!(error.contains(want), "{body}: {error}");
        };
        check("<html>", "not JSON");
        check("{}", "choices");
        check(&said(" ", "stop"), "empty");
        check(r#"{"error":{"code":429,"message":"slow down"}}"#, "Some(429)");
        check(r#"{"error":{"code":"503","message":"later"}}"#, "Some(503)");
        check(r#"{"error":"model not loaded"}"#, "Error(None)");
    }
}
