//! Ollama's own format. It takes the schema itself as `format`, and reports thinking apart from the answer.

use super::{Ask, NoReply, Raw, Tokens, Wire, given, text_of, thought_of, was_cut};
use crate::{
    SchemaMode,
    served::{KeyHeader, Route},
};
use serde_json::{Value, json};

/// Characters of a token, at least; and tokens of a reply if its length is not bounded.
const CHARS_PER_TOKEN: usize = 3;
const REPLY_TOKENS: u32 = 2_000;
/// The smallest window that is asked for, in tokens.
const SMALLEST_WINDOW: usize = 4_096;

/// The window that a prompt of so many characters and its reply need, in tokens. Without it, the server cuts long prompts to
/// its own default and says nothing. A power of two, because the server loads the model again when the window changes.
fn window(chars: usize, max_tokens: Option<u32>) -> usize {
    let reply = max_tokens.unwrap_or(REPLY_TOKENS) as usize;
    (chars.div_ceil(CHARS_PER_TOKEN) + reply).max(SMALLEST_WINDOW).next_power_of_two()
}

/// The format.
pub(super) struct Ollama;

impl Wire for Ollama {
    fn route(&self) -> Route {
        Route { call: "/api/chat", left_out: &["/v1", "/api"], key: KeyHeader::Bearer, headers: &[] }
    }

    fn ways(&self) -> &'static [SchemaMode] {
        &[SchemaMode::JsonSchema, SchemaMode::JsonObject, SchemaMode::Prompt]
    }

    fn body(&self, ask: &Ask<'_>, way: SchemaMode) -> Value {
        let messages = ask.messages(way != SchemaMode::JsonSchema);
        let chars: usize = messages.iter().map(|message| message.to_string().len()).sum();
        let format = ask.request.schema.as_ref().and_then(|schema| match way {
            SchemaMode::JsonSchema => Some(schema.schema.clone()),
            SchemaMode::JsonObject => Some("json".into()),
            SchemaMode::Auto | SchemaMode::Tools | SchemaMode::Prompt => None,
        });
        let options = json!({
            "temperature": ask.temperature(),
            "num_predict": ask.max_tokens,
            "num_ctx": window(chars, ask.max_tokens),
        });
        given(json!({
            "model": ask.model,
            "messages": messages,
            "stream": false,
            "format": format,
            "options": given(options),
        }))
    }

    fn mark(&self) -> &'static str {
        "message"
    }

    fn read(&self, body: Value) -> Result<Raw, NoReply> {
        let count = |name: &str| body[name].as_u64().unwrap_or(0);
        let tokens = Tokens { read: count("prompt_eval_count"), written: count("eval_count") };
        let message = &body["message"];
        if !message.is_object() {
            return Err(NoReply::Shape("it has no object `message`".to_owned(), tokens));
        }
        Ok(Raw {
            text: text_of(&message["content"]),
            thought: thought_of(message),
            model: body["model"].as_str().map(str::to_owned),
            tokens,
            truncated: was_cut(&body["done_reason"], tokens)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::test::{ask, raw, request};
    use serde_json::json;

    #[test]
    fn the_schema_is_the_format() {
        let request = request();
        let user = json!({"role": "user", "content": "U"});
        let options = json!({"temperature": 0.7, "num_predict": 9, "num_ctx": 4_096});
        let check = |schema: SchemaMode, want: Value| {
            assert_eq!(Ollama.body(&ask(&request), schema), want);
        };
        check(
            SchemaMode::JsonSchema,
            json!({"model": "m", "messages": [{"role": "system", "content": "S"}, user], "stream": false,
                "format": {"type": "object"}, "options": options}),
        );
        let spelt = ask(&request).system(true);
        check(
            SchemaMode::JsonObject,
            json!({"model": "m", "messages": [{"role": "system", "content": spelt}, user], "stream": false,
                "format": "json", "options": options}),
        );
        check(
            SchemaMode::Prompt,
            json!({"model": "m", "messages": [{"role": "system", "content": spelt}, user], "stream": false,
                "options": options}),
        );
    }

    #[test]
    fn replies_are_read() {
        let check = |reason: &str, truncated: bool| {
            let body = json!({"model": "m1", "message": {"role": "assistant", "content": "x", "thinking": "hm"},
                "done": true, "done_reason": reason, "prompt_eval_count": 3, "eval_count": 4});
            let want = Raw { thought: "hm".to_owned(), ..raw("x", (3, 4), truncated) };
            assert_eq!(Ollama.read(body), Ok(want));
        };
        check("stop", false);
        check("length", true);
        assert!(matches!(Ollama.read(json!({"done": true})), Err(NoReply::Shape(..))));
    }

    #[test]
    fn the_window_holds_prompt_and_reply() {
        assert_eq!(window(0, None), 4_096);
        assert_eq!(window(6_000, Some(2_000)), 4_096);
        assert_eq!(window(7_000, Some(2_000)), 8_192);
        assert_eq!(window(60_000, None), 32_768);
    }
}
