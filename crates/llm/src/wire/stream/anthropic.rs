//! Events of the messages API.

use super::{Events, has_end};
use serde_json::{Map, Value, json};

#[derive(Default)]
pub(super) struct Anthropic {
    model: Value,
    text: String,
    thought: String,
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
                // Some servers send the whole input at once.
                let input = &event["content_block"]["input"];
                let whole = input.as_object().filter(|input| !input.is_empty());
                let input = whole.map(|_| input.to_string()).unwrap_or_default();
                self.tool = Some((event["index"].clone(), input.clone()));
                return input;
            }
            Some("content_block_delta") => {
                let delta = &event["delta"];
                self.thought.push_str(delta["thinking"].as_str().unwrap_or_default());
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

    fn body(self: Box<Self>, done: bool) -> Value {
        let text = self.tool.as_ref().map_or(&self.text, |(_, input)| input);
        if self.stop.is_null() && !has_end(text, done) {
            return json!({"usage": self.usage});
        }
        let mut content = vec![
            json!({"type": "thinking", "thinking": self.thought}),
            json!({"type": "text", "text": self.text}),
        ];
        if let Some((_, input)) = self.tool {
            // Input that was cut is kept as text.
            content.push(match serde_json::from_str::<Value>(&input) {
                Ok(input) => json!({"type": "tool_use", "input": input}),
                Err(_) => json!({"type": "text", "text": input}),
            });
        }
        json!({"model": self.model, "content": content, "stop_reason": self.stop, "usage": self.usage})
    }
}
