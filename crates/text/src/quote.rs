//! Finding a quote in the text that it claims to come from, and cutting a sentence down to a quote.
//!
//! A quote is verbatim when both sides coincide after [`fold`]; a second, looser comparison forgives what no
//! reader of a PDF can know: whether a hyphen at a line end belonged to the word, which quotation marks
//! were meant, whether a Greek letter or its name was printed, and whether the exponent in `3 × 10^8` was raised. Digits,
//! words and their order are never forgiven.

mod window;

pub use window::{WindowTerms, best_window};

use crate::Pattern;
use crate::{chars::is_quotation, fold::Folded, fold::fold, symbols::typed};
use std::{cell::OnceCell, ops::Range};

/// Where a quote stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteMatch {
    /// Bytes into the haystack, in order, not overlapping; one part unless the quote held an ellipsis.
    pub parts: Vec<Range<usize>>,
}

/// Finds `quote` in `haystack`; `None` when it does not stand there or holds no letter or digit.
///
/// Quotation marks around the quote and punctuation at its end are forgiven. A match never begins or ends
/// inside a word or a number: `5 mg` is not found in `0.5 mg`. A quote with an ellipsis (`...`, `…`, `[...]`)
/// matches when its parts stand in the haystack in order; each part is found at its first place behind the
/// part before it.
pub fn find_quote(haystack: &str, quote: &str) -> Option<QuoteMatch> {
    let (hay, needle) = (fold(haystack), fold(quote));
    let hay = Comparable::new(hay);
    let whole = trim(needle.text());
    let parts: Vec<&str> = ELLIPSIS.split(whole).map(trim).filter(|p| has_content(p)).collect();
    if parts.is_empty() {
        return None;
    }
    let found = hay.find_all(&[whole]).or_else(|| hay.find_all(&[trim_end(whole)]));
    let found = found.or_else(|| {
        let parts: Vec<&str> = parts.iter().map(|p| trim_end(p)).collect();
        hay.find_all(&parts).or_else(|| hay.find_all_loosely(&parts))
    });
    found.map(|parts| QuoteMatch { parts })
}

static ELLIPSIS: Pattern = Pattern::new(r"\s*[\[(]?\s*\.(?:\s?\.){2,}\s*[\])]?\s*");

/// The haystack in the two forms in which it is searched; the second is made when first needed.
struct Comparable {
    folded: Folded,
    loose: OnceCell<LooseText>,
}

impl Comparable {
    fn new(folded: Folded) -> Self {
        Self { folded, loose: OnceCell::new() }
    }

    fn find_all(&self, parts: &[&str]) -> Option<Vec<Range<usize>>> {
        let hay = self.folded.text();
        let mut from = 0;
        let mut found = Vec::with_capacity(parts.len());
        for part in parts {
            let at = find_words(hay, part, from, |range| stands_alone(hay, range))?;
            from = at.end;
            found.push(self.folded.original(at));
        }
        Some(found)
    }

    fn find_all_loosely(&self, parts: &[&str]) -> Option<Vec<Range<usize>>> {
        let hay = self.loose.get_or_init(|| LooseText::new(self.folded.text()));
        let mut from = 0;
        let mut found = Vec::with_capacity(parts.len());
        for part in parts {
            let part = LooseText::new(part).text;
            let alone = |range: Range<usize>| stands_alone(self.folded.text(), hay.folded(range));
            let at = find_words(&hay.text, part.trim(), from, alone)?;
            from = at.end;
            found.push(self.folded.original(hay.folded(at)));
        }
        Some(found)
    }
}

/// Folded text without the hyphens inside words and without quotation marks, Greek letters as they are typed.
struct LooseText {
    text: String,
    /// For each byte of `text`, its byte in the folded text.
    from: Vec<usize>,
}

impl LooseText {
    fn new(folded: &str) -> Self {
        let mut loose =
            Self { text: String::with_capacity(folded.len()), from: Vec::with_capacity(folded.len()) };
        let mut chars = folded.char_indices().peekable();
        let mut before = ' ';
        while let Some((at, c)) = chars.next() {
            let joins = c == '-' && joins_words(&folded[..at], &folded[at + 1..]);
            if joins {
                if loose.text.ends_with(' ') {
                    loose.text.pop();
                    loose.from.pop();
                }
                chars.next_if(|(_, next)| *next == ' ');
            } else if c != '\''
                && c != '"'
                && !(c == ' ' && before == ' ')
                && !(c == '^' && is_scaled(&loose.text))
            {
                match typed(c) {
                    Some(name) => loose.text.push_str(name),
                    None => loose.text.push(c),
                }
                loose.from.resize(loose.text.len(), at);
            }
            if c != '\'' && c != '"' {
                before = c;
            }
        }
        loose
    }

    fn folded(&self, range: Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return 0..0;
        }
        // The last byte of a character maps to its start: one further is enough for `Folded::original`, which
        // covers whole characters.
        self.from[range.start]..self.from[range.end - 1] + 1
    }
}

/// Whether a hyphen between these texts joins or parts words, rather than numbers or a sign and its number.
fn joins_words(before: &str, after: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (last, next) = (before.chars().next_back(), after.chars().next());
    let spaced = |c: Option<char>| c == Some(' ');
    let beyond = (before.trim_end().chars().next_back(), after.trim_start().chars().next());
    (letter(last) && word(next))
        || (word(last) && letter(next))
        || ((spaced(last) || letter(last))
            && (spaced(next) || letter(next))
            && letter(beyond.0)
            && letter(beyond.1))
}

/// The first place of `part` in `hay` from `from` on that `alone` accepts.
fn find_words(
    hay: &str,
    part: &str,
    from: usize,
    alone: impl Fn(Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let mut from = from;
    while !part.is_empty() {
        let start = from + hay.get(from..)?.find(part)?;
        let range = start..start + part.len();
        if alone(range.clone()) {
            return Some(range);
        }
        // A match starts where a word starts: go on from the next one.
        let rest = &hay[start..];
        from = start
            + rest
                .find(|c: char| !c.is_alphanumeric())
                .filter(|at| *at > 0)
                .unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
    }
    None
}

/// Whether no word and no number goes on beyond the range.
fn stands_alone(hay: &str, range: Range<usize>) -> bool {
    let end = (range.end..=hay.len()).find(|at| hay.is_char_boundary(*at)).unwrap_or(hay.len());
    let (inside, before, after) = (&hay[range.start..end], &hay[..range.start], &hay[end..]);
    let joined = |a: Option<char>, b: Option<char>| match (a, b) {
        (Some(a), Some(b)) => {
            (a.is_lowercase() && b.is_lowercase()) || (a.is_ascii_digit() && b.is_ascii_digit())
        }
        _ => false,
    };
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (first, last) = (inside.chars().next(), inside.chars().next_back());
    let mut back = before.chars().rev();
    let mut ahead = after.chars();
    let (b1, a1) = (back.next(), ahead.next());
    let point = |c: Option<char>| matches!(c, Some('.' | ','));
    let number_before = digit(first) && point(b1) && digit(back.next());
    let number_after = digit(last) && point(a1) && digit(ahead.next());
    let power = b1 == Some('^') || digit(last) && a1 == Some('^');
    !(joined(b1, first) || joined(last, a1) || number_before || number_after || power)
}

/// Whether a text ends with a ten by which a number is multiplied: what follows is an exponent, raised or not.
fn is_scaled(text: &str) -> bool {
    text.strip_suffix("10").is_some_and(|t| t.trim_end().ends_with(['x', '·', '*']))
}

fn has_content(part: &str) -> bool {
    part.contains(char::is_alphanumeric)
}

fn trim(part: &str) -> &str {
    part.trim_matches(|c: char| c.is_whitespace() || is_quotation(c))
}

fn trim_end(part: &str) -> &str {
    part.trim_end_matches(|c: char| {
        c.is_whitespace() || is_quotation(c) || matches!(c, '.' | ',' | ';' | ':')
    })
}
