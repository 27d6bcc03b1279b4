//! One request as it came in.

use serde_json::Value;
use std::{io::Read, net::TcpStream};

/// A chat request.
#[derive(Clone, Debug)]
pub struct Request {
    /// How many requests came before it.
    pub number: usize,
    /// First line and headers, as sent.
    pub head: String,
    /// The body; null when it is not JSON.
    pub body: Value,
}

impl Request {
    /// The value of a header, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.find_map(|(own, value)| own.eq_ignore_ascii_case(name).then_some(value.trim()))
    }

    /// The name of the JSON schema that the reply must follow; empty when none is sent as `response_format` or as a tool.
    pub fn schema(&self) -> &str {
        let tool = &self.body["tools"][0];
        let places =
            [&self.body["response_format"]["json_schema"]["name"], &tool["function"]["name"], &tool["name"]];
        places.into_iter().find_map(Value::as_str).unwrap_or_default()
    }

    /// Whether the schema of the reply requires this field.
    pub fn requires(&self, field: &str) -> bool {
        let required = &self.body["response_format"]["json_schema"]["schema"]["required"];
        required.as_array().is_some_and(|all| all.iter().any(|one| one == field))
    }

    /// The instructions.
    pub fn system(&self) -> &str {
        let own = self.body["system"].as_str();
        own.unwrap_or_else(|| self.message("system"))
    }

    /// The question and the data.
    pub fn user(&self) -> &str {
        self.message("user")
    }

    fn message(&self, role: &str) -> &str {
        let messages = self.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let own = messages.iter().find(|message| message["role"] == role);
        own.and_then(|message| message["content"].as_str()).unwrap_or_default()
    }

    /// Reads a request; `None` when the client goes away before it is whole.
    pub(super) fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut bytes = Vec::new();
        let (head, length) = loop {
            receive(stream, &mut bytes)?;
            let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") else {
                continue;
            };
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            bytes.drain(..end + 4);
            let request = Self { number: 0, head, body: Value::Null };
            let length = request.header("content-length").and_then(|n| n.parse().ok());
            break (request.head, length.unwrap_or(0));
        };
        while bytes.len() < length {
            receive(stream, &mut bytes)?;
        }
        Some(Self { number: 0, head, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) })
    }
}

/// Reads what there is; `None` at the end.
fn receive(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    let mut piece = [0; 8192];
    let n = stream.read(&mut piece).ok().filter(|n| *n > 0)?;
    bytes.extend_from_slice(&piece[..n]);
    Some(())
}
