//! Which words are read for one that a store does not hold.

use std::cmp::Reverse;
use types::Neighbour;

/// Letters of the shortest word that has neighbours: of shorter ones, most are.
const SHORTEST: usize = 4;
/// Letters from which two edits are one slip too many, and not another word.
const LONG: usize = 8;

/// A word that may be misspelt.
#[derive(Clone, Debug)]
pub struct Misspelt {
    /// The word, as [`text::normal_form`] makes it.
    pub word: String,
    /// Its letters.
    pub letters: usize,
    /// The most edits between it and a neighbour, 1 or 2.
    pub distance: u8,
}

impl Misspelt {
    /// The word, if one like it can have neighbours: it is long enough and has letters alone.
    pub fn new(word: &str) -> Option<Self> {
        let word = text::normal_form(word);
        let letters = word.chars().count();
        let can = letters >= SHORTEST && word.chars().all(char::is_alphabetic);
        can.then_some(Self { word, letters, distance: if letters < LONG { 1 } else { 2 } })
    }

    /// The edits between the two, if `other` is a neighbour of this word.
    pub fn edits(&self, other: &str, is_stop_word: bool) -> Option<usize> {
        let (word, letters) = (self.word.as_str(), other.chars().count());
        let edits = strsim::osa_distance(word, other);
        let is_like = other.chars().next() == word.chars().next()
            && other.chars().all(char::is_alphabetic)
            && (1..=usize::from(self.distance)).contains(&edits)
            // Two letters more or less make another word more often than a slip: creatine, creatinine.
            && letters.abs_diff(self.letters) <= 1;
        // "Waht" and "wich" are slips of "what" and "which", but "world" is none of "would".
        let replaces = letters == self.letters && !same_letters(word, other);
        (is_like && !(is_stop_word && replaces)).then_some(edits)
    }
}

/// Puts the nearest first, then those in the most chunks, then orders by the alphabet.
pub fn in_order(neighbours: &mut [Neighbour]) {
    neighbours.sort_by(|one, other| {
        let rank = |n: &Neighbour| (n.distance, Reverse(n.chunks));
        rank(one).cmp(&rank(other)).then_with(|| one.word.cmp(&other.word))
    });
}

/// Whether two words have the same letters, in any order.
fn same_letters(one: &str, other: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(other)
}
