//! What is read of a reply, in whatever format.

use crate::{
    complaint::{Complaint, complaint, inside},
    conform::{OTHER_FORM, conform},
    extract::{self, thinking},
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
    /// The server reports an error in a body with status 200.
    Error(Complaint),
    /// It holds no reply.
    NoReply(NoReply),
}

/// Why there is no answer when a reply has none.
pub(crate) const EMPTY: &str = "its message is empty";
/// How to switch off reasoning that takes the place of the answer.
const NO_REASONING: &str = "switch its reasoning off (such as reasoning_effort = \"none\", enable_thinking = false or think = \
                            false at the server), start the server without a parser for reasoning, or use another model";

/// Reads a reply. With a `schema`, what stands around the JSON is taken away, damaged JSON is repaired, and values in
/// another form are brought into that of the schema.
pub(crate) fn parse(wire: &dyn Wire, body: &str, schema: Option<&Value>) -> Result<Reply, BadReply> {
    let bad = |reason: NoReply| BadReply::NoReply(reason);
    let body: Value = serde_json::from_str(body).map_err(|error| {
        let said = complaint(body);
        // Text in place of JSON, such as the page of a gateway.
        if said.status.is_some() && !body.trim_start().starts_with(['{', '[']) {
            return BadReply::Error(said);
        }
        bad(NoReply::Shape(
            format!("it is not JSON ({error})"),
            Tokens::default(),
        ))
    })?;
    if let Some(error) = inside(&body, wire.mark()) {
        return Err(BadReply::Error(error));
    }
    let raw = wire.read(body).map_err(bad)?;
    let (thought, said) = thinking(&raw.text);
    let found = match schema {
        Some(schema) => structured(&raw.text, raw.truncated, schema).map(|(found, _)| found),
        None => None,
    };
    let found = match found {
        Some(found) => found,
        None if said.is_empty() && !raw.truncated => answer_in_thought(&raw, thought, schema).map_err(bad)?,
        None => (said.to_owned(), Vec::new()),
    };
    let (text, repairs) = found;
    Ok(Reply {
        text,
        model: raw.model.filter(|m| !m.is_empty()),
        tokens: raw.tokens,
        truncated: raw.truncated,
        repairs,
    })
}

/// The JSON in a text, in the form of the schema as far as it can be read so, and what was repaired; and whether all of it
/// has that form.
fn structured(text: &str, truncated: bool, schema: &Value) -> Option<((String, Vec<&'static str>), bool)> {
    let extract::Found { json, mut repairs } = extract::json(text, truncated)?;
    let (read, fits) = conform(&json, schema);
    let json = match read {
        Some(read) => {
            repairs.push(OTHER_FORM);
            read
        }
        None => json.into_owned(),
    };
    Some(((json, repairs), fits))
}

/// The answer of a model that wrote only where its reasoning belongs.
fn answer_in_thought(
    raw: &Raw,
    block: &str,
    schema: Option<&Value>,
) -> Result<(String, Vec<&'static str>), NoReply> {
    let thought = if raw.thought.trim().is_empty() {
        block
    } else {
        &raw.thought
    };
    let answer = schema
        .and_then(|schema| structured(thought, false, schema))
        .filter(|(_, fits)| *fits);
    if let Some(((json, mut repairs), _)) = answer {
        repairs.push("read the answer in the reasoning of the model");
        return Ok((json, repairs));
    }
    let reason = match thought.trim() {
        "" => EMPTY.to_owned(),
        thought => {
            let count = thought.chars().count();
            format!("{EMPTY} and it wrote only its reasoning ({count} characters); {NO_REASONING}")
        }
    };
    Err(NoReply::NoAnswer(reason, raw.tokens))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Api, wire};
    use serde_json::json;

    fn read(body: &str, structured: bool) -> Result<Reply, BadReply> {
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
        parse(wire::of(Api::OpenAi), body, structured.then_some(&schema))
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
        check(r#"{"error":"model not found"}"#, "status: None");
    }
}
