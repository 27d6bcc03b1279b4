//! Text from papers, questions and models, made harmless inside Markdown.

/// The text on one line, with everything escaped that Markdown or HTML would act on: it can neither end a
/// table cell, open a tag, a link or a heading, nor turn text around.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut gap = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if c.is_whitespace() {
            gap = !out.is_empty();
        } else if !is_invisible(c) {
            if gap {
                out.push(' ');
                gap = false;
            }
            push(c, after, &mut out);
        }
        rest = after;
    }
    out
}

fn push(c: char, after: &str, out: &mut String) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '$' | '!' => {
            out.push('\\');
            out.push(c);
        }
        // Bare addresses would become links.
        ':' if after.starts_with("//") => out.push_str("&#58;"),
        '.' if out.len() >= 3 && out.as_bytes()[out.len() - 3..].eq_ignore_ascii_case(b"www") => {
            out.push_str("&#46;");
        }
        '@' => out.push_str("&#64;"),
        // A line that begins like a list or a heading's underline; a signed number does not.
        '-' | '+' | '=' if out.is_empty() && !after.starts_with(|c: char| c.is_ascii_digit()) => {
            out.push('\\');
            out.push(c);
        }
        c => out.push(c),
    }
}

/// Control characters, and those that reorder or hide text.
pub(super) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hostile_text_is_inert() {
        let check = |text: &str, expect: &str| assert_eq!(escape(text), expect, "{text:?}");
        check("plain text, 57.5–72.5 min", "plain text, 57.5–72.5 min");
        check(" two\n\nlines\t| cell ", "two lines \\| cell");
        check(
            "<script>alert(1)</script>",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
        );
        check("[link](http://x.y)", "\\[link\\](http&#58;//x.y)");
        check("![i](x) a__b__000", "\\!\\[i\\](x) a\\_\\_b\\_\\_000");
        check("www.example", "www&#46;example");
        check("- item", "\\- item");
        check("-0.050", "-0.050");
        check("a\u{202e}b\u{200b}c\u{7}", "abc");
        check("&lt;", "&amp;lt;");
        check("", "");
    }

    proptest! {
        #[test]
        fn one_line_without_open_cells_or_tags(text in "\\PC{0,80}") {
            let out = escape(&text);
            prop_assert!(!out.contains(['\n', '\r', '<', '>']));
            let bare = out.replace("\\\\", "").replace("\\|", "");
            prop_assert!(!bare.contains('|'));
        }
    }
}
