//! Replies that a server sends as it writes them: the events of all formats, joined to the body that the server would have sent
//! at the end.

mod anthropic;
mod ollama;
mod openai;

use crate::{Api, complaint::inside};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

/// Joins the events of one reply.
pub(crate) trait Events: Send {
    /// Takes the next event, and returns the text that it adds.
    fn take(&mut self, event: &Value) -> String;
    /// The body of the whole reply; of a reply without an end, one that is no reply. `done` tells whether the server said
    /// that the stream is over.
    fn body(self: Box<Self>, done: bool) -> Value;
}

/// Whether a reply has its end: the server said so, or the text is JSON from end to end.
fn has_end(text: &str, done: bool) -> bool {
    let whole = || text.trim_end().ends_with(['}', ']']) && serde_json::from_str::<IgnoredAny>(text).is_ok();
    (done && !text.is_empty()) || whole()
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
        body["stream_options"] = json!({"include_usage": true});
    }
}

/// Bytes of an event in several lines, at most: it is read anew with each of them.
const LARGEST_EVENT: usize = 64 << 10;

/// The bytes of a body, cut into lines, and the events among them.
pub(crate) struct Lines {
    api: Api,
    events: Box<dyn Events>,
    /// The beginning of a line whose end has not come yet.
    rest: Vec<u8>,
    /// Lines of an event that is not whole yet.
    data: String,
    /// An event that reports an error.
    error: Option<Value>,
    /// Whether the next event is one, as its name says.
    is_error: bool,
    seen: bool,
    done: bool,
}

impl Lines {
    pub(crate) fn new(api: Api) -> Self {
        Self {
            api,
            events: of(api),
            rest: Vec::new(),
            data: String::new(),
            error: None,
            is_error: false,
            seen: false,
            done: false,
        }
    }

    /// Takes the next bytes; `written` is told of text.
    pub(crate) fn take(&mut self, bytes: &[u8], written: &dyn Fn(&str)) {
        self.rest.extend_from_slice(bytes);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            // A return alone ends a line too.
            let line = String::from_utf8_lossy(&line);
            line.trim_end().split('\r').for_each(|line| self.line(line, written));
        }
    }

    fn line(&mut self, line: &str, written: &dyn Fn(&str)) {
        let data = line.trim().trim_start_matches('\u{feff}');
        if let Some(name) = data.strip_prefix("event:") {
            self.is_error = name.contains("error");
        }
        let data = match data.strip_prefix("data:") {
            Some(data) => data.trim_start(),
            None if data.is_empty() => {
                self.data.clear();
                self.is_error = false;
                return;
            }
            // Its events have no prefix.
            None if self.api == Api::Ollama => data,
            None => return,
        };
        self.done |= data == "[DONE]";
        // An event may have several lines.
        self.data.push_str(data);
        let parsed = |text: &str| serde_json::from_str(text).ok().filter(Value::is_object);
        let Some(event) = parsed(&self.data).or_else(|| parsed(data)) else {
            if self.is_error {
                self.seen = true;
                self.error = Some(json!({"error": data}));
            }
            if self.data.len() > LARGEST_EVENT {
                self.data.clear();
            }
            return;
        };
        self.data.clear();
        self.seen = true;
        self.done |= event["type"] == "message_stop";
        if inside(&event, super::of(self.api).mark()).is_some() {
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
        self.take(b"\n", written);
        let body = self.error.unwrap_or_else(|| self.events.body(self.done));
        self.seen.then(|| body.to_string())
    }
}

#[cfg(test)]
mod tests;
