//! The quote as it stands in the chunk, at most so many words of it.

use std::ops::Range;
use text::{
    quote::{WindowTerms, best_window, find_quote},
    word_count,
};

/// Between the parts of a quote that leaves something out.
const ELLIPSIS: &str = " … ";

/// A quote that stands word for word in a chunk.
pub(crate) struct ResolvedQuote {
    /// The quote: one slice of the chunk's text, or several with an ellipsis between them.
    pub(crate) text: String,
    /// Where it stands.
    pub(crate) parts: Vec<Range<usize>>,
    /// Words that the quote had before it was cut.
    pub(crate) was_words: usize,
}

/// The verbatim form of `quote`, which was found at `parts` of `chunk`. More than `max_words` words are cut
/// to the window, of the part that says most of the `wanted` stems, that says most of them.
pub(crate) fn resolve(
    chunk: &str,
    quote: &str,
    parts: &[Range<usize>],
    wanted: &WindowTerms,
    max_words: usize,
) -> ResolvedQuote {
    let parts = verbatim(chunk, quote).unwrap_or_else(|| parts.to_vec());
    let slices: Vec<&str> = parts.iter().map(|p| slice(chunk, p)).collect();
    let text = slices.join(ELLIPSIS);
    // As everyone will count it: the ellipsis is a word too.
    let was_words = word_count(&text);
    if was_words <= max_words {
        return resolved(chunk, text, parts, was_words);
    }
    let said = |p: &Range<usize>| {
        let stems = text::stems(slice(chunk, p));
        let shown = wanted.stems.iter().filter(|(stem, _)| stems.contains(stem));
        shown.map(|(_, weight)| weight).sum::<f32>()
    };
    // Of equals the first: `max_by` keeps the last.
    let best = parts.iter().rev().max_by(|a, b| said(a).total_cmp(&said(b))).cloned().unwrap_or(0..0);
    let window = within(chunk, &best, wanted, max_words);
    resolved(chunk, slice(chunk, &window).to_owned(), vec![window], was_words)
}

/// The quote where a reader who looks for it finds it first.
fn resolved(chunk: &str, text: String, parts: Vec<Range<usize>>, was_words: usize) -> ResolvedQuote {
    let parts = verbatim(chunk, &text).unwrap_or(parts);
    ResolvedQuote { text, parts, was_words }
}

/// A window of at most `max_words` words of the part, in bytes of the chunk.
fn within(chunk: &str, part: &Range<usize>, wanted: &WindowTerms, max_words: usize) -> Range<usize> {
    let text = slice(chunk, part);
    let usable = |window: &Range<usize>| {
        let words = text.get(window.clone()).map_or(0, word_count);
        (1..=max_words).contains(&words) && find_quote(chunk, slice(text, window)).is_some()
    };
    let best = best_window(text, wanted, max_words);
    let window = if usable(&best) { best } else { first_words(text, max_words) };
    part.start + window.start..part.start + window.end
}

/// `count` words from the first one that holds a letter or digit: without any, nothing could be looked up.
fn first_words(text: &str, count: usize) -> Range<usize> {
    let mut words = text.split_whitespace().skip_while(|w| !w.contains(char::is_alphanumeric)).take(count);
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let Some(first) = words.next() else {
        return 0..text.len();
    };
    let last = words.last().unwrap_or(first);
    place(first)..place(last) + last.len()
}

/// Where the parts of a quote stand, in order, when they do so byte for byte: then the quote stays as it is.
fn verbatim(chunk: &str, quote: &str) -> Option<Vec<Range<usize>>> {
    if let Some(at) = chunk.find(quote).filter(|_| !quote.trim().is_empty()) {
        return Some(std::iter::once(at..at + quote.len()).collect());
    }
    let mut from = 0;
    let mut parts = Vec::new();
    for part in quote.split(ELLIPSIS) {
        let at = from + chunk[from..].find(part).filter(|_| !part.trim().is_empty())?;
        from = at + part.len();
        parts.push(at..from);
    }
    Some(parts)
}

fn slice<'a>(text: &'a str, range: &Range<usize>) -> &'a str {
    text.get(range.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_become_slices_and_long_ones_are_cut() {
        let chunk =
            "Exercise raised VO2max by 12 %.\nIt lowered fat mass. Nothing else changed in either group.";
        let check = |quote: &str, max: usize, want: &str, was: usize| {
            let parts = find_quote(chunk, quote).expect("the quote stands there").parts;
            let wanted = WindowTerms::stems(["fat".to_owned(), "mass".to_owned()]);
            let got = resolve(chunk, quote, &parts, &wanted, max);
            assert_eq!((got.text.as_str(), got.was_words), (want, was), "{quote:?}");
            assert!(find_quote(chunk, &got.text).is_some());
            let again = resolve(chunk, &got.text, &got.parts, &WindowTerms::default(), max);
            assert_eq!(again.text, got.text, "resolving twice changes nothing");
        };
        check("It lowered fat mass.", 40, "It lowered fat mass.", 4);
        check("exercise RAISED vo2max", 40, "Exercise raised VO2max", 3);
        check("Exercise raised … Nothing else changed", 40, "Exercise raised … Nothing else changed", 6);
        check("It lowered fat mass. Nothing else changed", 4, "It lowered fat mass.", 7);
        check("Exercise raised VO2max by ... lowered fat mass", 4, "lowered fat mass", 8);
    }

    #[test]
    fn first_words_are_a_slice() {
        let check =
            |text: &str, n: usize, want: &str| assert_eq!(&text[first_words(text, n)], want, "{text:?}");
        check("  a a\n b a", 3, "a a\n b");
        check("ab b", 9, "ab b");
        check("", 3, "");
        check("% of b", 1, "of");
        check("% &", 1, "% &");
    }
}
