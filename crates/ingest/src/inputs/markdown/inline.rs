//! Text within a line of Markdown: raised and lowered characters, tags of HTML.

use crate::{inputs::tex, raised};
use text::Pattern;

/// Ends raised text that began at `from`.
pub(super) fn close_raised(text: &mut String, from: usize) {
    let Some((before, inside)) = text.split_at_checked(from) else {
        return;
    };
    let inside = inside.to_owned();
    let what = raised::what_is(before, &inside, None, false);
    text.truncate(from);
    raised::push(text, &inside, what);
}

/// The text with what Pandoc raises (`10^6^`) and lowers (`H~2~O`) as what it is, and without the marks of notes that nothing defines.
pub(super) fn with_carets(text: &str) -> String {
    static RAISED: Pattern =
        Pattern::new(r"\[\^[\w-]{1,20}\]|\^(?P<raised>[^\s^]{1,20})\^|(?P<lowered>[\w)]~\w{1,8}~)");
    // Between dollars the signs are those of LaTeX.
    if !text.contains(['^', '~']) || text.contains('$') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for found in RAISED.captures_iter(text) {
        let whole = found.get_match();
        out.push_str(&text[at..whole.start()]);
        if let Some(raised) = found.name("raised") {
            let from = out.len();
            out.push_str(raised.as_str());
            close_raised(&mut out, from);
        } else if let Some(lowered) = found.name("lowered") {
            out.extend(lowered.as_str().chars().filter(|c| *c != '~'));
        }
        at = whole.end();
    }
    out + &text[at..]
}

/// A formula that a converter wrote with blanks between all symbols, as text: `1 4 . 8 \ \mu \mathrm { g / L }` is 14.8 µg/L.
/// One that needs more than numbers, units and signs keeps its dollars. `None` for other formulas.
pub(super) fn spaced_formula(math: &str) -> Option<String> {
    static SPACED: Pattern = Pattern::new(r"\d \d|\d \. \d");
    static DIGITS: Pattern = Pattern::new(r"(\d) (?:(\.) )?");
    if !SPACED.is_match(math) {
        return None;
    }
    let mut out = String::new();
    let mut rest = math;
    let mut plain = true;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '~' => out.push(' '),
            '=' | '<' | '>' => out.extend([' ', c, ' ']),
            ' ' | '{' | '}' | '_' => {}
            '\\' => {
                let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                let (name, behind) = rest.split_at(end);
                rest = behind;
                match name {
                    "" => {
                        let sign = rest.chars().next().unwrap_or(' ');
                        rest = &rest[sign.len_utf8().min(rest.len())..];
                        out.push(if matches!(sign, ',' | ';' | ':' | '!') { ' ' } else { sign });
                    }
                    "mathrm" | "text" | "mathbf" | "mathit" | "mathsf" | "operatorname" | "left"
                    | "right" | "rm" => {}
                    "quad" => out.push(' '),
                    _ => match tex::symbol(name) {
                        Some(sign) if "×±≤≥≈".contains(sign) => out.extend([" ", sign, " "]),
                        Some(sign) => out.push_str(sign),
                        None => plain = false,
                    },
                }
            }
            c => out.push(c),
        }
    }
    let text = out.replace("^°", "°").split_whitespace().collect::<Vec<_>>().join(" ");
    Some(if plain { text } else { format!("${}$", DIGITS.replace_all(math, "$1$2")) })
}

/// The text of an HTML block: tags and comments dropped, entities resolved.
pub(super) fn without_tags(html: &str) -> String {
    let mut out = String::new();
    let mut raised = None;
    let mut rest = html;
    // What was not found once is not found behind it either.
    let mut ends = [true, true];
    while let Some(at) = rest.find('<') {
        push_resolved(&mut out, &rest[..at]);
        rest = &rest[at..];
        let comment = rest.starts_with("<!--");
        let close = if comment { "-->" } else { ">" };
        let tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        let end = if tag && ends[usize::from(comment)] { rest.find(close) } else { None };
        if let Some(end) = end {
            let name: String = rest[1..].chars().take_while(|c| !c.is_whitespace() && *c != '>').collect();
            match name.to_ascii_lowercase().as_str() {
                "sup" => raised = Some(out.len()),
                "/sup" => raised.take().into_iter().for_each(|from| close_raised(&mut out, from)),
                "sub" | "/sub" | "i" | "/i" | "em" | "/em" | "b" | "/b" | "strong" | "/strong" => {}
                _ => out.push(' '),
            }
            rest = &rest[end + close.len()..];
        } else {
            ends[usize::from(comment)] &= !tag;
            out.push('<');
            rest = &rest[1..];
        }
    }
    push_resolved(&mut out, rest);
    out
}

/// Appends HTML text with its entities resolved.
fn push_resolved(out: &mut String, html: &str) {
    match quick_xml::escape::unescape_with(html, quick_xml::escape::resolve_html5_entity) {
        Ok(text) => out.push_str(&text),
        Err(_) => out.push_str(html),
    }
}
