//! Token counts in `cl100k_base`, the unit that chunk sizes are measured in.
//!
//! The table is compiled into tiktoken-rs; nothing is fetched. Text that spells a special token
//! (`<|endoftext|>`) is counted as the ordinary text that it is.
//!
//! Byte-pair encoding works on pieces (about a word each) that a regular expression cuts out, and papers
//! repeat their words: so the pieces are cut here, with an automaton that needs linear time where tiktoken-rs
//! backtracks, and the count of each piece is remembered. The result is the
//! same number. Who counts parts of one text again and again, as chunking does, counts the whole once.

mod counted;

pub(crate) use counted::Counted;

use regex::Regex;
use std::{cell::RefCell, collections::HashMap, sync::LazyLock};
use tiktoken_rs::cl100k_base_singleton;

/// Longest piece that is remembered, in bytes; what is longer hardly comes twice.
const REMEMBERED_BYTES: usize = 32;

/// Pieces remembered by a thread before it starts anew; some megabytes.
const REMEMBERED_PIECES: usize = 50_000;

/// Longest piece that tiktoken-rs is given whole. It encodes a run of a million symbols as one piece and
/// gives up (panics) on runs of white space of that length.
const SEGMENT: usize = 64 * 1024;

thread_local! {
    static KNOWN: RefCell<HashMap<Box<str>, usize>> = RefCell::default();
}

/// Tokens of `text`. Exact unless one word or run is longer than 64 KiB; such a run is counted in segments of
/// that size, which may add a token or two for each cut.
pub fn count(text: &str) -> usize {
    let mut rest = text;
    let mut total = 0;
    while let Some(piece) = first_piece(rest) {
        rest = &rest[piece.len()..];
        total += count_piece(piece);
    }
    total
}

/// Tokens of one piece, remembered.
fn count_piece(piece: &str) -> usize {
    KNOWN.with_borrow_mut(|known| match known.get(piece) {
        Some(&tokens) => tokens,
        None => remember(known, piece),
    })
}

fn remember(known: &mut HashMap<Box<str>, usize>, piece: &str) -> usize {
    let tokens = encode(piece);
    if piece.len() <= REMEMBERED_BYTES {
        if known.len() >= REMEMBERED_PIECES {
            known.clear();
        }
        known.insert(piece.into(), tokens);
    }
    tokens
}

fn encode(piece: &str) -> usize {
    let bpe = cl100k_base_singleton();
    let mut rest = piece;
    let mut total = 0;
    while rest.len() > SEGMENT {
        let (head, tail) = rest.split_at(rest.floor_char_boundary(SEGMENT));
        total += bpe.count_ordinary(head);
        rest = tail;
    }
    total + bpe.count_ordinary(rest)
}

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
fn first_piece(text: &str) -> Option<&str> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_are_those_of_cl100k_base() {
        // As OpenAI's cookbook on counting tokens prints them, except the first and the last.
        let check = |text: &str, want: usize| assert_eq!(count(text), want, "{text:?}");
        check("", 0);
        check("antidisestablishmentarianism", 6);
        check("2 + 2 = 4", 7);
        check("お誕生日おめでとう", 9);
        check("<|endoftext|>", 7);
    }

    #[test]
    fn pieces_are_those_of_tiktoken() {
        let texts = [
            "We'll see: it'S 'ſ; don't '",
            "a  b\t\tc \n d\n\n e \r\n\r\n",
            "   ",
            " \n ",
            "x   \n   \n   y",
            "p < 0.05, n=1234567; F(1, 23) = 4.5\u{a0}\u{a0}ms",
            "α-helix\u{301} ½ Ⅷ ₂ ²  …\n\n!!\r\n",
            "\u{0}\u{200b}\u{2028}\u{85}\u{3000}x \u{1F9EC}\u{1F9EC} y",
        ];
        for text in texts {
            assert_eq!(count(text), cl100k_base_singleton().count_ordinary(text), "{text:?}");
        }
    }

    #[test]
    fn the_estimate_of_text_is_no_lower() {
        let texts = [
            "Walking lowered systolic blood pressure by 12 mmHg in the forty retired sailors of the trial (p < 0.05).",
            "1.23 4.56 7.89\n0.12 3.45 6.78\n| 12 | 34.5 | 0.001 |",
            "步行降低了退休水手的收缩压。血压由两名护士在早晨测量。",
            "お誕生日おめでとう。研究の結果は次のとおりです。",
            "Ходьба снизила давление у сорока моряков в течение двенадцати недель.",
            "Η βάδιση μείωσε την πίεση κατά 12 mmHg.",
            "🚶🏽‍♀️🧬 ½ Ⅷ ₂",
            r#"{"type": "object", "required": ["scores"], "additionalProperties": false}"#,
        ];
        for text in texts {
            let (estimate, count) = (text::tokens::estimate(text), count(text));
            assert!(estimate >= count, "{estimate}, not {count}: {text}");
            assert!(estimate <= 3 * count, "{estimate}, not {count}: {text}");
        }
    }

    #[test]
    fn huge_and_hostile_texts_are_counted() {
        let spaces = " ".repeat(1_500_000) + "x";
        assert!(count(&spaces) > 10_000);
        assert!(count(&"é".repeat(200_000)) > 1_000);
        assert!(count(&"\u{0}\u{1F9EC}\n\r ".repeat(40_000)) > 40_000);
    }

    proptest! {
        #[test]
        fn the_count_is_that_of_tiktoken(text in "([a-zA-Z']{0,4}|[0-9.,]{0,5}|\\s{0,4}|[ \n\r]{0,4}|\\PC{0,3}|.{0,3}){0,12}") {
            prop_assert_eq!(count(&text), cl100k_base_singleton().count_ordinary(&text));
        }
    }
}
