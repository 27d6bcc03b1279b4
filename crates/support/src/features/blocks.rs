//! Numbered passages: `passage 2: …` in the context, `(Passage 2)` in the claim.
//!
//! If a claim names a part of its context, it is also compared with that part alone. The name itself does not belong to the
//! content of the claim: the passage need not contain its number.

use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// A part of a context that has its own label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) number: u32,
    /// Byte range in the context, including the label.
    pub(crate) span: Range<usize>,
}

const KINDS: &str = "passage|source|document|excerpt|context|snippet|reference";

static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?im)^[ \t#*]*(?:{KINDS})[ \t]+([0-9]{{1,3}})[*]*[ \t]*[:.]"
    ))
    .expect("the pattern is fixed and valid")
});
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    let list = r"([0-9]{1,3}(?:\s*(?:,\s*and|,|and|&|or)\s*(?:(?:KINDS)s?\s+)?[0-9]{1,3})*)";
    let name = format!(r"(?:KINDS)s?\s+{list}(?-u:\b)");
    let pattern = format!(r"(?i)\s*[(\[][^()\[\]]{{0,24}}{name}[)\]]|(?-u:\b){name}");
    Regex::new(&pattern.replace("KINDS", KINDS)).expect("the pattern is fixed and valid")
});
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[0-9]{1,3}").expect("the pattern is fixed and valid"));

/// Returns the labelled parts of a context, in order. Each ends where the next begins.
pub(crate) fn blocks(context: &str) -> Vec<Block> {
    let heads: Vec<(usize, u32)> = HEAD
        .captures_iter(context)
        .filter_map(|c| Some((c.get(0)?.start(), c.get(1)?.as_str().parse().ok()?)))
        .collect();
    let end = |i: usize| heads.get(i + 1).map_or(context.len(), |(at, _)| *at);
    heads
        .iter()
        .enumerate()
        .map(|(i, (at, number))| Block {
            number: *number,
            span: *at..end(i),
        })
        .collect()
}

/// Returns the claim without names of passages, and the numbers of these passages.
pub(crate) fn without_names(claim: &str) -> (String, Vec<u32>) {
    let mut named = Vec::new();
    let mut text = String::with_capacity(claim.len());
    let mut from = 0;
    for found in NAME.find_iter(claim) {
        named.extend(
            NUMBER
                .find_iter(found.as_str())
                .filter_map(|n| n.as_str().parse::<u32>().ok()),
        );
        text.push_str(&claim[from..found.start()]);
        from = found.end();
    }
    text.push_str(&claim[from..]);
    named.sort_unstable();
    named.dedup();
    (text, named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_passages_are_no_content() {
        let check = |claim: &str, text: &str, named: &[u32]| {
            assert_eq!(
                without_names(claim),
                (text.to_owned(), named.to_vec()),
                "{claim:?}"
            );
        };
        check("Mice ran (Passage 2).", "Mice ran.", &[2]);
        check("Mice ran (Passages 1 and 2).", "Mice ran.", &[1, 2]);
        check("Mice ran (see passage 3, passage 1)", "Mice ran", &[1, 3]);
        check(
            "According to source 2, mice ran.",
            "According to , mice ran.",
            &[2],
        );
        check(
            "The second passage of the pass took 3 days.",
            "The second passage of the pass took 3 days.",
            &[],
        );
    }

    #[test]
    fn a_labelled_part_ends_where_the_next_begins() {
        let context = "passage 1:Mice ran.\n\npassage 2: Rats slept. See passage 1: there.";
        let got = blocks(context);
        let shown: Vec<(u32, &str)> = got.iter().map(|b| (b.number, &context[b.span.clone()])).collect();
        assert_eq!(
            shown,
            [
                (1, "passage 1:Mice ran.\n\n"),
                (2, "passage 2: Rats slept. See passage 1: there.")
            ]
        );
        assert!(blocks("Mice ran.").is_empty());
    }
}
