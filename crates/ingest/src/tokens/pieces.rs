//! The pieces, about a word each, that `cl100k_base` cuts a text into before it merges bytes.

use regex::Regex;
use std::sync::LazyLock;

/// The pieces, save for white space, of which this finds whole runs (see [`first_piece`]).
static PIECE: LazyLock<Regex> = LazyLock::new(|| {
    let contraction = r"'(?i:[sdmt]|ll|ve|re)";
    let word = r"[^\r\n\p{L}\p{N}]?\p{L}+";
    let number = r"\p{N}{1,3}";
    let symbols = r" ?[^\s\p{L}\p{N}]+[\r\n]*";
    // Anchored, and searched for in what is left of the text: no second scan for where a match begins.
    Regex::new(&format!(r"^(?:{contraction}|{word}|{number}|{symbols}|\s+)"))
        .expect("a valid constant pattern")
});

/// The first piece of `text`; `None` when it is empty. Pieces leave no gap, as every character is a letter, a
/// number, white space or a symbol.
pub(super) fn first_piece(text: &str) -> Option<&str> {
    if let Some(length) = ascii_piece(text.as_bytes()) {
        return text.get(..length);
    }
    let piece = PIECE.find(text)?.as_str();
    if piece.len() == text.len() || !piece.chars().all(char::is_whitespace) {
        return Some(piece);
    }
    // A run of white space inside a text goes up to its last line break, else up to its last character,
    // which belongs to the word that follows, unless it is the only one.
    let end = match piece.rfind(['\r', '\n']) {
        Some(line_break) => line_break + 1,
        None => piece.char_indices().next_back().map_or(0, |(last, _)| last),
    };
    Some(if end == 0 { piece } else { &piece[..end] })
}

/// The length of the first piece where ASCII alone decides it, as for nearly all pieces of a paper; `None` where a
/// wider character may belong to it. Some ten times as fast as the pattern, whose alternatives it follows in order.
fn ascii_piece(text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    if !first.is_ascii() {
        return None;
    }
    if first == b'\'' {
        match text.get(1..).map(|rest| (rest.first(), rest.get(1))) {
            Some((Some(b's' | b'S' | b'd' | b'D' | b'm' | b'M' | b't' | b'T'), _)) => return Some(2),
            Some(
                (Some(b'l' | b'L'), Some(b'l' | b'L')) | (Some(b'v' | b'V' | b'r' | b'R'), Some(b'e' | b'E')),
            ) => return Some(3),
            _ => {}
        }
    }
    let letter = |b: u8| b.is_ascii_alphabetic();
    let lead = usize::from(!(letter(first) || first.is_ascii_digit() || is_break(first)));
    if let word @ 1.. = run(text, lead, letter)? {
        return Some(lead + word);
    }
    if first.is_ascii_digit() {
        let most = &text[..text.len().min(3)];
        return run(most, 0, |b| b.is_ascii_digit());
    }
    let blank = usize::from(first == b' ');
    let symbol = |b: u8| b.is_ascii() && !(is_space(b) || b.is_ascii_alphanumeric());
    if let symbols @ 1.. = run(text, blank, symbol)? {
        let end = blank + symbols;
        let breaks = text[end..].iter().take_while(|b| is_break(**b)).count();
        return Some(end + breaks);
    }
    let spaces = run(text, 0, is_space)?;
    if spaces == text.len() {
        return Some(spaces);
    }
    let last_break = text[..spaces].iter().rposition(|b| is_break(*b));
    Some(last_break.map_or(spaces.saturating_sub(1).max(1), |at| at + 1))
}

/// How many bytes from `from` on are of a class; `None` when a character beyond ASCII ends them.
fn run(text: &[u8], from: usize, class: impl Fn(u8) -> bool) -> Option<usize> {
    let rest = text.get(from..).unwrap_or_default();
    let length = rest.iter().position(|b| !class(*b)).unwrap_or(rest.len());
    rest.get(length).is_none_or(u8::is_ascii).then_some(length)
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// White space as patterns see it: the vertical tab, too.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the pattern alone finds.
    fn by_pattern(text: &str) -> Option<&str> {
        let piece = PIECE.find(text)?.as_str();
        (!piece.trim().is_empty()).then_some(piece)
    }

    #[test]
    fn the_short_cut_is_taken_by_ascii_alone() {
        let check =
            |text: &str, want: Option<usize>| assert_eq!(ascii_piece(text.as_bytes()), want, "{text:?}");
        check("", None);
        check("word next", Some(4));
        check(" word", Some(5));
        check("'llama", Some(3));
        check("'lama", Some(5));
        check("12345", Some(3));
        check("12é", None);
        check("123é", Some(3));
        check("1é", None);
        check("naïve", None);
        check("...\n\nNext", Some(5));
        check("…", None);
        check("  \n  x", Some(3));
        check("   x", Some(2));
        check("\n\n", Some(2));
        check("\u{b}x", Some(2));
    }

    proptest! {
        #[test]
        fn the_short_cut_agrees_with_the_pattern(text in "([a-zA-Z']{0,4}|[0-9.,]{0,5}|\\s{0,4}|[ \n\r\t]{0,4}|\\PC{0,3}|.{0,3}){1,4}") {
            if let (Some(length), Some(piece)) = (ascii_piece(text.as_bytes()), by_pattern(&text)) {
                prop_assert_eq!(length, piece.len());
            }
        }
    }
}
