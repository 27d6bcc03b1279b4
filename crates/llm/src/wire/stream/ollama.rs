//! JSON lines of Ollama's chat.

use super::{Events, is_whole};
use crate::wire::{text_of, thought_of};
use serde_json::{Value, json};

#[derive(Default)]
pub(super) struct Ollama {
    content: String,
    thought: String,
    /// The last line, which has the counts.
    last: Option<Value>,
}

impl Events for Ollama {
    fn take(&mut self, event: &Value) -> String {
        let text = text_of(&event["message"]["content"]);
        self.content.push_str(&text);
        self.thought.push_str(&thought_of(&event["message"]));
        if event["done"] == true || event["done_reason"].is_string() {
            self.last = Some(event.clone());
        }
        text
    }

    fn body(self: Box<Self>, done: bool) -> Value {
        let open = !(is_whole(&self.content) || done && !self.content.is_empty());
        let Some(mut body) = self.last.or_else(|| (!open).then(|| json!({}))) else {
            return json!({});
        };
        body["message"] = json!({"content": self.content, "thinking": self.thought});
        body
    }
}
