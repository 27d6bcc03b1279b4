//! How many tokens of a language model a text has, at most, without a tokeniser.
//!
//! Models cut text differently. This estimate is meant to be too high rather than too low: for prose in English by about
//! half, for tables of numbers and for Chinese by less.

/// Thirds of a token that a character counts: one for a letter or a space of English; three for a digit, a sign or a letter
/// of most other scripts; six for East Asian scripts and symbols; nine for emoji.
fn thirds(c: char) -> usize {
    match c {
        'a'..='z' | 'A'..='Z' | ' ' | '\n' | '\t' | '\r' => 1,
        c if c < '\u{2000}' => 3,
        c if c < '\u{10000}' => 6,
        _ => 9,
    }
}

/// An upper estimate of the tokens of a text.
///
/// ```
/// use text::tokens::estimate;
/// assert_eq!(estimate("walking helps"), 5);
/// assert_eq!(estimate("12.5 %"), 6);
/// assert_eq!(estimate("步行"), 4);
/// ```
pub fn estimate(text: &str) -> usize {
    text.chars().map(thirds).sum::<usize>().div_ceil(3)
}

/// A lower bound of the tokens of a text, whatever the tokeniser: six and a half letters or digits a token, and three
/// characters of East Asian scripts. Tokenisers have four of English and two of Chinese.
///
/// ```
/// use text::tokens::least;
/// assert_eq!(least(&"walking helps ".repeat(13)), 24);
/// ```
pub fn least(text: &str) -> usize {
    let weight = |c: char| if c < '\u{2e80}' { 2 } else { 4 };
    text.chars().filter(|c| c.is_alphanumeric()).map(weight).sum::<usize>() / 13
}

/// The longest start of the text that [`estimate`] finds no longer than `tokens`.
pub fn start(text: &str, tokens: usize) -> &str {
    let room = tokens.saturating_mul(3);
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += thirds(c);
        if used > room {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_fits_and_no_longer_one_does() {
        let text = "Walking lowered it by 12.5 mmHg (β < 0.05) 步行降低血压 🚶.";
        for tokens in 0..60 {
            let start = start(text, tokens);
            assert!(estimate(start) <= tokens, "{tokens}: {start:?}");
            let next = text[start.len()..].chars().next();
            let longer = next.map(|c| format!("{start}{c}"));
            assert!(longer.is_none_or(|longer| estimate(&longer) > tokens), "{tokens}: {start:?}");
        }
        assert_eq!(start(text, usize::MAX), text);
    }
}
