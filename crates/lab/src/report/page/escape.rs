//! Text from papers inside of Markdown: shown as it is, whatever it holds.

use crate::report::clean::clean_line;
use std::fmt::Write;

/// Text as one run of plain text at the start of a line: no part of it becomes markup, HTML, a link or a formula.
pub(super) fn escape(text: &str) -> String {
    escape_at(text, true)
}

/// The same; what means something at the start of a line alone is left as it is elsewhere.
pub(super) fn escape_at(text: &str, line_starts: bool) -> String {
    let flat = clean_line(text);
    let text = flat.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(text.len() + 16);
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map_or(' ', |(_, c)| *c);
        let starts_line = line_starts && at == 0;
        let special = match c {
            '[' => !is_interval(&text[at..]),
            ']' => !text[..at].rfind('[').is_some_and(|from| is_interval(&text[from..])),
            '\\' | '`' | '*' | '~' | '^' | '|' | '$' => true,
            // Between letters it is plain: `source_id`.
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            '<' => after.is_ascii_alphabetic() || matches!(after, '/' | '!' | '?'),
            '&' => after.is_ascii_alphanumeric() || after == '#',
            // Bare addresses would become links.
            ':' if after == '/' => true,
            '.' if out.len() >= 3 && out.as_bytes()[out.len() - 3..].eq_ignore_ascii_case(b"www") => true,
            // Only at the start of a line; a signed number is no item of a list.
            '#' | '>' | '=' | ':' => starts_line,
            '+' | '-' => starts_line && (after == ' ' || after == c),
            '.' | ')' => {
                line_starts && after == ' ' && at > 0 && text[..at].bytes().all(|b| b.is_ascii_digit())
            }
            _ => false,
        };
        if special {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}

/// Whether a text begins with an interval of numbers, which no reader takes for a link.
fn is_interval(text: &str) -> bool {
    let Some((inside, after)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return false;
    };
    let plain = |c: char| c.is_ascii_digit() || "+-., ".contains(c);
    inside.contains(", ") && inside.chars().all(plain) && !after.starts_with(['(', '[', ':'])
}

/// A link; the text is escaped here, the target is an address already.
pub(super) fn link(text: &str, target: &str) -> String {
    format!("[{}]({target})", escape(text))
}

/// A part of an address: whatever could end or change it, such as `#`, `?`, `%` and the colon of a scheme, is
/// percent-encoded.
pub fn address(part: &[u8]) -> String {
    let mut out = String::with_capacity(part.len());
    for &byte in part {
        let plain = byte.is_ascii_alphanumeric() || b"-._~/=+,;@".contains(&byte);
        if plain {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    /// The plain text that a reader sees, or the first piece of markup.
    fn read(markdown: &str) -> Result<String, String> {
        let mut out = String::new();
        let options = Options::all() - Options::ENABLE_SMART_PUNCTUATION;
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Text(text) => out.push_str(&text),
                Event::Start(Tag::Paragraph) | Event::End(_) => {}
                Event::SoftBreak => out.push(' '),
                other => return Err(format!("{other:?}")),
            }
        }
        Ok(out)
    }

    #[test]
    fn hostile_text_is_only_text() {
        for text in [
            "<script>alert(1)</script> & &lt; <b>",
            "[click](javascript:x) ![i](u) [ref] [^1] *em* _em_ **b** ~~s~~ `code` $x^2$ | a | b |",
            "# heading",
            "> quote",
            "1. list",
            "12) list",
            "- item",
            "+ item",
            "=====",
            "---",
            "***",
            "    indented",
            ": definition",
            "```fence",
            "line\n\n- other\u{1b}",
            "p < 0.001 & snake_case, 5 * 3, a\\b",
        ] {
            let want = clean_line(text).split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(read(&escape(text)), Ok(want), "{text:?} as {:?}", escape(text));
        }
        assert_eq!(escape("p < 0.001 in source_id (n = 5)."), "p < 0.001 in source_id (n = 5).");
    }

    #[test]
    fn links_hold_any_path() {
        let check = |part: &[u8], want: &str| assert_eq!(address(part), want);
        check("papers/a b(1)<é>.pdf".as_bytes(), "papers/a%20b%281%29%3C%C3%A9%3E.pdf");
        check(b"50%20 c#? a&amp;b\\[].pdf", "50%2520%20c%23%3F%20a%26amp;b%5C%5B%5D.pdf");
        check(b"javascript:x", "javascript%3Ax");
        check(b"not\xffutf8", "not%FFutf8");
        assert_eq!(link("a [b]", "x.pdf#page=3"), "[a \\[b\\]](x.pdf#page=3)");
    }

    proptest! {
        #[test]
        fn no_text_becomes_markup(text in "([a-c0-9 ]|[\\\\`*_\\[\\]<>()#+.!|~$&:=-]|<b>|&amp;|\n|é){1,40}") {
            let want = clean_line(&text).split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assume!(!want.is_empty());
            prop_assert_eq!(read(&escape(&text)), Ok(want));
        }
    }
}
