//! What must never be printed, and text cleaned of it.

use crate::plain::plain;
use serde_json::Value;

/// Shown in place of a secret.
const REDACTED: &str = "[redacted]";
/// Secrets shorter than this are not searched for in errors: replacing every `a` helps nobody.
const SHORTEST: usize = 4;
/// Secrets shorter than this are not searched for in replies, nor are single words shorter than [`SURE`]: a local
/// server is often given `test` or `none` for a key, and an answer may say those.
const SHORTEST_IN_REPLIES: usize = 8;
/// From this length on even letters alone are a secret.
const SURE: usize = 16;
/// Characters of foreign text that an error quotes.
pub(crate) const PREVIEW_CHARS: usize = 300;

/// The key, and every other secret of the address.
#[derive(Clone, Default)]
pub(crate) struct Secrets {
    values: Vec<String>,
}

impl Secrets {
    /// Remembers a secret.
    pub(crate) fn add(&mut self, value: &str) {
        let value = value.trim();
        if value.len() >= SHORTEST {
            self.values.push(value.to_owned());
            // The longest first: a secret that contains another one goes whole.
            self.values.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        }
    }

    /// `text` without the secrets.
    pub(crate) fn scrub(&self, text: &str) -> String {
        replace(text, self.values.iter())
    }

    /// A model's reply without the secrets, also where escapes hide them in the strings of its JSON.
    pub(crate) fn scrub_reply(&self, reply: &str) -> String {
        let values: Vec<&String> = self.values.iter().filter(|v| looks_secret(v)).collect();
        let clean = replace(reply, values.iter().copied());
        if values.is_empty() || !clean.contains('\\') {
            return clean;
        }
        let Ok(mut json) = serde_json::from_str::<Value>(&clean) else {
            // Broken JSON: the escapes are read as they stand.
            let plain = unescaped(&clean);
            let hidden = values.iter().any(|value| plain.contains(value.as_str()));
            return if hidden { replace(&plain, values.into_iter()) } else { clean };
        };
        if scrub_json(&mut json, &values) { json.to_string() } else { clean }
    }

    /// The start of foreign text on one line, without the secrets.
    pub(crate) fn preview(&self, text: &str) -> String {
        // What a terminal acts on goes first: it could stand inside a secret. Scrubbed before it is cut, so that no
        // half of a secret survives at the cut.
        let clean = self.scrub(&plain(text));
        let mut out = String::new();
        for word in clean.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
            if out.len() > PREVIEW_CHARS * 4 {
                break;
            }
        }
        match out.char_indices().nth(PREVIEW_CHARS) {
            Some((at, _)) => format!("{}…", &out[..at]),
            None => out,
        }
    }
}

fn replace<'a>(text: &str, values: impl Iterator<Item = &'a String>) -> String {
    values.fold(text.to_owned(), |text, secret| text.replace(secret, REDACTED))
}

/// A text with the escapes of JSON strings read, whether or not it is JSON.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let code = rest.strip_prefix('u').and_then(|hex| hex.get(..4));
        match code.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32) {
            Some(c) => {
                out.push(c);
                rest = &rest[5..];
            }
            None if rest.starts_with(['/', '"', '\\']) => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
            None => out.push('\\'),
        }
    }
    out.push_str(rest);
    out
}

/// Whether a reply that holds this value gives a secret away.
fn looks_secret(value: &str) -> bool {
    let word = value.chars().all(char::is_alphabetic);
    value.len() >= if word { SURE } else { SHORTEST_IN_REPLIES }
}

/// Takes the values out of every string and every key. True when one was there.
fn scrub_json(json: &mut Value, values: &[&String]) -> bool {
    let hold = |text: &str| values.iter().any(|value| text.contains(value.as_str()));
    match json {
        Value::String(text) if hold(text) => {
            *text = replace(text, values.iter().copied());
            true
        }
        Value::Array(items) => {
            let mut found = false;
            for item in items {
                found |= scrub_json(item, values);
            }
            found
        }
        Value::Object(fields) => {
            let mut found = false;
            if fields.keys().any(|key| hold(key)) {
                found = true;
                *fields = std::mem::take(fields)
                    .into_iter()
                    .map(|(key, value)| (replace(&key, values.iter().copied()), value))
                    .collect();
            }
            for value in fields.values_mut() {
                found |= scrub_json(value, values);
            }
            found
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_leave_text() {
        let mut secrets = Secrets::default();
        secrets.add(" sk-abcdef\n");
        secrets.add("sk-abcdef-longer");
        secrets.add("a");
        let check = |text: &str, want: &str| assert_eq!(secrets.preview(text), want);
        check("key sk-abcdef is wrong", "key [redacted] is wrong");
        check("key sk-abcdef-longer is wrong", "key [redacted] is wrong");
        check("a\n\tb\u{0}c", "a b c");
        check("\u{1b}[31mkey sk-\u{1b}[0mabcdef", "key [redacted]");
        check("", "");
    }

    #[test]
    fn replies_are_cleaned_of_keys_and_of_nothing_else() {
        let check = |secret: &str, reply: &str, want: &str| {
            let mut secrets = Secrets::default();
            secrets.add(secret);
            assert_eq!(secrets.scrub_reply(reply), want, "{secret} in {reply}");
        };
        check("sk-abc-123", "it is sk-abc-123.", "it is [redacted].");
        check("sk-abc-123", r#"{"a":"sk-abc-123"}"#, r#"{"a":"[redacted]"}"#);
        check("sk-abc-123", r#"{"a":["sk\u002dabc-123"]}"#, r#"{"a":["[redacted]"]}"#);
        check(
            "sk/abc/123",
            r#"{"sk\/abc\/123":{"b":"sk\/abc\/123"}}"#,
            r#"{"[redacted]":{"b":"[redacted]"}}"#,
        );
        // Broken JSON hides it no better.
        check("sk-abc-123", r#"{"a": "sk\u002dabc-123", "#, r#"{"a": "[redacted]", "#);
        check("sk/abc/123", r"no JSON: sk\/abc\/123", "no JSON: [redacted]");
        check("sk-abc-123", r#"{"a": "x\ty", "#, r#"{"a": "x\ty", "#);
        // Nothing to take out: not one byte changes.
        check("sk-abc-123", r#"{ "a" : "x\ty" , "a": 1.0 }"#, r#"{ "a" : "x\ty" , "a": 1.0 }"#);
        check("test", "the test was positive", "the test was positive");
        check("placebo", "placebo", "placebo");
        check("abcdefghijklmnop", "abcdefghijklmnop", "[redacted]");
    }

    #[test]
    fn a_preview_is_short_and_cuts_no_secret_in_half() {
        let mut secrets = Secrets::default();
        secrets.add("TOPSECRETKEY");
        let text = format!("{} TOPSECRETKEY", "é".repeat(PREVIEW_CHARS - 7));
        let preview = secrets.preview(&text);
        assert!(!preview.contains("TOPS"), "{preview}");
        assert_eq!(preview.chars().count(), PREVIEW_CHARS + 1);
    }
}
