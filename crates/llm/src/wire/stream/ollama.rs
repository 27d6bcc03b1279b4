//! JSON lines of Ollama's chat.

use super::Events;
use serde_json::{Value, json};

#[derive(Default)]
pub(super) struct Ollama {
    content: String,
    /// The last line, which has the counts.
    last: Option<Value>,
}

impl Events for Ollama {
    fn take(&mut self, event: &Value) -> String {
        let text = event["message"]["content"].as_str().unwrap_or_default();
        self.content.push_str(text);
        if event["done"] == true {
            self.last = Some(event.clone());
        }
        text.to_owned()
    }

    fn body(self: Box<Self>) -> Value {
        let Some(mut body) = self.last else {
            return json!({});
        };
        body["message"]["content"] = self.content.into();
        body
    }
}
