//! Replies that a server sends as it writes them: the events of all formats, joined to the body that the server would have sent
//! at the end.

mod anthropic;
mod ollama;
mod openai;

use crate::Api;
use serde_json::Value;

/// Joins the events of one reply.
pub(crate) trait Events: Send {
    /// Takes the next event, and returns the text that it adds.
    fn take(&mut self, event: &Value) -> String;
    /// The body of the whole reply; of a reply without an end, one that is no reply.
    fn body(self: Box<Self>) -> Value;
}

/// The events of an API.
pub(crate) fn of(api: Api) -> Box<dyn Events> {
    match api {
        Api::OpenAi => Box::<openai::OpenAi>::default(),
        Api::Anthropic => Box::<anthropic::Anthropic>::default(),
        Api::Ollama => Box::<ollama::Ollama>::default(),
    }
}

/// Adds to a request that the reply is to be sent as it is written.
pub(crate) fn ask_for(api: Api, body: &mut Value) {
    body["stream"] = true.into();
    if api == Api::OpenAi {
        // Else the tokens are not counted.
        body["stream_options"] = serde_json::json!({"include_usage": true});
    }
}

/// The bytes of a body, cut into lines, and the events among them.
pub(crate) struct Lines {
    events: Box<dyn Events>,
    /// The beginning of a line whose end has not come yet.
    rest: Vec<u8>,
    /// An event that reports an error.
    error: Option<Value>,
    seen: bool,
    /// Whether events have no `data:` before them.
    prefix_free: bool,
}

impl Lines {
    pub(crate) fn new(api: Api) -> Self {
        Self {
            events: of(api),
            rest: Vec::new(),
            error: None,
            seen: false,
            prefix_free: api == Api::Ollama,
        }
    }

    /// Takes the next bytes; `written` is told of text.
    pub(crate) fn take(&mut self, bytes: &[u8], written: &dyn Fn(&str)) {
        self.rest.extend_from_slice(bytes);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            self.line(&line, written);
        }
    }

    fn line(&mut self, line: &[u8], written: &dyn Fn(&str)) {
        let line = String::from_utf8_lossy(line);
        let data = line.trim();
        let data = match data.strip_prefix("data:") {
            Some(data) => data.trim_start(),
            // A server that does not stream sends the whole body as it is.
            None if self.prefix_free => data,
            None => return,
        };
        let Ok(event) = serde_json::from_str::<Value>(data) else {
            return;
        };
        self.seen = true;
        if event.get("error").is_some_and(|error| !error.is_null()) {
            self.error.get_or_insert(event);
            return;
        }
        let text = self.events.take(&event);
        if !text.is_empty() {
            written(&text);
        }
    }

    /// The body of the whole reply; `None` if there was no event, so that the body is what it is.
    pub(crate) fn body(mut self, written: &dyn Fn(&str)) -> Option<String> {
        let rest = std::mem::take(&mut self.rest);
        self.line(&rest, written);
        let body = self.error.unwrap_or_else(|| self.events.body());
        self.seen.then(|| body.to_string())
    }
}

#[cfg(test)]
mod tests;
