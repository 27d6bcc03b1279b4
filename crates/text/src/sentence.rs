//! Sentence segmentation for scientific text.
//!
//! Rules, not a model: every full stop is judged by the word before it and by what follows, with the
//! abbreviations of papers in [`abbreviations`](super::abbreviations). In doubt a boundary is *not* made
//! behind an abbreviation and is made elsewhere: a sentence too long can still be quoted, half a sentence
//! cannot stand alone. Time is linear: no rule looks further than a bounded distance.

use crate::abbreviations::{After, class, is_counted_noun, is_starter};
use crate::chars::{
    is_closing, is_dash, is_greek, is_invisible, is_opening, is_superscript_digit, is_unspaced,
};
use std::ops::Range;

/// The sentences of a text: trimmed, in order, not overlapping, together covering everything that is not
/// white space. Bytes into `text`.
///
/// A blank line, a form feed or the start of a list item always ends a sentence; a single line break is white
/// space. Citation marks glued to a full stop (`controls.12 The`, `mice.(4) We`) stay with the sentence that
/// they end. No upper bound of length: a table without full stops is one sentence.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut open_brackets = 0usize;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let mut next = at + c.len_utf8();
        let end = match c {
            '\n' | '\u{c}' | '\u{2029}' if breaks_here(text, start, at) => Some(at),
            '.' | '!' | '?' | '…' => {
                next = run_end(text, at);
                boundary(text, start, at, next, open_brackets)
            }
            '。' | '！' | '？' | '｡' => Some(skip(text, next, is_closing)),
            _ => None,
        };
        match c {
            '(' => open_brackets += 1,
            ')' => open_brackets = open_brackets.saturating_sub(1),
            _ => {}
        }
        if let Some(end) = end {
            push_trimmed(text, start..end, &mut out);
            start = end;
            next = next.max(end);
            open_brackets = 0;
        }
        at = next;
    }
    push_trimmed(text, start..text.len(), &mut out);
    out
}

fn push_trimmed(text: &str, span: Range<usize>, out: &mut Vec<Range<usize>>) {
    let piece = &text[span.clone()];
    let start = span.start + (piece.len() - piece.trim_start().len());
    let end = start + piece.trim().len();
    if start < end {
        out.push(start..end);
    }
}

/// Whether the line break at `at` ends the sentence that began at `start`.
fn breaks_here(text: &str, start: usize, at: usize) -> bool {
    if !text[at..].starts_with('\n') {
        return true;
    }
    let rest = text[at + 1..].trim_start_matches([' ', '\t', '\r', '\u{a0}']);
    if rest.is_empty() || rest.starts_with(['\n', '\u{c}', '\u{2029}']) {
        return true;
    }
    let Some(item) = list_marker(rest) else {
        return false;
    };
    let before = tail(&text[start..at], 64).trim_end();
    item == Marker::Bullet
        || before.ends_with([':', ';', '.', '!', '?', ')'])
        || list_marker(head(text[start..].trim_start(), 16)) == Some(item)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    /// A character that nothing else uses.
    Bullet,
    /// A dash, which also parts clauses.
    Dash,
    /// `1.`, `2)`, `(3)`.
    Number,
}

fn list_marker(line: &str) -> Option<Marker> {
    let mut chars = line.chars();
    let first = chars.next()?;
    let spaced = chars.next().is_some_and(char::is_whitespace);
    match first {
        '•' | '‣' | '▪' | '◦' | '●' | '○' | '■' | '□' | '►' | '➢' | '\u{f0b7}' => {
            Some(Marker::Bullet)
        }
        '*' | '#' if spaced => Some(Marker::Bullet),
        _ if is_dash(first) && spaced => Some(Marker::Dash),
        _ => {
            let inner = line.trim_start_matches('(');
            let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let mut rest = inner[digits..].chars();
            let closed = matches!(rest.next(), Some(')' | '.'));
            let word = rest.next().is_some_and(char::is_whitespace)
                && rest.next().is_some_and(|c| !c.is_lowercase());
            ((1..=2).contains(&digits) && closed && word).then_some(Marker::Number)
        }
    }
}

/// The end of a run of full stops, question marks and exclamation marks.
fn run_end(text: &str, at: usize) -> usize {
    skip(text, at, |c| matches!(c, '.' | '!' | '?' | '…'))
}

/// Where the sentence ends whose closing marks are `at..after`, or `None` when it goes on.
fn boundary(text: &str, start: usize, at: usize, after: usize, open_brackets: usize) -> Option<usize> {
    let marks = &text[at..after];
    let before = PrecedingText::new(&text[start..at]);
    let end = closed_end(text, after, &before)?;
    let rest = &text[end..];
    let follows = FollowingText::new(rest);
    if rest.is_empty() || follows.first.is_none() {
        return Some(end);
    }
    // "(P = 0.01. CI 3-5)": a bracket that closes soon holds its full stops together.
    if open_brackets > 0 && end == after && head(rest, 160).contains(')') && !marks.contains(['?', '!']) {
        return None;
    }
    let goes_on = match marks {
        "." => full_stop_inside(&before, &follows),
        _ if marks.contains(['!', '?']) => follows.lower() || follows.continues(),
        // An ellipsis ends a sentence only before a capital, and never inside brackets: "[...]".
        _ => end > after || !follows.upper(),
    };
    (!goes_on).then_some(end)
}

/// The end of closing marks and glued citations behind `after`, or `None` when what follows cannot be behind
/// the end of a sentence.
fn closed_end(text: &str, after: usize, before: &PrecedingText<'_>) -> Option<usize> {
    let mut end = skip(text, after, is_closing);
    let spaced = |end: usize| text[end..].chars().next().is_none_or(|c| c.is_whitespace() || is_unspaced(c));
    if spaced(end) {
        // "shown. [3] Next": the citation belongs to what it ends.
        let gap = skip(text, end, |c| c == ' ');
        return Some(bracketed_citation(text, gap).filter(|_| before.class == After::Free).unwrap_or(end));
    }
    let may_end = before.class == After::Free
        && before.last.is_some_and(|c| c.is_alphabetic() || is_closing(c) || c == '%');
    if !may_end {
        return None;
    }
    if let Some(cited) = bracketed_citation(text, end).or_else(|| raised_citation(text, end)) {
        return Some(cited);
    }
    // "mice.The next": a space lost in extraction.
    let word = before.word;
    let plain = word.len() >= 3 && word.chars().all(|c| c.is_ascii_lowercase());
    let mut rest = text[end..].chars();
    let capital = rest.next().is_some_and(char::is_uppercase)
        && rest.next().is_some_and(|c| c.is_lowercase() || c == ' ');
    let path =
        head(&text[end..], 80).split_whitespace().next().is_some_and(|w| w.contains(['/', '@', '.', '_']));
    end = after;
    (plain && capital && !path).then_some(end)
}

/// The end of `[3]`, `(4,5)` or `[6–8]` at `at`, when white space and no lower-case word follow.
fn bracketed_citation(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    if !rest.starts_with(['(', '[']) {
        return None;
    }
    let inner = &rest[1..];
    let length = inner.find(|c: char| !(c.is_ascii_digit() || c == ',' || c == ' ' || is_dash(c)))?;
    let digits = inner[..length].contains(|c: char| c.is_ascii_digit());
    let end = at + 1 + length + 1;
    let closed = inner[length..].starts_with([')', ']']);
    (digits && length <= 40 && closed && citation_ends(text, end)).then_some(end)
}

/// The end of `12`, `12,13` or `¹²` at `at`, when white space and no lower-case word follow.
fn raised_citation(text: &str, at: usize) -> Option<usize> {
    let mark = |c: char| c.is_ascii_digit() || is_superscript_digit(c) || c == ',' || is_dash(c) || c == '⁻';
    let end = skip(text, at, mark);
    let starts = text[at..].chars().next().is_some_and(|c| c.is_ascii_digit() || is_superscript_digit(c));
    (starts && end - at <= 40 && citation_ends(text, end)).then_some(end)
}

fn citation_ends(text: &str, end: usize) -> bool {
    let rest = &text[end..];
    rest.is_empty()
        || (rest.starts_with(char::is_whitespace) && {
            let follows = FollowingText::new(rest);
            follows.first.is_none() || !(follows.lower() || follows.continues())
        })
}

/// What stands before a full stop.
struct PrecedingText<'t> {
    /// The word that it closes, without opening marks.
    word: &'t str,
    /// The word before that one.
    previous: &'t str,
    /// Whether the word is the first of its sentence.
    opens: bool,
    last: Option<char>,
    class: After,
}

impl<'t> PrecedingText<'t> {
    fn new(sentence: &'t str) -> Self {
        let near = tail(sentence, 80);
        let cut = near.len() < sentence.len();
        let split =
            |s: &'t str| s.rfind(char::is_whitespace).map_or(("", s), |at| (s[..at].trim_end(), &s[at..]));
        let (earlier, word) = split(near);
        let word = word.trim_start().trim_start_matches(|c: char| is_opening(c) || is_invisible(c));
        let (_, previous) = split(earlier);
        let address = word.contains("://") || word.contains('@') || word.starts_with("www.");
        // A compound is judged by its last part: "/Fig", "(see".
        let word = word.rsplit(['/', '—', '–', '(', '[']).next().unwrap_or(word);
        Self {
            word,
            previous: previous.trim_start().trim_start_matches(is_opening),
            opens: earlier.is_empty() && !cut,
            last: near.chars().next_back(),
            class: if address { After::Free } else { class(word, previous.trim()) },
        }
    }
}

/// What stands behind the end of a sentence.
struct FollowingText<'t> {
    /// The next word, opening marks included.
    token: &'t str,
    /// Its first character behind opening marks.
    first: Option<char>,
    opened: bool,
}

impl<'t> FollowingText<'t> {
    fn new(rest: &'t str) -> Self {
        let rest = rest.trim_start();
        let token = head(rest, 80).split_whitespace().next().unwrap_or("");
        let bare = token.trim_start_matches(is_opening);
        Self {
            token: bare,
            first: bare.chars().next().or(token.chars().next()),
            opened: bare.len() < token.len(),
        }
    }
    fn upper(&self) -> bool {
        self.first.is_some_and(char::is_uppercase)
    }
    fn lower(&self) -> bool {
        self.first.is_some_and(char::is_lowercase) && !self.symbol()
    }
    fn digit(&self) -> bool {
        self.first.is_some_and(|c| c.is_ascii_digit())
    }
    /// Punctuation that cannot begin a sentence.
    fn continues(&self) -> bool {
        matches!(self.first, Some(',' | ';' | ':' | ')' | ']' | '}' | '=' | '<' | '>' | '/' | '&' | '|'))
    }
    /// A word that begins with a lower-case letter by name: p53, mTOR, α-synuclein.
    fn symbol(&self) -> bool {
        self.first.is_some_and(is_greek)
            || self.token.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit())
    }
    /// `2`, `S1`, `A`, `IV`: what labels are followed by.
    fn number_like(&self) -> bool {
        let word = self.token.trim_end_matches(|c: char| !c.is_alphanumeric());
        self.digit()
            || word.chars().count() <= 1
            || word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'))
            || (word.len() <= 5 && word.contains(|c: char| c.is_ascii_digit()))
    }
    fn starter(&self) -> bool {
        // "J. A. Smith": a second initial, not the article.
        if self.token == "A." {
            return false;
        }
        is_starter(self.token.trim_end_matches(|c: char| !c.is_alphanumeric()))
    }
}

/// Whether a single full stop does not end its sentence.
fn full_stop_inside(before: &PrecedingText<'_>, follows: &FollowingText<'_>) -> bool {
    if follows.continues() || follows.lower() {
        return true;
    }
    let list_number = before.opens
        && !before.word.is_empty()
        && (before.word.len() <= 2 || before.word.contains('.'))
        && before.word.chars().all(|c| c.is_ascii_digit() || c == '.');
    if list_number {
        return true;
    }
    let mut letters = before.word.chars();
    let initial = match (letters.next(), letters.next()) {
        (Some(c), None) => Some(c),
        _ => None,
    };
    match initial {
        // "J. Smith", "A. Methods", but "vitamin C. We", "in group B. Patients".
        Some(c) if c.is_uppercase() => {
            return before.opens
                || !(follows.starter() || is_counted_noun(before.previous) || !follows.upper());
        }
        Some(c) if c.is_lowercase() && follows.digit() => return true,
        _ => {}
    }
    match before.class {
        After::Free => false,
        After::Never => true,
        After::Label => follows.number_like() || follows.opened,
        After::Starter => follows.opened || !follows.starter(),
        After::Capital => !follows.upper(),
    }
}

fn skip(text: &str, from: usize, wanted: impl Fn(char) -> bool) -> usize {
    text.len() - text[from..].trim_start_matches(wanted).len()
}

/// At most the first `bytes` bytes, whole characters.
fn head(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

/// At most the last `bytes` bytes, whole characters.
fn tail(text: &str, bytes: usize) -> &str {
    let start = (text.len().saturating_sub(bytes)..=text.len()).find(|at| text.is_char_boundary(*at));
    &text[start.unwrap_or(text.len())..]
}
