//! What the lexical judge measures of a claim and a passage.

use crate::cues::Cues;
use std::{collections::BTreeMap, ops::Range};
use text::entities::{EntityKind, Ground, entities};
use text::numbers::{Quantity, quantities};

/// What a passage holds of a claim. All shares lie in `0..=1`; a share of nothing is 0, so that a
/// claim without a content word is not covered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// The claim stands in the passage word for word (after folding).
    pub verbatim: bool,
    /// Weighted share of the claim's terms in the best sentence, or pair of adjacent sentences.
    pub coverage: f32,
    /// The same over the whole passage.
    pub passage_coverage: f32,
    /// Share of the claim's neighbouring terms that stand near each other, in order, in the best sentences.
    pub phrases: f32,
    /// Numbers of the claim that are nowhere in the passage, as printed.
    pub numbers_absent: Vec<String>,
    /// Numbers of the claim that stand in the passage, but not in the best sentences.
    pub numbers_elsewhere: Vec<String>,
    /// Names of the claim that are nowhere in the passage.
    pub names_absent: Vec<String>,
    /// Symbols of the claim that are nowhere in the passage, neither as such nor spelled out.
    pub symbols_absent: Vec<String>,
    /// The claim denies what the best sentences say, or the reverse.
    pub negation_differs: bool,
    /// The claim says that something rises where the best sentences say that it falls, or the reverse.
    pub direction_differs: bool,
    /// Terms of the claim that the passage does not hold, as printed, in order.
    pub terms_absent: Vec<String>,
}

impl Features {
    /// Measures a claim against a passage. Time is linear in the passage, times the terms of the claim.
    pub fn measure(claim: &str, passage: &str) -> Self {
        let claimed = Terms::new(claim, 0..claim.len());
        let sentences: Vec<Terms> = text::sentences(passage)
            .into_iter()
            .map(|span| Terms::new(passage, span))
            .collect();
        let found = claimed.found_in(&sentences);
        let mut out = Self {
            verbatim: text::quote::find_quote(passage, claim).is_some_and(|found| found.parts.len() == 1),
            passage_coverage: claimed.share(&found.anywhere),
            terms_absent: claimed.absent(&found.anywhere),
            ..Self::default()
        };
        let best = best_window(&claimed, &found);
        out.coverage = best.as_ref().map_or(0.0, |(_, share)| *share);
        let window = best.map_or(0..0, |(window, _)| window);
        let span = match (
            sentences.get(window.start),
            window.end.checked_sub(1).and_then(|i| sentences.get(i)),
        ) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => 0..0,
        };
        out.phrases = phrases(&claimed, &sentences[window]);
        out.compare_numbers(claim, passage, span.clone());
        out.compare_entities(claim, passage);
        out.compare_cues(claim, &passage[span]);
        out
    }

    fn compare_numbers(&mut self, claim: &str, passage: &str, window: Range<usize>) {
        let held = quantities(passage);
        let near: Vec<&Quantity> = held
            .iter()
            .filter(|q| q.span.start >= window.start && q.span.end <= window.end)
            .collect();
        for q in quantities(claim) {
            let printed = claim[q.span.clone()].to_owned();
            if near.iter().any(|h| h.agrees(&q)) {
                continue;
            }
            if held.iter().any(|h| h.agrees(&q)) {
                self.numbers_elsewhere.push(printed);
            } else if !q.spelled || held.iter().any(|h| h.unit == q.unit) {
                // "two groups" may be counted by the writer; "two weeks" beside "six weeks" is not.
                self.numbers_absent.push(printed);
            }
        }
    }

    fn compare_entities(&mut self, claim: &str, passage: &str) {
        let mut named = entities(claim);
        named.retain(|e| e.kind != EntityKind::Number);
        if named.is_empty() {
            return;
        }
        let ground = Ground::new(passage);
        // The initials of all words in a row: "body mass index" spells BMI out.
        let initials: String = text::words(passage)
            .into_iter()
            .filter_map(|w| passage[w].chars().next())
            .flat_map(char::to_lowercase)
            .collect();
        for e in named.into_iter().filter(|e| !ground.holds(e)) {
            let spelled_out =
                e.text.len() >= 3 && initials.contains(&e.text.trim_end_matches('s').to_lowercase());
            match e.kind {
                EntityKind::Symbol if spelled_out => {}
                EntityKind::Symbol => self.symbols_absent.push(e.text),
                _ => self.names_absent.push(e.text),
            }
        }
    }

    fn compare_cues(&mut self, claim: &str, window: &str) {
        let (claimed, held) = (Cues::of(claim), Cues::of(window));
        self.negation_differs = claimed.denial_differs(&held);
        self.direction_differs = claimed.direction_differs(&held);
    }
}

/// The terms of a piece of text.
struct Terms {
    span: Range<usize>,
    /// Stem and printed form, in order.
    terms: Vec<(String, String)>,
}

/// Where the terms of a claim stand in the sentences of a passage: credit in `0..=1` for each term.
struct Found {
    per_sentence: Vec<Vec<f32>>,
    anywhere: Vec<f32>,
}

impl Terms {
    fn new(text: &str, span: Range<usize>) -> Self {
        let piece = &text[span.clone()];
        let terms = text::terms(piece)
            .into_iter()
            .map(|t| (t.stem, piece[t.span].to_owned()))
            .collect();
        Self { span, terms }
    }

    fn found_in(&self, sentences: &[Terms]) -> Found {
        // Each distinct stem of the passage is compared with the claim once.
        let mut credits: BTreeMap<&str, Vec<f32>> = BTreeMap::new();
        let mut per_sentence = Vec::with_capacity(sentences.len());
        let mut anywhere = vec![0f32; self.terms.len()];
        for sentence in sentences {
            let mut found = vec![0f32; self.terms.len()];
            for (stem, _) in &sentence.terms {
                let credit = credits.entry(stem.as_str()).or_insert_with(|| {
                    self.terms
                        .iter()
                        .map(|(wanted, _)| likeness(wanted, stem))
                        .collect()
                });
                for (f, c) in found.iter_mut().zip(credit.iter()) {
                    *f = f.max(*c);
                }
            }
            for (a, f) in anywhere.iter_mut().zip(&found) {
                *a = a.max(*f);
            }
            per_sentence.push(found);
        }
        Found {
            per_sentence,
            anywhere,
        }
    }

    /// The weighted share of the terms that was found.
    fn share(&self, found: &[f32]) -> f32 {
        let total: f32 = self.terms.iter().map(|(stem, _)| weight(stem)).sum();
        if total == 0.0 {
            return 0.0;
        }
        self.terms
            .iter()
            .zip(found)
            .map(|((stem, _), credit)| weight(stem) * credit)
            .sum::<f32>()
            / total
    }

    fn absent(&self, found: &[f32]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for ((_, printed), credit) in self.terms.iter().zip(found) {
            if *credit == 0.0 && !out.contains(printed) {
                out.push(printed.clone());
            }
        }
        out
    }
}

/// Without a corpus, length and digits stand in for rarity.
fn weight(stem: &str) -> f32 {
    if stem.contains(|c: char| c.is_ascii_digit()) {
        return 1.2;
    }
    match stem.chars().count() {
        0..=3 => 0.7,
        4..=5 => 1.0,
        6..=7 => 1.15,
        _ => 1.3,
    }
}

/// 1 for the same stem, half for two of one long root (`mortal`, `mortality`), else 0.
fn likeness(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let shared = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let longest = a.len().max(b.len());
    if shared >= 5 && longest - shared <= 3 {
        0.5
    } else {
        0.0
    }
}

/// The sentence, or the two adjacent ones, that hold most of the claim; a pair only where it holds clearly
/// more. Ties go to the earliest.
fn best_window(claimed: &Terms, found: &Found) -> Option<(Range<usize>, f32)> {
    const GAIN: f32 = 0.05;
    let mut single: Option<(Range<usize>, f32)> = None;
    let mut pair: Option<(Range<usize>, f32)> = None;
    for (i, credits) in found.per_sentence.iter().enumerate() {
        let share = claimed.share(credits);
        if single.as_ref().is_none_or(|(_, best)| share > *best) {
            single = Some((i..i + 1, share));
        }
        if let Some(next) = found.per_sentence.get(i + 1) {
            let both: Vec<f32> = credits.iter().zip(next).map(|(a, b)| a.max(*b)).collect();
            let share = claimed.share(&both);
            if pair.as_ref().is_none_or(|(_, best)| share > *best) {
                pair = Some((i..i + 2, share));
            }
        }
    }
    match (single, pair) {
        (Some(single), Some(pair)) if pair.1 > single.1 + GAIN => Some(pair),
        (single, _) => single,
    }
}

/// Share of the claim's neighbouring terms that stand within four terms of each other, in order.
fn phrases(claimed: &Terms, window: &[Terms]) -> f32 {
    const NEAR: usize = 4;
    let pairs = claimed.terms.len().saturating_sub(1);
    if pairs == 0 {
        return if window.iter().any(|s| {
            claimed
                .terms
                .iter()
                .all(|t| s.terms.iter().any(|(stem, _)| *stem == t.0))
        }) {
            1.0
        } else {
            0.0
        };
    }
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (stem, _)) in window.iter().flat_map(|s| &s.terms).enumerate() {
        places.entry(stem).or_default().push(at);
    }
    let near = |a: &str, b: &str| {
        let (Some(first), Some(second)) = (places.get(a), places.get(b)) else {
            return false;
        };
        first.iter().any(|p| {
            let next = second.partition_point(|q| q <= p);
            second.get(next).is_some_and(|q| q - p <= NEAR)
        })
    };
    let kept = claimed
        .terms
        .windows(2)
        .filter(|pair| near(&pair[0].0, &pair[1].0))
        .count();
    kept as f32 / pairs as f32
}
