//! JSON as other programs write it: numbers that are none, halves of characters, and where the entries of a list or object
//! are in the text, so that messages can name lines.

use std::borrow::Cow;

/// The text as JSON has it: NaN and infinities are null, and half of a character beyond the first plane becomes U+FFFD. Lines
/// stay as they are.
pub fn clean(text: &str) -> Cow<'_, str> {
    const NUMBERS: [&str; 4] = ["NaN", "-NaN", "Infinity", "-Infinity"];
    if !["NaN", "Infinity", "\\ud", "\\uD"].iter().any(|odd| text.contains(odd)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut in_string) = (text, false);
    while let Some(c) = rest.chars().next() {
        let (length, instead) = match c {
            '\\' if in_string => match (half(rest), rest.get(6..).and_then(half)) {
                (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, None),
                (Some(0xd800..=0xdfff), _) => (6, Some("\\ufffd")),
                _ => (1 + rest[1..].chars().next().map_or(0, char::len_utf8), None),
            },
            'N' | 'I' | '-' if !in_string => match NUMBERS.iter().find(|name| rest.starts_with(**name)) {
                Some(name) => (name.len(), Some("null")),
                None => (1, None),
            },
            c => {
                // A string that was cut off ends with its line.
                in_string = c != '\n' && in_string != (c == '"');
                (c.len_utf8(), None)
            }
        };
        out.push_str(instead.unwrap_or(&rest[..length]));
        rest = &rest[length..];
    }
    Cow::Owned(out)
}

/// The number of a `\u` escape at the beginning.
fn half(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

/// An entry of a list or an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The key in an object, as written between its quotes; `None` in a list.
    pub(crate) key: Option<String>,
    /// Where the value begins, in bytes.
    pub(crate) at: usize,
}

/// The entries of the list or object that begins at `start` of a valid JSON text, in order. Keys that repeat are listed
/// each time.
pub(crate) fn entries(text: &str, start: usize) -> Vec<Entry> {
    let bytes = text.as_bytes();
    let object = bytes.get(start) == Some(&b'{');
    let mut out = Vec::new();
    let (mut depth, mut at) = (0usize, start);
    // Whether a key, or a value, is to come next on the top level.
    let (mut wants_key, mut wants_value) = (object, !object);
    let mut key = None;
    while let Some(&byte) = bytes.get(at) {
        let top = depth == 1;
        let begins = !matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' | b']' | b'}');
        if top && wants_value && begins {
            out.push(Entry { key: key.take(), at });
            wants_value = false;
        }
        match byte {
            b'"' => {
                let end = string_end(bytes, at);
                if top && wants_key {
                    let name = serde_json::from_str(&text[at..end]);
                    key = name.ok();
                    wants_key = false;
                }
                at = end;
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            b',' if top => {
                wants_key = object;
                wants_value = !object;
            }
            b':' if top => wants_value = true,
            _ => {}
        }
        at += 1;
    }
    out
}

/// Behind the closing quote of the string that opens at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        end += match byte {
            b'\\' => 2,
            b'"' => return end + 1,
            _ => 1,
        };
    }
    bytes.len()
}

/// The line of a place in the text, from 1, for places that only grow.
pub(crate) struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    pub(crate) fn of(&mut self, at: usize) -> usize {
        if at < self.at {
            (self.at, self.line) = (0, 1);
        }
        self.line += self.text[self.at..at].matches('\n').count();
        self.at = at;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, start: usize) -> Vec<(Option<String>, usize, usize)> {
        let mut lines = Lines::new(text);
        let entries = entries(text, start);
        entries.into_iter().map(|entry| (entry.key, lines.of(entry.at), entry.at)).collect()
    }

    #[test]
    fn numbers_that_are_none_and_halves_of_characters() {
        let check = |text: &str, want: &str| assert_eq!(clean(text), want, "{text}");
        check(
            r#"{"a": NaN, "NaN": [Infinity,-Infinity], "b": "NaN"}"#,
            r#"{"a": null, "NaN": [null,null], "b": "NaN"}"#,
        );
        check(
            r#"["\ud800", "\ud83d\ude00", "\\ud800", "\udc00é\""]"#,
            r#"["\ufffd", "\ud83d\ude00", "\\ud800", "\ufffdé\""]"#,
        );
        check("[\"cut\nNaN, \"é\", -1]", "[\"cut\nnull, \"é\", -1]");
        check(r#""\ud8"#, r#""\ud8"#);
        check("\"\\é", "\"\\é");
    }

    #[test]
    fn entries_and_their_lines() {
        let text = "[\n  {\"a\": [1, 2]},\n  \"x,]\\\"\",\n\n  3]";
        let places: Vec<(usize, char)> = found(text, 0)
            .into_iter()
            .map(|(_, line, at)| (line, text[at..].chars().next().expect("a value")))
            .collect();
        assert_eq!(places, [(2, '{'), (3, '"'), (5, '3')]);

        let text = "{\"a\": 1,\n \"b\\n\": {\"c\": 2},\n \"a\": [\n1]}";
        let keys: Vec<(String, usize)> =
            found(text, 0).into_iter().map(|(key, line, _)| (key.expect("a key"), line)).collect();
        assert_eq!(keys, [("a".to_owned(), 1), ("b\n".to_owned(), 2), ("a".to_owned(), 3)]);
        assert!(found("[]", 0).is_empty() && found("{ }", 0).is_empty());
    }
}
