//! Comparisons whose sides are exchanged: "women more than men" against "men more than women".

use std::collections::BTreeSet;

/// Number of content words on either side that belong to a comparison.
const REACH: usize = 6;

/// Whether a comparison of the claim has its sides exchanged in the held text, and no comparison agrees.
pub(crate) fn swapped(claim: &str, held: &str) -> bool {
    let (said, found) = (comparisons(claim), comparisons(held));
    let shared = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.intersection(b).count();
    let mut turned = false;
    for (left, right) in &said {
        for (l, r) in &found {
            let straight = shared(left, l) + shared(right, r);
            let crossed = (shared(left, r), shared(right, l));
            if straight > 0 && straight >= crossed.0 + crossed.1 {
                return false;
            }
            turned |= crossed.0 > 0 && crossed.1 > 0;
        }
    }
    turned
}

/// Returns the stems before and after each "than", without those on both sides.
fn comparisons(text: &str) -> Vec<(BTreeSet<String>, BTreeSet<String>)> {
    let words = text::words(text);
    let stem = |span: &std::ops::Range<usize>| {
        let word = &text[span.clone()];
        let direction = [
            "more", "less", "higher", "lower", "greater", "fewer", "better", "worse",
        ];
        (!text::is_stop_word(word) && !direction.contains(&word.to_lowercase().as_str()))
            .then(|| text::stem(word))
    };
    let mut out = Vec::new();
    for (at, span) in words.iter().enumerate() {
        if !text[span.clone()].eq_ignore_ascii_case("than") {
            continue;
        }
        let left: BTreeSet<String> = words[..at].iter().rev().filter_map(stem).take(REACH).collect();
        let right: BTreeSet<String> = words[at + 1..].iter().filter_map(stem).take(REACH).collect();
        let both: BTreeSet<String> = left.intersection(&right).cloned().collect();
        out.push((&left - &both, &right - &both));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_exchanged() {
        let check = |claim: &str, held: &str, want: bool| {
            assert_eq!(swapped(claim, held), want, "{claim:?} {held:?}");
        };
        check("Women ran more than men.", "Men ran more than women.", true);
        check(
            "Women ran more than men.",
            "In winter, women ran more than men did.",
            false,
        );
        check("Women ran more than men.", "Rats ran more than mice.", false);
        check("Women ran.", "Men ran more than women.", false);
    }
}
