//! Anthropic's messages. A schema is asked for as the input of a tool that the model has to use.

use super::{Ask, NoReply, Raw, Tokens, Wire, given, text_of, thought_of, was_cut};
use crate::{
    SchemaMode,
    served::{KeyHeader, Route},
};
use serde_json::{Value, json};

/// The version of the API that is spoken.
const VERSION: &str = "2023-06-01";
/// Bound of a reply where nobody names one: the API requires one.
const MAX_TOKENS: u32 = 2_000;

/// The format.
pub(super) struct Anthropic;

impl Wire for Anthropic {
    fn route(&self) -> Route {
        Route {
            call: "/messages",
            left_out: &[],
            key: KeyHeader::XApiKey,
            headers: &[("anthropic-version", VERSION)],
        }
    }

    fn ways(&self) -> &'static [SchemaMode] {
        &[SchemaMode::Tools, SchemaMode::Prompt]
    }

    fn body(&self, ask: &Ask<'_>, way: SchemaMode) -> Value {
        let by_prompt = way == SchemaMode::Prompt;
        let system = Some(ask.system(by_prompt)).filter(|system| !system.is_empty());
        let schema = ask.request.schema.as_ref().filter(|_| !by_prompt);
        let tools = schema.map(|schema| {
            json!([{"name": schema.name, "description": "Gives the reply.", "input_schema": schema.schema}])
        });
        given(json!({
            "model": ask.model,
            "max_tokens": ask.max_tokens.unwrap_or(MAX_TOKENS),
            "system": system,
            "messages": [{"role": "user", "content": &*ask.request.user}],
            "temperature": ask.temperature(),
            "tools": tools,
            "tool_choice": schema.map(|schema| json!({"type": "tool", "name": schema.name})),
        }))
    }

    fn mark(&self) -> &'static str {
        "content"
    }

    fn read(&self, body: Value) -> Result<Raw, NoReply> {
        let count = |name: &str| body["usage"][name].as_u64().unwrap_or(0);
        let tokens = Tokens {
            // Tokens that went through the cache are not part of `input_tokens`.
            read: count("input_tokens")
                .saturating_add(count("cache_read_input_tokens"))
                .saturating_add(count("cache_creation_input_tokens")),
            written: count("output_tokens"),
        };
        if !body["content"].is_array() && !body["content"].is_string() {
            return Err(NoReply::Shape("it has no list `content`".to_owned(), tokens));
        }
        let truncated = was_cut(&body["stop_reason"], tokens)?;
        let blocks = body["content"].as_array().into_iter().flatten();
        let input = blocks.filter(|block| block["type"] == "tool_use").map(|block| &block["input"]);
        let input = input.filter(|input| !input.is_null()).map(Value::to_string).next();
        Ok(Raw {
            text: input.unwrap_or_else(|| text_of(&body["content"])),
            thought: thought_of(&body),
            model: body["model"].as_str().map(str::to_owned),
            tokens,
            truncated,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::test::{ask, raw, request};

    #[test]
    fn a_schema_is_the_input_of_a_tool() {
        let request = request();
        let user = json!({"role": "user", "content": "U"});
        assert_eq!(
            Anthropic.body(&ask(&request), SchemaMode::Tools),
            json!({"model": "m", "max_tokens": 9, "system": "S", "messages": [user], "temperature": 0.7,
                "tools": [{"name": "answer", "description": "Gives the reply.",
                    "input_schema": {"type": "object"}}],
                "tool_choice": {"type": "tool", "name": "answer"}})
        );
        let unbounded = Ask { max_tokens: None, temperature: None, ..ask(&request) };
        let spelt = unbounded.system(true);
        assert_eq!(
            Anthropic.body(&unbounded, SchemaMode::Prompt),
            json!({"model": "m", "max_tokens": 2000, "system": spelt, "messages": [user]})
        );
    }

    #[test]
    fn replies_are_read_in_their_variants() {
        let check = |content: Value, reason: &str, want: &Raw| {
            let body = json!({"type": "message", "model": "m1", "content": content, "stop_reason": reason,
                "usage": {"input_tokens": 3, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 100,
                    "output_tokens": 4}});
            assert_eq!(Anthropic.read(body).as_ref(), Ok(want), "{content}");
        };
        let thinking = Raw { thought: "hm".to_owned(), ..raw("ab", (113, 4), false) };
        let text = json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"},
            {"type": "text", "text": "b"}]);
        check(text, "end_turn", &thinking);
        let tool =
            json!([{"type": "text", "text": "Here."}, {"type": "tool_use", "input": {"b": 1, "a": 2.0}}]);
        check(tool.clone(), "tool_use", &raw("{\"b\":1,\"a\":2.0}", (113, 4), false));
        check(tool, "max_tokens", &raw("{\"b\":1,\"a\":2.0}", (113, 4), true));
        check(json!([]), "max_tokens", &raw("", (113, 4), true));
    }

    #[test]
    fn a_refusal_is_no_answer() {
        let body = json!({"content": [{"type": "text", "text": "I"}], "stop_reason": "refusal"});
        assert_eq!(
            Anthropic.read(body),
            Err(NoReply::NoAnswer("it declined (refusal)".to_owned(), Tokens::default()))
        );
        assert!(matches!(Anthropic.read(json!({})), Err(NoReply::Shape(..))));
    }
}
