//! What is read of a reply, in whatever format.

use crate::{
    complaint::{complaint, inside},
    conform::conform,
    extract::{self, thinking},
    wire::{NoReply, Raw, Tokens, Wire},
};
use serde_json::Value;

/// Why there is no answer when a reply has none.
pub(crate) const EMPTY: &str = "its message is empty";
/// How to switch off reasoning that takes the place of the answer.
const NO_REASONING: &str = "switch its reasoning off (such as reasoning_effort = \"none\", enable_thinking = false or think = \
                            false at the server), start the server without a parser for reasoning, or use another model";

/// Reads a reply. With a `schema`, what stands around the JSON is taken away, and values in another form are brought into that of
/// the schema.
pub(crate) fn parse(wire: &dyn Wire, body: &str, schema: Option<&Value>) -> Result<Raw, NoReply> {
    let body: Value = serde_json::from_str(body).map_err(|error| {
        let said = complaint(body);
        // Text in place of JSON, such as the page of a gateway.
        if said.status.is_some() && !body.trim_start().starts_with(['{', '[']) {
            return NoReply::Error(said);
        }
        NoReply::Shape(format!("it is not JSON ({error})"), Tokens::default())
    })?;
    if let Some(error) = inside(&body, wire.mark()) {
        return Err(NoReply::Error(error));
    }
    let raw = wire.read(body)?;
    let (thought, said) = thinking(&raw.text);
    let text = match schema.and_then(|schema| structured(&raw.text, schema)) {
        Some((text, _)) => text,
        None if said.is_empty() && !raw.truncated => answer_in_thought(&raw, thought, schema)?,
        None => said.to_owned(),
    };
    let model = raw.model.filter(|m| !m.is_empty());
    Ok(Raw { text, model, ..raw })
}

/// The JSON in a text, in the form of the schema as far as it can be read so, and whether all of it has that form.
pub(crate) fn structured(text: &str, schema: &Value) -> Option<(String, bool)> {
    let json = extract::json(text)?;
    let (read, fits) = conform(json, schema);
    Some((read.unwrap_or_else(|| json.to_owned()), fits))
}

/// The answer of a model that wrote only where its reasoning belongs.
fn answer_in_thought(raw: &Raw, block: &str, schema: Option<&Value>) -> Result<String, NoReply> {
    let thought = [raw.thought.trim(), block][usize::from(raw.thought.trim().is_empty())];
    if let Some((json, true)) = schema.and_then(|schema| structured(thought, schema)) {
        return Ok(json);
    }
    let reason = match thought.chars().count() {
        0 => EMPTY.to_owned(),
        count => format!("{EMPTY} and it wrote only its reasoning ({count} characters); {NO_REASONING}"),
    };
    Err(NoReply::NoAnswer(reason, raw.tokens))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Api, wire};
    use serde_json::json;

    fn read(body: &str, structured: bool) -> Result<Raw, NoReply> {
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
        };
        let fenced = "```json\n{\"a\":1}\n```";
        check(fenced, true, "{\"a\":1}");
        check(fenced, false, fenced);
        check("<think>hm</think> Yes.", false, "Yes.");
    }

    #[test]
    fn a_cut_reply_stays_marked() {
        for text in ["{\"a\":", "{\"a\": 1, \"b", ""] {
            let reply = read(&said(text, "length"), true).expect(text);
            assert_eq!((reply.text.as_str(), reply.truncated), (text, true));
        }
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
