//! Lines become text: one space between them, hyphens at line ends undone.

use crate::layout::line::Line;
use std::collections::HashSet;

/// Bytes of the longest words; what goes on for longer over line ends is none.
const LONG_WORD: usize = 200;

/// Ligatures: none is a word.
const LIGATURES: [&str; 5] = ["fi", "fl", "ff", "ffi", "ffl"];

/// The words of a document as printed inside its lines: what tells a hyphen that broke a word ("exer-cise") from
/// one that belongs to it ("long-term").
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    words: HashSet<String>,
    /// Those of them that no ligature standing alone follows.
    whole: HashSet<String>,
}

impl Vocabulary {
    /// Collects the words of the lines but those that a line's end may break: each line's last, and the first behind a hyphen.
    pub(crate) fn new<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut vocabulary = Self::default();
        let mut broken = false;
        for line in lines {
            let words = line.split_whitespace();
            let mut rest: Vec<&str> = words.skip(usize::from(broken)).collect();
            broken = line.trim_end().ends_with(['-', '\u{AD}', '\u{2010}']);
            for pair in rest.windows(2).filter(|pair| !LIGATURES.contains(&pair[1])) {
                vocabulary.whole.insert(bare(pair[0]));
            }
            rest.pop();
            let words = rest.into_iter().map(bare).filter(|w| !w.is_empty());
            vocabulary.words.extend(words);
        }
        vocabulary
    }

    /// Joins ligatures that blanks part from their words: "veri fi cation", "a ffi nity", "the fi rst".
    fn with_ligatures(&self, text: &str) -> Option<String> {
        /// Words that begin with a word of their own.
        const BEHIND_A_WORD: &str = "inflam|influ|inflat|inflex|infini|infilt|infirm|offic|forefi";
        let words: Vec<&str> = text.split(' ').collect();
        let ends = |word: &str| word.len() > 2 && ["fl", "ffi", "ffl"].iter().any(|l| word.ends_with(l));
        if !words.iter().any(|w| w.starts_with("ff") || LIGATURES.contains(w) || ends(w)) {
            return None;
        }
        let small = |word: &str| word.starts_with(char::is_lowercase);
        let mut out = String::with_capacity(text.len() + 1);
        for (i, word) in words.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| words[i]);
            let goes_on = before.is_some_and(|b| (LIGATURES.contains(&b) || ends(b)) && small(word));
            let behind = before.filter(|b| b.ends_with(char::is_alphabetic)).is_some_and(|b| {
                let next = words.get(i + 1).copied().unwrap_or_default();
                let whole = format!("{b}{word}{next}").to_lowercase();
                let within = || BEHIND_A_WORD.split('|').any(|w| whole.starts_with(w));
                // What a ligature joined before is a whole word.
                let fragment =
                    || format!(" {out}").ends_with(&format!(" {b}")) && !self.whole.contains(&bare(b));
                word.starts_with("ff") || LIGATURES.contains(word) && (fragment() || within())
            });
            if i > 0 && !goes_on && !behind {
                out.push(' ');
            }
            out.push_str(word);
        }
        Some(out)
    }

    /// Appends a line to the text before it.
    pub(crate) fn join(&self, text: &mut String, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        if text.is_empty() {
            text.push_str(line);
            return;
        }
        // A unit, a ratio or an address that breaks behind its slash has no space there.
        let slashed = text.strip_suffix('/').is_some_and(|head| head.ends_with(char::is_alphanumeric));
        if slashed {
            text.push_str(line);
            return;
        }
        if is_unspaced_break(text, line) {
            text.push_str(line);
            return;
        }
        let marked = text.ends_with('\u{AD}');
        if !marked && !text.ends_with(['-', '\u{2010}']) {
            text.push(' ');
            text.push_str(line);
            return;
        }
        let head_end = text.len() - text.chars().next_back().map_or(0, char::len_utf8);
        // Looking further back for the start of the word would cost its whole length at each of its lines.
        let near = &text[text.ceil_char_boundary(head_end.saturating_sub(LONG_WORD))..head_end];
        let head = near.rsplit(char::is_whitespace).next().unwrap_or_default();
        let endless = head.len() == near.len() && near.len() < head_end;
        let tail = line.split(char::is_whitespace).next().unwrap_or_default();
        let before = head.chars().next_back();
        if endless || !before.is_some_and(char::is_alphanumeric) {
            // A dash that stands alone, or a range: no word was broken.
            if marked {
                text.truncate(head_end);
                text.push('-');
            }
            text.push(' ');
            text.push_str(line);
            return;
        }
        let lower = tail.chars().next().is_some_and(char::is_lowercase);
        let broken = lower && before.is_some_and(char::is_alphabetic) && self.is_soft(head, tail);
        text.truncate(head_end);
        if !broken {
            text.push('-');
        }
        text.push_str(line);
    }

    /// Whether the hyphen between two parts of a word, printed inside a line, only marks where the word may break.
    fn is_soft(&self, head: &str, tail: &str) -> bool {
        let with = bare(&format!("{head}-{tail}"));
        let without = bare(&format!("{head}{tail}"));
        self.words.contains(&without)
            || !(self.words.contains(&with)
                || compound(head)
                || self.are_words(head, tail) && !is_usual(&without))
    }

    /// Whether both parts are words by themselves, of the document or in common use: "mutant-reconstituted".
    fn are_words(&self, head: &str, tail: &str) -> bool {
        const LEAST: usize = 4;
        const USUAL: usize = 7; // shorter pieces of words are in common use, too
        const PREFIXES: &str =
            "anti|hyper|hypo|inter|intra|macro|micro|multi|over|poly|post|semi|super|trans|ultra|under";
        if PREFIXES.split('|').any(|prefix| prefix == bare(head)) {
            return false;
        }
        let word = |part: &str| {
            let part = bare(part);
            part.len() >= LEAST && self.words.contains(&part) || part.len() >= USUAL && is_usual(&part)
        };
        word(head) && word(tail)
    }

    /// Puts what they stand for in place of the soft hyphens inside the lines, and joins ligatures to their words.
    pub(crate) fn resolve(&self, lines: &mut [Line]) {
        let small = |text: &str, from_end: bool| {
            let c = if from_end { text.chars().next_back() } else { text.chars().next() };
            c.is_some_and(char::is_lowercase)
        };
        let soft = |text: &str| {
            without_soft_hyphens(text, |head, tail| {
                small(head, true) && small(tail, false) && self.is_soft(head, tail)
            })
        };
        let mend = |text: &str| {
            let mended = self.with_ligatures(text).unwrap_or_else(|| text.to_owned());
            if mended.contains('\u{AD}') { soft(&mended) } else { mended }
        };
        for line in lines {
            let text = mend(&line.text);
            if text == line.text {
                continue;
            }
            let old = std::mem::replace(&mut line.text, text);
            // What is counted in bytes is counted again over the text before it.
            let at = |at: usize| {
                let before = old.get(..at).map_or(0, |before| mend(before).len());
                line.text.floor_char_boundary(before)
            };
            (line.lead_bold, line.lead_italic) = (at(line.lead_bold), at(line.lead_italic));
            for range in &mut line.raised {
                *range = (at(range.0), at(range.1));
            }
            for cell in &mut line.cells {
                cell.text = mend(&cell.text);
            }
        }
    }

    /// Ends a text: a hyphen mark left at its end is a hyphen.
    pub(crate) fn finish(text: &mut String) {
        if text.ends_with('\u{AD}') {
            text.pop();
            text.push('-');
        }
    }
}

/// The text with nothing in place of soft hyphens, and a hyphen where one stands in a code or an address or where `soft`
/// says no of what stands before and behind it. At the end of the text, a soft hyphen stays.
pub(crate) fn without_soft_hyphens(text: &str, soft: impl Fn(&str, &str) -> bool) -> String {
    let (text, end) = match text.strip_suffix('\u{AD}') {
        Some(text) => (text, "\u{AD}"),
        None => (text, ""),
    };
    let mut out = String::with_capacity(text.len() + end.len());
    for word in text.split_inclusive(char::is_whitespace) {
        let code = word.contains(['/', '@', '\\', '_']) || word.contains(|c: char| c.is_ascii_digit());
        let mut parts = word.split('\u{AD}').peekable();
        while let Some(head) = parts.next() {
            out.push_str(head);
            let Some(tail) = parts.peek() else { break };
            let inside = head.ends_with(char::is_alphanumeric) && tail.starts_with(char::is_alphanumeric);
            if code && inside || !soft(head, tail.trim_end()) {
                out.push('-');
            }
        }
    }
    out + end
}

/// Whether a hyphen behind this word, at a line end, most likely belongs to a compound.
fn compound(head: &str) -> bool {
    const FIRST_PARTS: &str = "\
        self|well|long|short|high|low|non|cross|meta|follow|age|dose|time|evidence|half|double|single|\
        two|three|four";
    // "IL-", "TGF-β-": symbols are not broken.
    let upper = head.chars().filter(|c| c.is_uppercase()).count();
    let digits = head.chars().any(|c| c.is_ascii_digit());
    digits
        || upper >= 2
        || head.contains('-')
        || FIRST_PARTS.split('|').any(|w| w == head.to_lowercase().as_str())
}

/// Whether a word is in such common use that it is one token.
fn is_usual(word: &str) -> bool {
    crate::tokens::count(&format!(" {word}")) == 1
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// Whether a line breaks inside text of a script written without spaces: beside one of its characters stands another, a digit, or a mark
/// of its own.
fn is_unspaced_break(text: &str, line: &str) -> bool {
    let (Some(before), Some(after)) = (text.chars().next_back(), line.chars().next()) else {
        return false;
    };
    let is_mark = |c: char| matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff65}');
    let near = |c: char| text::is_unspaced(c) || c.is_ascii_digit() || "“”‘’—…·".contains(c);
    let unspaced = text::is_unspaced(before) && near(after) || near(before) && text::is_unspaced(after);
    unspaced || is_mark(before) || is_mark(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_at_line_ends() {
        let vocabulary = Vocabulary::new(
            [
                "we study exercise and dose-response effects",
                "a state-of-art term x",
                "the mutant was reconstituted on its back in the ground state",
            ]
            .into_iter(),
        );
        let check = |lines: &[&str], want: &str| {
            let mut text = String::new();
            for line in lines {
                vocabulary.join(&mut text, line);
            }
            Vocabulary::finish(&mut text);
            assert_eq!(text, want, "{lines:?}");
        };
        check(&["one", "two"], "one two");
        check(&["exer-", "cise is good"], "exercise is good");
        check(&["exer\u{AD}", "cise"], "exercise");
        check(&["mutant\u{AD}", "reconstituted"], "mutant-reconstituted");
        check(&["back\u{AD}", "ground"], "background");
        check(&["dose-", "response"], "dose-response");
        check(&["long-", "term"], "long-term");
        check(&["IL-", "6 levels"], "IL-6 levels");
        check(&["COVID\u{AD}", "19"], "COVID-19");
        check(&["a range 5 -", "7"], "a range 5 - 7");
        check(&["the end-"], "the end-");
        check(&["", "x", ""], "x");
        check(&["-", "x"], "- x");
        check(&["5 mL/kg/", "min daily"], "5 mL/kg/min daily");
        check(&["this /", "that"], "this / that");
        // Chinese and Japanese set no spaces; Korean does.
        check(
            &["每周练习", "两次，", "每次60", "分钟和", "30次 twice", "每周"],
            "每周练习两次，每次60分钟和30次 twice 每周",
        );
        check(&["差异（P<0.05)", "，而“", "对照”"], "差异（P<0.05)，而“对照”");
        check(&["주 2회", "연습"], "주 2회 연습");
    }

    #[test]
    fn ligatures_join_their_words() {
        let line = "the veri fi cation of in fl ammation, a ffi nity of the fi rst of fi fty in fi ve, the e ff ect of a \
                    signi fi cant fl ow that was su ffi cient, a ffix, off the waf fl e staff";
        let want = "the verification of inflammation, affinity of the first of fifty in five, the effect of a \
                    significant flow that was sufficient, affix, off the waffle staff";
        let vocabulary = Vocabulary::new([line, "a significant of the in was it"].into_iter());
        let mut lines = [Line { text: line.to_owned(), ..Line::default() }];
        vocabulary.resolve(&mut lines);
        assert_eq!(lines[0].text, want);
    }

    #[test]
    fn soft_hyphens_inside_lines() {
        let vocabulary = Vocabulary::new(["a dose-response curve and more"].into_iter());
        let check = |text: &str, want: &str| {
            let mut line = [Line { lead_bold: text.len(), text: text.to_owned(), ..Line::default() }];
            vocabulary.resolve(&mut line);
            assert_eq!(line[0].text, want);
            assert_eq!(line[0].lead_bold, want.len(), "{text}");
        };
        check("the recon\u{AD}struc\u{AD}tion of", "the reconstruction of");
        check("a dose\u{AD}response of well\u{AD}known", "a dose-response of well-known");
        check("code 01\u{AD}2301\u{AD}XX and IL\u{AD}R", "code 01-2301-XX and IL-R");
        check("10.1/ab\u{AD}cd", "10.1/ab-cd");
        check("broken here\u{AD}", "broken here\u{AD}");
        assert_eq!(without_soft_hyphens("MAG\u{AD}NE \u{AD}x", |_, _| true), "MAGNE x");
    }

    #[test]
    fn a_word_without_end_is_not_looked_through_at_each_line() {
        let vocabulary = Vocabulary::new(std::iter::empty());
        let mut text = String::new();
        for _ in 0..200_000 {
            vocabulary.join(&mut text, "ab\u{AD}");
        }
        Vocabulary::finish(&mut text);
        let longest = text.split(' ').map(str::len).max();
        assert!(longest.is_some_and(|n| n <= LONG_WORD + 4), "{longest:?}");
        assert_eq!(text.matches("ab").count(), 200_000);
    }
}
