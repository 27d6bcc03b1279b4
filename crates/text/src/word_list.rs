//! Lists of words, written as text.

use std::collections::HashSet;
use std::sync::OnceLock;

/// A list of words, written as one text: words between white space, or phrases between semicolons.
///
/// ```
/// static SEASONS: text::WordList = text::WordList::new("spring summer autumn winter");
/// assert!(SEASONS.contains("summer") && !SEASONS.contains("sum"));
/// static ASKED: text::WordList = text::WordList::new("how many; how much");
/// assert!(ASKED.occurs_in("tell me how much it is"));
/// ```
#[derive(Debug)]
pub struct WordList {
    text: &'static str,
    listed: OnceLock<(Vec<&'static str>, HashSet<&'static str>)>,
}

impl WordList {
    /// The list that a text has; it is read when it is first needed.
    pub const fn new(text: &'static str) -> Self {
        Self { text, listed: OnceLock::new() }
    }

    fn listed(&self) -> &(Vec<&'static str>, HashSet<&'static str>) {
        self.listed.get_or_init(|| {
            let words: Vec<&str> = if self.text.contains(';') {
                self.text.split(';').map(str::trim).collect()
            } else {
                self.text.split_whitespace().collect()
            };
            let set = words.iter().copied().collect();
            (words, set)
        })
    }

    /// The words, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &'static str> {
        self.listed().0.iter().copied()
    }

    /// The word of the list that is this one.
    pub fn get(&self, word: &str) -> Option<&'static str> {
        self.listed().1.get(word).copied()
    }

    /// Whether the list has this word.
    pub fn contains(&self, word: &str) -> bool {
        self.get(word).is_some()
    }

    /// Whether a word begins with one of the list.
    pub fn begins(&self, word: &str) -> bool {
        self.iter().any(|beginning| word.starts_with(beginning))
    }

    /// Whether one of the list occurs in a text, also inside a word.
    pub fn occurs_in(&self, text: &str) -> bool {
        self.iter().any(|phrase| text.contains(phrase))
    }

    /// The pairs of a list of words with a slash in them: `tumour/tumor colour/color`.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.iter().filter_map(|pair| pair.split_once('/'))
    }
}
