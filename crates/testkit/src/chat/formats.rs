//! Replies in other formats than OpenAI's chat messages.

use super::Step;
use serde_json::{Value, json};

impl Step {
    /// A reply in Anthropic's format, of the model `m-1`, with these blocks; it reports 7 tokens read and 2 written.
    pub fn anthropic(content: &Value, stop_reason: &str) -> Self {
        let body = json!({
            "type": "message",
            "role": "assistant",
            "model": "m-1",
            "content": content,
            "stop_reason": stop_reason,
            "usage": {"input_tokens": 4, "cache_read_input_tokens": 3, "output_tokens": 2},
        });
        Self::answer(200, body.to_string())
    }

    /// An error in Anthropic's format.
    pub fn anthropic_error(status: u16, kind: &str, message: &str) -> Self {
        let body = json!({"type": "error", "error": {"type": kind, "message": message}});
        Self::answer(status, body.to_string())
    }

    /// A reply in Ollama's format, of the model `m-1`; it reports 7 tokens read and 2 written.
    pub fn ollama(text: &str, done_reason: &str) -> Self {
        let body = json!({
            "model": "m-1",
            "message": {"role": "assistant", "content": text, "thinking": "let me see"},
            "done": true,
            "done_reason": done_reason,
            "prompt_eval_count": 7,
            "eval_count": 2,
        });
        Self::answer(200, body.to_string())
    }

    /// An error in Ollama's format.
    pub fn ollama_error(status: u16, message: &str) -> Self {
        Self::answer(status, json!({"error": message}).to_string())
    }
}
