//! Lines become text: one space between them, hyphens at line ends undone.

use std::collections::HashSet;

/// Bytes of the longest words; what goes on for longer over line ends is none.
const LONG_WORD: usize = 200;

/// The words of a document as printed inside its lines: what tells a hyphen that broke a word ("exer-cise") from
/// one that belongs to it ("long-term").
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    words: HashSet<String>,
}

impl Vocabulary {
    /// Collects the words of the lines, each line's last word left out: it may be broken.
    pub(crate) fn new<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut words = HashSet::new();
        for line in lines {
            let mut rest: Vec<&str> = line.split_whitespace().collect();
            rest.pop();
            words.extend(rest.into_iter().map(bare).filter(|w| !w.is_empty()));
        }
        Self { words }
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
        let slashed = text
            .strip_suffix('/')
            .is_some_and(|head| head.ends_with(char::is_alphanumeric));
        if slashed {
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
        let broken = lower && before.is_some_and(char::is_alphabetic) && {
            let with = bare(&format!("{head}-{tail}"));
            let without = bare(&format!("{head}{tail}"));
            self.words.contains(&without) || !(self.words.contains(&with) || compound(head))
        };
        text.truncate(head_end);
        if !broken {
            text.push('-');
        }
        text.push_str(line);
    }

    /// Ends a text: a hyphen mark left at its end is a hyphen.
    pub(crate) fn finish(text: &mut String) {
        if text.ends_with('\u{AD}') {
            text.pop();
            text.push('-');
        }
    }
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

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
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
