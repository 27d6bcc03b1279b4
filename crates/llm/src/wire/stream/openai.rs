//! Chunks of chat completions.

use super::Events;
use serde_json::{Value, json};

#[derive(Default)]
pub(super) struct OpenAi {
    model: Value,
    content: String,
    refusal: String,
    /// Arguments of the first call of a tool.
    arguments: Option<String>,
    finish: Value,
    usage: Value,
}

impl Events for OpenAi {
    fn take(&mut self, event: &Value) -> String {
        if !event["model"].is_null() {
            self.model = event["model"].clone();
        }
        if !event["usage"].is_null() {
            self.usage = event["usage"].clone();
        }
        let choice = &event["choices"][0];
        if !choice["finish_reason"].is_null() {
            self.finish = choice["finish_reason"].clone();
        }
        let delta = &choice["delta"];
        self.refusal
            .push_str(delta["refusal"].as_str().unwrap_or_default());
        let call = delta["tool_calls"].as_array().and_then(|calls| {
            let first = |call: &&Value| call["index"].as_u64().unwrap_or(0) == 0;
            calls.iter().find(first)
        });
        let mut new = String::new();
        if let Some(arguments) = call.and_then(|call| call["function"]["arguments"].as_str()) {
            self.arguments.get_or_insert_default().push_str(arguments);
            new.push_str(arguments);
        }
        if let Some(content) = delta["content"].as_str() {
            self.content.push_str(content);
            new.push_str(content);
        }
        new
    }

    fn body(self: Box<Self>) -> Value {
        if self.finish.is_null() {
            return json!({"choices": [], "usage": self.usage});
        }
        let mut message = json!({"content": self.content});
        if !self.refusal.is_empty() {
            message["refusal"] = self.refusal.into();
        }
        if let Some(arguments) = self.arguments {
            message["tool_calls"] = json!([{"function": {"arguments": arguments}}]);
        }
        json!({
            "model": self.model,
            "choices": [{"message": message, "finish_reason": self.finish}],
            "usage": self.usage,
        })
    }
}
