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
    Regex::new(&format!(r"(?im)^[ \t#*]*(?:{KINDS})[ \t]+([0-9]{{1,3}})[*]*[ \t]*[:.]"))
        .expect("the pattern is fixed and valid")
});
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    let list = r"[0-9]{1,3}(?:\s*(?:,\s*and|,|and|&|or)\s*(?:(?:KINDS)s?\s+)?[0-9]{1,3})*";
    let pattern = format!(r"(?i)\s*[(\[][^()\[\]]{{0,24}}(?:KINDS)s?\s+{list}[)\]]");
    Regex::new(&pattern.replace("KINDS", KINDS)).expect("the pattern is fixed and valid")
});
/// Outside brackets, a comma alone joins no numbers: "in passage 2, 30 mice ran".
static BARE_NAME: LazyLock<Regex> = LazyLock::new(|| {
    let and = r"\s*(?:,\s*and|and|&|or)\s*(?:(?:KINDS)s?\s+)?[0-9]{1,3}";
    let again = r",\s*(?:KINDS)s?\s+[0-9]{1,3}";
    let pattern = format!(r"(?i)(?-u:\b)(?:KINDS)s?\s+[0-9]{{1,3}}(?:{and}|{again})*(?-u:\b)");
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
    heads.iter().enumerate().map(|(i, (at, number))| Block { number: *number, span: *at..end(i) }).collect()
}

/// Returns the claim without names of passages in brackets (`(Passage 2)`), and the numbers of these passages. If the
/// passages are `labelled`, names outside brackets (`according to passage 2`) are removed, too; otherwise, "cells at passage
/// 12" is about cells.
pub(crate) fn without_names(claim: &str, labelled: bool) -> (String, Vec<u32>) {
    let (mut text, mut named) = cut(&NAME, claim);
    if labelled {
        let (bare, more) = cut(&BARE_NAME, &text);
        text = bare;
        named.extend(more);
    }
    named.sort_unstable();
    named.dedup();
    (text, named)
}

/// Returns the text without what the pattern finds, and the numbers in what it finds.
fn cut(pattern: &Regex, from: &str) -> (String, Vec<u32>) {
    let numbers = pattern
        .find_iter(from)
        .flat_map(|found| NUMBER.find_iter(found.as_str()))
        .filter_map(|number| number.as_str().parse().ok())
        .collect();
    (pattern.replace_all(from, "").into_owned(), numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_passages_are_no_content() {
        let check = |claim: &str, text: &str, named: &[u32]| {
            assert_eq!(without_names(claim, true), (text.to_owned(), named.to_vec()), "{claim:?}");
        };
        check("Mice ran (Passage 2).", "Mice ran.", &[2]);
        check("Mice ran (Passages 1 and 2).", "Mice ran.", &[1, 2]);
        check("Mice ran (see passage 3, passage 1)", "Mice ran", &[1, 3]);
        check("According to source 2, mice ran.", "According to , mice ran.", &[2]);
        check(
            "The second passage of the pass took 3 days.",
            "The second passage of the pass took 3 days.",
            &[],
        );
    }

    #[test]
    fn numbers_that_name_no_passage_are_kept() {
        let (text, named) = without_names("According to passage 2, 30 mice died.", true);
        assert_eq!((text.as_str(), named.as_slice()), ("According to , 30 mice died.", &[2][..]));
        let cells = "Cells at passage 12 were senescent (Source 1).";
        let (text, named) = without_names(cells, false);
        assert_eq!((text.as_str(), named.as_slice()), ("Cells at passage 12 were senescent.", &[1][..]));
    }

    #[test]
    fn a_labelled_part_ends_where_the_next_begins() {
        let context = "passage 1:Mice ran.\n\npassage 2: Rats slept. See passage 1: there.";
        let got = blocks(context);
        let shown: Vec<(u32, &str)> = got.iter().map(|b| (b.number, &context[b.span.clone()])).collect();
        assert_eq!(
            shown,
            [(1, "passage 1:Mice ran.\n\n"), (2, "passage 2: Rats slept. See passage 1: there.")]
        );
        assert!(blocks("Mice ran.").is_empty());
    }
}
