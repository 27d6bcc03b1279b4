//! Words, content terms and their stems: the one vocabulary that index, coverage and answers share.
//!
//! A word is a run of letters, digits and combining marks. Numbers keep their decimal point and lose their
//! thousands separators. A symbol stays one term whatever its hyphens (`PGC-1α`, `PGC1α` and `pgc-1alpha`
//! are all `pgc1α`, see [`crate::symbols`]); other hyphenated words give their parts, and so does a long word with a citation number glued
//! to it. Stop words carry no topic and are left out;
//! negations are among them, and [`is_negation`] knows them.

use crate::chars::{is_invisible, is_superscript_digit, is_unspaced};
use crate::fold::fold;
use crate::stopwords::is_stop_word;
use crate::symbols;
use rust_stemmers::{Algorithm, Stemmer};
use std::{collections::BTreeSet, ops::Range, sync::LazyLock};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A content term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Its stem, as [`stem`] makes it.
    pub stem: String,
    /// Bytes into the text.
    pub span: Range<usize>,
}

/// Longer words than this (in bytes) are sequences or encoded data, not terms.
const LONGEST_TERM: usize = 200;

/// A word of a text as an index stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word without stemming, as [`normal_form`] makes it.
    pub form: String,
    /// Its stem, as [`stem`] makes it.
    pub stem: String,
    /// Bytes into the text.
    pub span: Range<usize>,
    /// Whether [`terms`] leaves it out.
    pub is_stop_word: bool,
}

/// The stem of one word: folded, without diacritics on Latin letters, in lower case; English words through
/// the Snowball stemmer, words with digits only normalised. Names of Greek letters become the letter.
pub fn stem(word: &str) -> String {
    let (form, is_ascii_word) = normalise(word);
    stem_of(form, is_ascii_word)
}

/// One word as [`stem`] normalises it, but not stemmed; a possessive ending is left out.
pub fn normal_form(word: &str) -> String {
    unstemmed(&normalise(word).0)
}

/// The content terms of a text, in order. Stop words are left out, and so is what is too long for a word.
pub fn terms(text: &str) -> Vec<Term> {
    words(text)
        .into_iter()
        .filter(|span| span.len() <= LONGEST_TERM && !is_stop_word(&text[span.clone()]))
        .map(|span| Term { stem: stem(&text[span.clone()]), span })
        .filter(|term| !term.stem.is_empty())
        .collect()
}

/// The distinct stems of the content terms of a text.
pub fn stems(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().map(|term| term.stem).collect()
}

/// The words of a text without regard to symbols: runs of letters and digits of the folded text.
pub fn folded_words(text: &str) -> Vec<String> {
    let folded = fold(text);
    let words = folded.text().split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The words of a text, in order, unstemmed and stemmed. Those that are not stop words are [`terms`].
pub fn indexed_words(text: &str) -> Vec<Word> {
    let word = |span: Range<usize>| {
        let word = &text[span.clone()];
        let (form, is_ascii_word) = normalise(word);
        Word {
            form: unstemmed(&form),
            stem: stem_of(form, is_ascii_word),
            is_stop_word: is_stop_word(word),
            span,
        }
    };
    let spans = words(text).into_iter();
    let spans = spans.filter(|span| span.len() <= LONGEST_TERM);
    spans.map(word).filter(|word| !word.stem.is_empty()).collect()
}

/// The text on one line: without control characters, its words separated by single spaces.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The number of words between white space.
pub fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The length of a text in words between white space; in scripts that set none, two characters count as one.
pub fn length_in_words(text: &str) -> usize {
    let unspaced = |c: &char| {
        is_unspaced(*c)
            || matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
    };
    let spaced = word_count(text);
    // All such characters take three bytes and more.
    if text.bytes().all(|b| b < 0xe0) {
        return spaced;
    }
    spaced.max(text.chars().filter(unspaced).count() / 2)
}

/// All words of a text, stop words included, in order: bytes into the text.
pub fn words(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let point = c == '.' && decimal_starts(text, start);
        if !(is_word_char(c) || point) {
            continue;
        }
        let mut end = start + c.len_utf8();
        if !is_unspaced(c) {
            while let Some(&(at, c)) = chars.peek() {
                if (!is_word_char(c) || is_unspaced(c)) && !joins(text, start, at, c) {
                    break;
                }
                if c.is_ascii_digit() && carries_citation(&text[start..at]) {
                    break;
                }
                chars.next();
                end = at + c.len_utf8();
            }
        }
        match out.last() {
            Some(last) if symbols::is_one(text, last, &(start..end)) => {
                let from = last.start;
                out.pop();
                out.push(from..end);
            }
            _ => out.push(start..end),
        }
    }
    let parts = |span: Range<usize>| {
        let parts = symbols::parts(&text[span.clone()]).into_iter();
        parts.map(move |part| span.start + part.start..span.start + part.end)
    };
    out.into_iter().flat_map(parts).collect()
}

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// A text folded, in lower case and without diacritics: names are typed as `Ozturk` and `Jorgensen`, too.
pub fn plain_letters(text: &str) -> String {
    let folded = fold(text);
    if folded.text().is_ascii() {
        return folded.text().to_owned();
    }
    let mut bare = String::with_capacity(folded.text().len());
    for c in folded.text().nfd().filter(|c| !is_combining_mark(*c)) {
        match c {
            'ø' => bare.push('o'),
            'ł' => bare.push('l'),
            'đ' => bare.push('d'),
            'ı' => bare.push('i'),
            'ß' => bare.push_str("ss"),
            'æ' => bare.push_str("ae"),
            'œ' => bare.push_str("oe"),
            _ => bare.push(c),
        }
    }
    bare.nfc().collect()
}

/// A word folded, in lower case and without diacritics on Latin letters, and whether it is one that the stemmer knows.
fn normalise(word: &str) -> (String, bool) {
    let mut plain = plain_letters(word);
    plain.retain(|c| !c.is_whitespace());
    let plain = plain.trim_matches(['\'', '-', ',']).trim_end_matches('.');
    if let Some(symbol) = symbols::normal(word, plain) {
        return (symbol, false);
    }
    let letters: String = plain.chars().filter(|c| *c != '-').collect();
    // The stemmer knows ASCII words only; anything else is its own stem.
    let is_ascii_word = letters.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'');
    (letters, is_ascii_word)
}

fn stem_of(form: String, is_ascii_word: bool) -> String {
    if is_ascii_word { STEMMER.stem(&form).into_owned() } else { form }
}

fn unstemmed(form: &str) -> String {
    let stripped = form.strip_suffix("'s").filter(|rest| !rest.is_empty());
    stripped.unwrap_or(form).to_owned()
}

fn is_word_char(c: char) -> bool {
    (c.is_alphanumeric() && !is_superscript_digit(c)) || is_combining_mark(c) || c == '\u{2206}'
}

/// Whether the character at `at`, no word character itself, holds a word together.
fn joins(text: &str, start: usize, at: usize, c: char) -> bool {
    let before = text[start..at].chars().next_back();
    let after = text[at + c.len_utf8()..].chars().next();
    let digits = before.is_some_and(|c| c.is_ascii_digit()) && after.is_some_and(|c| c.is_ascii_digit());
    match c {
        '.' => digits,
        // "C++".
        '+' => start < at && (text[at..].starts_with("++") || text[start..at].ends_with('+')),
        '^' => before.is_some_and(char::is_alphanumeric) && after.is_some_and(|c| c.is_ascii_digit()),
        // Thousands: "1,000" but not the citations "12,13".
        ',' => digits && thousands(text, start, at),
        '\'' | '’' => before.is_some_and(char::is_alphabetic) && after.is_some_and(char::is_alphabetic),
        _ => is_invisible(c) || c == '\u{ad}',
    }
}

/// Whether digits behind these letters are a citation mark that lost its raised position (`morbidity4`): behind a
/// plain word of some length, where no symbol has them.
fn carries_citation(word: &str) -> bool {
    let word = word.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let mut letters = word.bytes();
    (6..=LONGEST_TERM).contains(&word.len())
        && letters.next().is_some_and(|b| b.is_ascii_alphabetic())
        && letters.all(|b| b.is_ascii_lowercase())
}

fn thousands(text: &str, start: usize, comma: usize) -> bool {
    let lead = &text[start..comma];
    let lead = lead.rsplit(',').next().unwrap_or(lead);
    let group = text[comma + 1..].bytes().take_while(u8::is_ascii_digit).count();
    group == 3 && (1..=3).contains(&lead.len()) && lead.bytes().all(|b| b.is_ascii_digit())
}

/// `.05` at the start of a word.
fn decimal_starts(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    text[at + 1..].starts_with(|c: char| c.is_ascii_digit())
        && before.is_none_or(|c| !c.is_alphanumeric() && c != '.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stems(text: &str) -> Vec<String> {
        terms(text).into_iter().map(|t| t.stem).collect()
    }

    #[test]
    fn terms_are_stems_of_content_words() {
        let check = |text: &str, want: &[&str]| assert_eq!(stems(text), want, "{text:?}");
        check("", &[]);
        check("What does the study say about the mice?", &["mice"]);
        check("Long-term training improves VO2max", &["long", "term", "train", "improv", "vo2max"]);
        check("57.5–72.5 min/day", &["57.5", "72.5", "min", "day"]);
        check("1,000 steps, refs 12,13", &["1000", "step", "ref", "12", "13"]);
        check("p < .05 and 0.050", &["p", "0.05", "0.05"]);
        check("type-2 diabetes", &["type", "2", "diabet"]);
        check("12-week", &["12", "week"]);
        check("did not increase", &["increas"]);
        check("mice\u{b9}\u{b2} in 5 kg/m²", &["mice", "5", "kg", "m"]);
        check("Barry’s naïve Kocoğlu", &["barri", "naiv", "kocoglu"]);
        check("DR/CR", &["dr", "cr"]);
        check("morbidity4 tripled1, mtorc1 foxo3", &["morbid", "4", "tripl", "1", "mtorc1", "foxo3"]);
        check("caspase3 caspase-3", &["caspas", "3", "caspas", "3"]);
        check("运动", &["运", "动"]);
        check("exer\u{ad}cise", &["exercis"]);
    }

    #[test]
    fn words_keep_their_form_beside_their_stem() {
        let words = indexed_words("The children’s studies of PGC-1alpha didn't improve walking");
        let found: Vec<_> =
            words.iter().map(|word| (word.form.as_str(), word.stem.as_str(), word.is_stop_word)).collect();
        assert_eq!(
            found,
            [
                ("the", "the", true),
                ("children", "children", false),
                ("studies", "studi", true),
                ("of", "of", true),
                ("pgc1α", "pgc1α", false),
                ("didn't", "didn't", true),
                ("improve", "improv", false),
                ("walking", "walk", false),
            ]
        );
        assert_eq!(normal_form("Walking's"), "walking");
    }

    proptest! {
        #[test]
        fn terms_are_the_words_that_are_no_stop_words(text in prop_oneof![any::<String>(), "[a-zA-Zα0-9 .,'’-]{0,60}"]) {
            let words = indexed_words(&text).into_iter().filter(|word| !word.is_stop_word);
            let left: Vec<Term> = words.map(|Word { stem, span, .. }| Term { stem, span }).collect();
            prop_assert_eq!(left, terms(&text));
        }
    }
}
