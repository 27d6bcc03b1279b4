//! How much of a claim a passage contains, word by word.

use super::piece::{Piece, Term};
use std::collections::BTreeMap;
use std::ops::Range;

/// Which words of a claim were found. Shares are weighted by rarity and lie in `0..=1`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    /// The sentence, or the two adjacent sentences, with most of the claim.
    pub(crate) window: Range<usize>,
    /// The share of the claim in the window.
    pub(crate) coverage: f32,
    /// The share of the claim in the best single sentence.
    pub(crate) sentence: f32,
    /// The share of the claim in the whole passage.
    pub(crate) passage: f32,
    /// The credit of each term of the claim in the passage: 1 if found, 0.5 if similar, 0 if absent.
    pub(crate) anywhere: Vec<f32>,
    /// The credit of each term of the claim in the window.
    pub(crate) near: Vec<f32>,
}

/// Compares a claim with the sentences of a passage. The time is proportional to the length of the passage times the
/// number of terms of the claim.
pub(crate) fn compare(claim: &Piece, sentences: &[Piece]) -> Words {
    let per_sentence = credits(&claim.terms, sentences);
    let mut anywhere = vec![0f32; claim.terms.len()];
    for found in &per_sentence {
        for (most, here) in anywhere.iter_mut().zip(found) {
            *most = most.max(*here);
        }
    }
    let (window, sentence) = best_window(&claim.terms, &per_sentence);
    let mut near = vec![0f32; claim.terms.len()];
    for found in per_sentence.get(window.clone()).unwrap_or_default() {
        for (most, here) in near.iter_mut().zip(found) {
            *most = most.max(*here);
        }
    }
    Words {
        coverage: share(&claim.terms, &near),
        sentence,
        passage: share(&claim.terms, &anywhere),
        window,
        anywhere,
        near,
    }
}

/// Returns the weighted share of the terms that was found; 0 if there are no terms.
pub(crate) fn share(terms: &[Term], found: &[f32]) -> f32 {
    super::vectors::mean(terms, found)
}

/// Returns, for each sentence, the credit of each term of the claim.
fn credits(terms: &[Term], sentences: &[Piece]) -> Vec<Vec<f32>> {
    // Each distinct stem of the passage is compared with the claim once.
    let mut known: BTreeMap<&str, Vec<f32>> = BTreeMap::new();
    let mut out = Vec::with_capacity(sentences.len());
    for sentence in sentences {
        let mut found = vec![0f32; terms.len()];
        for term in &sentence.terms {
            let credit = known.entry(term.stem.as_str()).or_insert_with(|| {
                let likeness = |wanted: &Term| likeness(&wanted.stem, &term.stem);
                terms.iter().map(likeness).collect()
            });
            for (f, c) in found.iter_mut().zip(credit.iter()) {
                *f = f.max(*c);
            }
        }
        for (f, term) in found.iter_mut().zip(terms) {
            if *f < 1.0 && term.is_spelled_by(&sentence.initials) {
                *f = 1.0;
            }
        }
        out.push(found);
    }
    out
}

/// Returns 1 for the same stem, 0.5 for two stems with a long common beginning (`mortal`, `mortality`), else 0.
fn likeness(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let shared = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let longest = a.len().max(b.len());
    if shared >= 5 && longest - shared <= 3 { 0.5 } else { 0.0 }
}

/// Returns the sentence, or the two adjacent sentences, with most of the claim, and the share in the best single sentence.
/// A pair is chosen only if it contains clearly more. Of equals, the earliest is chosen.
fn best_window(terms: &[Term], per_sentence: &[Vec<f32>]) -> (Range<usize>, f32) {
    const GAIN: f32 = 0.05;
    let mut single = (0..per_sentence.len().min(1), -1.0f32);
    let mut pair = (0..0, -1.0f32);
    for (i, credits) in per_sentence.iter().enumerate() {
        let here = share(terms, credits);
        if here > single.1 {
            single = (i..i + 1, here);
        }
        if let Some(next) = per_sentence.get(i + 1) {
            let both: Vec<f32> = credits.iter().zip(next).map(|(a, b)| a.max(*b)).collect();
            let here = share(terms, &both);
            if here > pair.1 {
                pair = (i..i + 2, here);
            }
        }
    }
    let best = single.1.max(0.0);
    if pair.1 > single.1 + GAIN { (pair.0, best) } else { (single.0, best) }
}

/// Takes the claim's terms that the window contains, and returns the share of neighbours that are in reverse order there.
pub(crate) fn reversed(claim: &Piece, window: &[Piece]) -> f32 {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut last: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, term) in window.iter().flat_map(|s| &s.terms).enumerate() {
        first.entry(&term.stem).or_insert(at);
        last.insert(&term.stem, at);
    }
    let shared: Vec<&str> =
        claim.terms.iter().map(|t| t.stem.as_str()).filter(|s| first.contains_key(s)).collect();
    let pairs = shared.windows(2).filter(|pair| pair[0] != pair[1]);
    let (mut all, mut turned) = (0u16, 0u16);
    for pair in pairs {
        all += 1;
        // Every place of the first lies behind every place of the second.
        turned += u16::from(first.get(pair[0]) > last.get(pair[1]));
    }
    f32::from(turned) / f32::from(all.max(1))
}

/// Returns the length of the longest run of neighbouring terms without credit.
pub(crate) fn absent_run(found: &[f32]) -> usize {
    let (mut best, mut run) = (0, 0);
    for credit in found {
        run = if *credit > 0.0 { 0 } else { run + 1 };
        best = best.max(run);
    }
    best
}
