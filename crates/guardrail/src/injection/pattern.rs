//! Patterns of words, written as text.
//!
//! A pattern is a series of steps; each step is one word of the text. `a|b` is one of these words, `NAME` one of a list
//! of [`lists`](super::lists), `..3` lets up to three other words stand before the next step, and `<url>` is an address.
//! `^` before the first step asks for the place of a command, `^^` for the start of a sentence, and `:` behind the last
//! step for a colon.

use super::{
    lists::list,
    words::{Place, Word},
};
use std::collections::HashSet;

/// A pattern, ready to match.
#[derive(Debug)]
pub(super) struct Pattern {
    place: Place,
    steps: Vec<Step>,
    colon: bool,
}

#[derive(Debug)]
struct Step {
    /// Other words that may stand before it.
    gap: usize,
    words: HashSet<&'static str>,
}

impl Pattern {
    /// Reads a pattern.
    pub(super) fn new(pattern: &'static str) -> Self {
        let mut read = Self {
            place: Place::Inside,
            steps: Vec::new(),
            colon: false,
        };
        let mut gap = 0;
        for part in pattern.split(' ') {
            match part {
                "^" => read.place = Place::Command,
                "^^" => read.place = Place::Sentence,
                ":" => read.colon = true,
                _ => match part.strip_prefix("..").and_then(|n| n.parse().ok()) {
                    Some(words) => gap = words,
                    None => read.steps.push(Step {
                        gap: std::mem::take(&mut gap),
                        words: words(part),
                    }),
                },
            }
        }
        read
    }

    /// The words with which it may begin.
    pub(super) fn first(&self) -> impl Iterator<Item = &'static str> {
        self.steps
            .iter()
            .take(1)
            .flat_map(|step| step.words.iter().copied())
    }

    /// All its words.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &'static str> {
        self.steps.iter().flat_map(|step| step.words.iter().copied())
    }

    /// Whether it matches from the word at `at` on.
    pub(super) fn matches(&self, words: &[Word], at: usize) -> bool {
        words[at].place >= self.place && self.rest_matches(&self.steps, words, at)
    }

    fn rest_matches(&self, steps: &[Step], words: &[Word], at: usize) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            return !self.colon || at.checked_sub(1).is_some_and(|last| words[last].colon);
        };
        let end = words.len().min(at + step.gap + 1);
        (at..end)
            .any(|i| step.words.contains(words[i].text.as_str()) && self.rest_matches(rest, words, i + 1))
    }
}

/// The words of one step.
fn words(step: &'static str) -> HashSet<&'static str> {
    step.split('|')
        .flat_map(|word| list(word).unwrap_or(word).split(' '))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::words::words_of;
    use super::*;

    fn found(pattern: &'static str, text: &str) -> bool {
        let pattern = Pattern::new(pattern);
        let words = words_of(text, &HashSet::new());
        (0..words.len()).any(|at| pattern.matches(&words, at))
    }

    #[test]
    fn steps_allow_gaps_lists_and_places() {
        let check =
            |pattern, text: &str, want| assert_eq!(found(pattern, text), want, "{pattern} in {text:?}");
        check("ignore ..1 rules", "Ignore the rules.", true);
        check("ignore ..1 rules", "Ignore all the rules.", false);
        check("DROP ..2 PRIOR INST", "and disregard the above directions", true);
        check("^ ignore|forget it", "Users forget it.", false);
        check("^ ignore|forget it", "Users, please forget it.", true);
        check("^^ ignore it", "Then ignore it.", true);
        check("^^ ignore it", "You, ignore it.", false);
        check("new rules :", "New rules: none", true);
        check("new rules :", "New rules apply", false);
        check("open <url>", "Open https://a.example/b now", true);
        check("to <url>", "to x.y@a.example", true);
    }
}
