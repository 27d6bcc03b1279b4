//! Folding: the form in which two texts are compared, with a map back to the original bytes.
//!
//! The same sentence looks different in a PDF, in a model's quote and in a user's question: ligatures,
//! curly quotes, three kinds of dash, µ or μ, words broken at line ends. [`fold`] brings all of these to one
//! form: compatibility composition (NFKC), ASCII digits, lower case, straight quotes, `-` for every dash, one space for
//! every run of white space, no invisible characters, words joined over line ends. Every byte of the folded
//! text knows the original bytes that it came from. Time and memory are linear in the text.
//!
//! Folding is for comparison only; it is idempotent, and never shown to anyone.

use crate::chars::{ascii_figure, is_dash, is_invisible, is_quotation, is_soft_hyphen, is_superscript_digit};
use std::{iter::once, ops::Range};
use unicode_normalization::{
    IsNormalized, UnicodeNormalization, char::canonical_combining_class, is_nfkc_quick,
};

/// A folded text and the way back.
#[derive(Clone, Debug, Default)]
pub struct Folded {
    text: String,
    runs: Vec<Run>,
    original_len: usize,
}

/// Folded bytes from `folded` up to the next run, and the original bytes `start..end` behind them.
#[derive(Clone, Copy, Debug)]
struct Run {
    folded: usize,
    start: usize,
    end: usize,
    /// Byte for byte (ASCII only); otherwise the run stands for all its original bytes at once.
    linear: bool,
}

impl Folded {
    /// The folded text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The original bytes behind `folded` bytes of [`Folded::text`]. The result starts and ends on character
    /// boundaries of the original and covers every character of which a part was asked for. Ranges beyond
    /// the end are cut; an empty range gives an empty one.
    pub fn original(&self, folded: Range<usize>) -> Range<usize> {
        let (start, _) = self.locate(folded.start);
        if folded.end <= folded.start {
            return start..start;
        }
        let (_, end) = self.locate((folded.end - 1).min(self.text.len().saturating_sub(1)));
        start..end.max(start)
    }

    /// The original character or characters behind one folded byte.
    fn locate(&self, at: usize) -> (usize, usize) {
        let next = self.runs.partition_point(|run| run.folded <= at);
        match next.checked_sub(1).map(|i| self.runs[i]) {
            Some(run) if at < self.text.len() => {
                if run.linear {
                    let start = run.start + (at - run.folded);
                    (start, start + 1)
                } else {
                    (run.start, run.end)
                }
            }
            _ => (self.original_len, self.original_len),
        }
    }

    fn push(&mut self, folded: &str, original: Range<usize>) {
        let linear = folded.len() == 1 && original.len() == 1;
        match self.runs.last_mut() {
            Some(last) if linear && last.linear && last.end == original.start => last.end = original.end,
            _ if folded.is_empty() => return,
            _ => self.runs.push(Run {
                folded: self.text.len(),
                start: original.start,
                end: original.end,
                linear,
            }),
        }
        self.text.push_str(folded);
    }
}

/// Folds a text; see the module's page for what that means.
///
/// A hyphen at a line end disappears when a letter stands before it and a lower-case letter behind the break
/// (`exer-\ncise` → `exercise`); between other letters and digits the hyphen stays and the break disappears
/// (`GLUT-\n4` → `glut-4`). Whether the hyphen belonged to the word cannot be known here:
/// [`crate::quote::find_quote`] accepts both readings.
pub fn fold(text: &str) -> Folded {
    let mut out =
        Folded { original_len: text.len(), text: String::with_capacity(text.len()), runs: Vec::new() };
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let end = at + c.len_utf8();
        at = if c.is_whitespace() {
            let end = gap(text, at).end;
            if !out.text.ends_with(' ') {
                out.push(" ", at..end);
            }
            end
        } else if is_soft_hyphen(c) {
            let gap = gap(text, end);
            // A mark behind the break would combine with the letter before it only when the text is folded again.
            let joins = gap.breaks_line && !gap.next.is_some_and(combines);
            if joins { gap.end } else { end }
        } else if is_invisible(c) {
            end
        } else if matches!(c, '-' | '\u{2010}') {
            fold_hyphen(text, at..end, &mut out)
        } else if c == '^'
            && out.text.ends_with(char::is_alphabetic)
            && !gap(text, end).next.is_some_and(combines)
        {
            end // "m^2" is "m²" is "m2"
        } else {
            fold_cluster(text, at, &mut out)
        };
    }
    out
}

/// White space and invisible characters from some place on.
struct Gap {
    end: usize,
    breaks_line: bool,
    next: Option<char>,
}

fn gap(text: &str, from: usize) -> Gap {
    let mut gap = Gap { end: text.len(), breaks_line: false, next: None };
    for (i, c) in text[from..].char_indices() {
        if !c.is_whitespace() && !is_invisible(c) {
            gap.end = from + i;
            gap.next = Some(c);
            break;
        }
        gap.breaks_line |= matches!(c, '\n' | '\r' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    }
    gap
}

/// Folds the hyphen at `hyphen`, and the line end behind it where it broke a word; returns where to go on.
fn fold_hyphen(text: &str, hyphen: Range<usize>, out: &mut Folded) -> usize {
    let gap = gap(text, hyphen.end);
    let before = out.text.chars().next_back();
    let inside_word =
        before.is_some_and(char::is_alphanumeric) && gap.next.is_some_and(char::is_alphanumeric);
    if !(gap.breaks_line && inside_word) {
        out.push("-", hyphen.clone());
        return hyphen.end;
    }
    if !(before.is_some_and(char::is_alphabetic) && gap.next.is_some_and(char::is_lowercase)) {
        out.push("-", hyphen);
    }
    gap.end
}

/// Folds one character together with the marks that combine with it; returns where to go on.
fn fold_cluster(text: &str, at: usize, out: &mut Folded) -> usize {
    let bytes = text.as_bytes();
    if bytes[at].is_ascii() && bytes.get(at + 1).is_none_or(u8::is_ascii) {
        let folded = map_char(bytes[at].to_ascii_lowercase() as char);
        out.push(folded.encode_utf8(&mut [0; 4]), at..at + 1);
        return at + 1;
    }
    let mut cluster = String::new();
    let mut end = at;
    for (i, c) in text[at..].char_indices() {
        // What leaves no trace does not keep marks apart either.
        if is_invisible(c) || is_soft_hyphen(c) {
            continue;
        }
        if i > 0 && !combines(c) {
            break;
        }
        cluster.push(c);
        end = at + i + c.len_utf8();
    }
    let mut folded = fold_once(&cluster);
    // Lower case and composition can each undo the other; a second round settles all that Unicode has.
    for _ in 0..3 {
        let again = fold_once(&folded);
        if again == folded {
            break;
        }
        folded = again;
    }
    // The exponent of a number is none of its digits.
    let raised = |c| is_superscript_digit(c) || matches!(c, '⁻' | '⁺');
    if cluster.starts_with(raised)
        && out.text.ends_with(|c: char| c.is_ascii_digit())
        && !text[..at].ends_with(raised)
    {
        folded.insert(0, '^');
    }
    if folded.starts_with(' ') && out.text.ends_with(' ') {
        folded.remove(0);
    }
    out.push(&folded, at..end);
    end
}

fn fold_once(cluster: &str) -> String {
    let lower = |c: char| c.to_lowercase().map(map_char);
    let mut folded: String = cluster.chars().map(map_char).nfkc().flat_map(lower).nfkc().collect();
    folded.retain(|c| !is_invisible(c) && !is_soft_hyphen(c));
    if folded.contains(|c: char| c.is_whitespace() && c != ' ') || folded.contains("  ") {
        let words: Vec<&str> = folded.split(char::is_whitespace).collect();
        folded = words.join(" ");
    }
    folded
}

/// Whether the character may compose with what stands before it.
fn combines(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    let first = once(c).nfkd().next().unwrap_or(c);
    canonical_combining_class(first) != 0 || is_nfkc_quick(once(first)) == IsNormalized::Maybe
}

/// What NFKC leaves apart although readers and PDF fonts use it for the same thing.
fn map_char(c: char) -> char {
    match c {
        _ if is_dash(c) => '-',
        '"' | '«' | '»' | '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2036}' => '"',
        _ if is_quotation(c) => '\'',
        'ς' => 'σ',
        '\u{2206}' => 'δ',
        '\u{2044}' | '\u{2215}' => '/',
        '×' => 'x',
        '\u{22c5}' | '\u{2219}' | '\u{2027}' => '·',
        '\u{223c}' | '\u{2dc}' => '~',
        '\u{2217}' => '*',
        '\u{2a7d}' => '≤',
        '\u{2a7e}' => '≥',
        _ => ascii_figure(c).unwrap_or(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_one_text_fold_alike() {
        let check = |text: &str, want: &str| assert_eq!(fold(text).text(), want, "{text:?}");
        check("", "");
        check("Eﬃcient ﬁbres", "efficient fibres");
        check("5 µg and 5 μg", "5 μg and 5 μg");
        check("ß is not β", "ß is not β");
        check("57.5–72.5 − 3 — x‑y", "57.5-72.5 - 3 - x-y");
        check("“Quoted” ‘text’ ´s", "\"quoted\" 'text' 's");
        check("a \t\n  b\u{a0}c", "a b c");
        check("exer-\ncise", "exercise");
        check("exer-\r\n   cise", "exercise");
        check("exer\u{ad}\ncise exer\u{ad}cise", "exercise exercise");
        check("exer\u{2}\ncise", "exercise");
        check("GLUT-\n4 and 10-\n20", "glut-4 and 10-20");
        check("anti-\nTNF", "anti-tnf");
        check("minus -\nsign", "minus - sign");
        check("a\u{200b}b\u{feff}c", "abc");
        check("cafe\u{301} CAFÉ", "café café");
        check("∆T ΔT", "δt δt");
        check("10⁻³ 10¹² ½", "10^-3 10^12 1/2");
        check("m² m^2 cm^-1 10^8", "m2 m2 cm-1 10^8");
        check("ΣΑΣ σας", "σασ σασ");
        check("①", "1");
        check("٤٢٫٥ ٪ ४२ ４２％ 𝟒𝟐", "42.5 % 42 42% 42");
        check("한국", "한국");
    }

    #[test]
    fn folded_ranges_lead_back() {
        let check = |text: &str, part: &str, want: &str| {
            let folded = fold(text);
            let at = folded.text().find(part).expect("the part stands in the folded text");
            assert_eq!(&text[folded.original(at..at + part.len())], want, "{text:?}");
        };
        check("Eﬃcient ﬁbres", "efficient", "Eﬃcient");
        check("Eﬃcient", "fi", "ﬃ");
        check("more exer-\ncise now", "exercise", "exer-\ncise");
        check("a  \n b", "a b", "a  \n b");
        check("cafe\u{301}s", "fé", "fe\u{301}");
        check("x\u{200b}y", "xy", "x\u{200b}y");
        check("İstanbul", "stan", "stan");
    }

    #[test]
    fn broken_ranges_are_cut_not_refused() {
        let folded = fold("aé");
        assert_eq!(folded.original(0..99), 0..3);
        assert_eq!(folded.original(99..100), 3..3);
        assert_eq!(folded.original(1..1), 1..1);
        assert_eq!(fold("").original(0..4), 0..0);
    }
}
