//! JSON lines of Ollama's chat.

use super::{Events, has_end};
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
        let ended = self.last.is_some() || has_end(&self.content, done);
        let mut body = self.last.unwrap_or(json!({}));
        if ended {
            body["message"] = json!({"content": self.content, "thinking": self.thought});
        }
        body
    }
}
