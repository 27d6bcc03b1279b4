//! Makes untrusted text safe to show: what papers, file names and models say must not steer a terminal.
//!
//! Everything that the binary prints passes through here once: results in `printer`, warnings and progress in
//! `progress`, errors in `main`.

use std::{borrow::Cow, fmt::Write};

/// The text as a terminal may show it. Line feeds stay and tabs become spaces. Other control characters, which
/// could move the cursor or change the display, become `�`, so that a changed name is noticed. Characters
/// that are invisible or reverse the order of what follows are removed.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && is_unsafe(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => out.push(c),
            '\t' => out.push(' '),
            '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\r' if chars.peek() == Some(&'\n') => {}
            c if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            c if is_unsafe(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// As [`clean`], on one line: for progress bars.
pub fn clean_line(text: &str) -> String {
    clean(text).replace('\n', " ")
}

/// Escapes in a JSON document what its writer leaves as it is and a terminal might obey. Such characters stand
/// inside of strings only, so the document keeps its meaning.
pub fn clean_json(json: &str) -> Cow<'_, str> {
    // The line feeds and spaces of a printed document are its own; inside of strings both are escaped or safe.
    let escape = |c: char| c != '\n' && is_unsafe(c);
    if !json.chars().any(escape) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if escape(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Control characters (C0, DEL, C1), line separators, and characters that are invisible or reorder text.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Soft hyphen, Arabic letter mark, Hangul and Mongolian fillers.
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}'
            // Zero-width characters and direction marks, line separators, embeddings, overrides, isolates.
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            // Byte-order mark, annotations, tags.
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        let check = |text: &str, want: &str| assert_eq!(clean(text), want, "{text:?}");
        check("plain\ntext – Größe, 体重, µg", "plain\ntext – Größe, 体重, µg");
        check("\u{1b}[2Jgone\u{7}", "�[2Jgone�");
        check("\u{9b}31mred\u{85}\u{7f}", "�31mred��");
        check("a\tb\r\nc\rd", "a b\nc�d");
        check("\u{202e}txt.exe\u{202c} \u{2066}x\u{2069}\u{200f}", "txt.exe x");
        check("pa\u{200b}ss\u{feff}wo\u{ad}rd\u{2060}\u{e0041}", "password");
        check("one\u{2028}two", "one\ntwo");
        assert_eq!(clean_line("a\nb\u{1b}c"), "a b�c");
    }

    #[test]
    fn a_json_document_keeps_its_meaning() {
        let value = serde_json::json!({"a\u{9b}b": "x\u{1b}y\u{202e}z\u{200b}\u{e0041}\n\u{7f} é"});
        let printed = serde_json::to_string_pretty(&value).expect("prints");
        let cleaned = clean_json(&printed);
        assert!(cleaned.chars().all(|c| c == '\n' || !is_unsafe(c)), "{cleaned:?}");
        let again: serde_json::Value = serde_json::from_str(&cleaned).expect("still JSON");
        assert_eq!(again, value);
    }
}
