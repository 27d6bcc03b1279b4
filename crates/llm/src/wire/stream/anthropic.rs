//! Events of the messages API.

use super::Events;
use serde_json::{Map, Value, json};

#[derive(Default)]
pub(super) struct Anthropic {
    model: Value,
    text: String,
    /// Index of the first block that uses a tool, and its input as JSON.
    tool: Option<(Value, String)>,
    stop: Value,
    usage: Map<String, Value>,
}

impl Anthropic {
    fn count(&mut self, usage: &Value) {
        for (key, value) in usage.as_object().into_iter().flatten() {
            if value.is_u64() {
                self.usage.insert(key.clone(), value.clone());
            }
        }
    }
}

impl Events for Anthropic {
    fn take(&mut self, event: &Value) -> String {
        match event["type"].as_str() {
            Some("message_start") => {
                self.model = event["message"]["model"].clone();
                self.count(&event["message"]["usage"]);
            }
            Some("content_block_start")
                if event["content_block"]["type"] == "tool_use" && self.tool.is_none() =>
            {
                self.tool = Some((event["index"].clone(), String::new()));
            }
            Some("content_block_delta") => {
                let delta = &event["delta"];
                if let Some(text) = delta["text"].as_str() {
                    self.text.push_str(text);
                    return text.to_owned();
                }
                if let (Some(part), Some((index, input))) = (delta["partial_json"].as_str(), &mut self.tool)
                    && *index == event["index"]
                {
                    input.push_str(part);
                    return part.to_owned();
                }
            }
            Some("message_delta") => {
                self.stop = event["delta"]["stop_reason"].clone();
                self.count(&event["usage"]);
            }
            _ => {}
        }
        String::new()
    }

    fn body(self: Box<Self>) -> Value {
        if self.stop.is_null() {
            return json!({"usage": self.usage});
        }
        let mut content = vec![json!({"type": "text", "text": self.text})];
        if let Some((_, input)) = self.tool {
            // Input that was cut is kept as text, so that it can be repaired.
            content.push(match serde_json::from_str::<Value>(&input) {
                Ok(input) => json!({"type": "tool_use", "input": input}),
                Err(_) => json!({"type": "text", "text": input}),
            });
        }
        json!({"model": self.model, "content": content, "stop_reason": self.stop, "usage": self.usage})
    }
}
