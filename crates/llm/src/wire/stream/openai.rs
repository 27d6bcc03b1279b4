//! Chunks of chat completions.

use super::{Events, has_end};
use crate::wire::{openai::argument_text, text_of, thought_of};
use serde_json::{Value, json};

#[derive(Default)]
pub(super) struct OpenAi {
    model: Value,
    content: String,
    thought: String,
    refusal: String,
    /// Arguments of the first call of a tool.
    arguments: String,
    /// The index of that call: servers begin at 0 or 1, or leave it out.
    call: Option<Value>,
    finish: Value,
    usage: Value,
}

impl Events for OpenAi {
    fn take(&mut self, event: &Value) -> String {
        let choice = &event["choices"][0];
        for (own, new) in [
            (&mut self.model, &event["model"]),
            (&mut self.usage, &event["usage"]),
            (&mut self.finish, &choice["finish_reason"]),
        ] {
            if !new.is_null() {
                *own = new.clone();
            }
        }
        let mut delta = &choice["delta"];
        if choice["message"].is_object() {
            // The whole message, alone or after its parts.
            (self.content, self.arguments, self.thought) = Default::default();
            delta = &choice["message"];
        }
        self.refusal.push_str(delta["refusal"].as_str().unwrap_or_default());
        self.thought.push_str(&thought_of(delta));
        let mut new = String::new();
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            if self.call.get_or_insert_with(|| call["index"].clone()) == &call["index"] {
                new.push_str(&argument_text(call));
            }
        }
        self.arguments.push_str(&new);
        let content = text_of(delta.get("content").unwrap_or(&choice["text"]));
        self.content.push_str(&content);
        new + &content
    }

    fn body(self: Box<Self>, done: bool) -> Value {
        let ended = has_end(&self.content, done) || has_end(&self.arguments, done);
        if self.finish.is_null() && !ended {
            return json!({"choices": [], "usage": self.usage});
        }
        json!({
            "model": self.model,
            "choices": [{
                "message": {
                    "content": self.content,
                    "reasoning": self.thought,
                    "refusal": self.refusal,
                    "tool_calls": [{"function": {"arguments": self.arguments}}],
                },
                "finish_reason": self.finish,
            }],
            "usage": self.usage,
        })
    }
}
