//! Generated words with the frequencies of real text: the n-th most frequent word is 1 / n as frequent as the first.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::sync::OnceLock;

/// Words to choose from.
pub(crate) const VOCABULARY: u32 = 30_000;

/// A word drawn by frequency; half of all words are among 170.
pub(crate) fn draw(rng: &mut ChaCha8Rng) -> &'static str {
    draw_between(rng, 0.0, 1.0)
}

/// A word drawn between two places in the vocabulary, each given as a share of the logarithm of its size.
pub(crate) fn draw_between(rng: &mut ChaCha8Rng, from: f64, to: f64) -> &'static str {
    static WORDS: OnceLock<Vec<String>> = OnceLock::new();
    let words = WORDS.get_or_init(|| (0..VOCABULARY as usize).map(word).collect());
    let rank = f64::from(VOCABULARY).powf(rng.random_range(from..to)) as usize;
    words.get(rank).map_or("ba", String::as_str)
}

/// The word of a rank.
fn word(rank: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "den", "fi", "gol", "hu", "ker", "la", "mit", "no", "pra", "que", "ros", "sti", "tu", "vel",
        "xan",
    ];
    let mut rest = rank;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}
