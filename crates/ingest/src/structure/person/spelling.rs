//! The spelling of names: labels in front of them, accents and initials as they should stand.

use super::BREAK;
use super::word::is_degree;
use regex::Regex;
use std::sync::LazyLock;

/// The text without a label at its start, its accents and initials set as usual.
pub(super) fn plain(text: &str) -> String {
    initials_apart(&accented(without_label(text)))
}

/// "Yu.A." in "Yu.A.Pusep", "1st" in front of the first author.
static GLUED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(^|[^\p{L}.'’])((?:\p{Lu}\p{Ll}?\.[-‐]?)+)(\p{Lu}[\p{L}'’]+)").expect("the pattern is valid")
});
static COUNT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b\d(st|nd|rd|th)\b").expect("the pattern is valid"));

/// The text with a space behind initials that are set without one, and without the numbers that count the authors.
fn initials_apart(text: &str) -> String {
    let apart = GLUED.replace_all(text, |c: &regex::Captures<'_>| {
        let space = if is_degree(&format!("{}{}", &c[2], &c[3]), false) {
            ""
        } else {
            " "
        };
        format!("{}{}{space}{}", &c[1], &c[2], &c[3])
    });
    COUNT.replace_all(&apart, "").into_owned()
}

/// Takes "By" or "Authors:" off the start.
fn without_label(text: &str) -> &str {
    let text = text.trim_start();
    for label in ["by ", "author:", "authors:", "author(s):", "written by "] {
        if let Some(start) = text.get(..label.len())
            && start.eq_ignore_ascii_case(label)
        {
            return text[label.len()..].trim_start();
        }
    }
    text
}

/// Puts accents that stand apart over the letter beside them that usually carries them ("Ju¨rges", "Dar´ıo").
fn accented(text: &str) -> String {
    let typical = |accent: char| -> Option<(char, &str)> {
        Some(match accent {
            '´' => ('\u{301}', "aeiouyıAEIOUY"),
            '`' => ('\u{300}', "aeiouAEIOU"),
            '¨' => ('\u{308}', "aeiouyAEIOUY"),
            'ˆ' => ('\u{302}', "aeiouAEIOU"),
            '˜' => ('\u{303}', "naoNAO"),
            '¸' => ('\u{327}', "cstCST"),
            '˚' => ('\u{30A}', "auAU"),
            'ˇ' => ('\u{30C}', "sczrentdSCZRENTD"),
            _ => return None,
        })
    };
    let chars: Vec<char> = text.chars().collect();
    let mut out: Vec<char> = Vec::with_capacity(chars.len());
    let mut i = 0;
    while i < chars.len() {
        let Some((mark, letters)) = typical(chars[i]) else {
            out.push(chars[i]);
            i += 1;
            continue;
        };
        let plain = |c: char| if c == 'ı' { 'i' } else { c };
        let over = |c: &char| {
            letters
                .contains(*c)
                .then(|| unicode_normalization::char::compose(plain(*c), mark))?
        };
        // "Ju ¨rges": the space is none.
        let apart = out.len() >= 2
            && out.last().is_some_and(|c| *c == ' ' || *c == BREAK)
            && chars.get(i + 1).is_some_and(|c| c.is_lowercase());
        if apart && out.get(out.len() - 2).and_then(over).is_some() {
            out.pop();
        }
        if let Some(c) = out.last().and_then(over) {
            out.pop();
            out.push(c);
        } else if let Some(c) = chars.get(i + 1).and_then(over) {
            out.push(c);
            i += 1;
        } else {
            out.push(chars[i]);
        }
        i += 1;
    }
    out.into_iter().collect()
}
