//! What the offline judge measures on a claim and a passage.

mod blocks;
mod cues;
mod edits;
mod facts;
mod opposites;
mod piece;
mod prepared;
mod repeated;
mod vectors;
mod words;

pub(crate) use blocks::without_names;
use cues::{Cues, Reach};
use piece::{Piece, Term};
pub(crate) use prepared::{PreparedClaim, PreparedPassage};
use types::words::distinct;

crate::trees::features! {
    /// The features of a claim and a passage. Shares, similarities and flags are in `0..=1`; counts and weights
    /// can be larger. The features from `cosine` on are 0 without an embedder.
    Features, FEATURES:
    /// The passage contains the claim word for word (after normalization).
    verbatim,
    /// Share of the claim's terms, weighted by rarity, in the best sentence or pair of sentences.
    coverage,
    /// The same in the best single sentence.
    sentence_coverage,
    /// The same in the whole passage.
    passage_coverage,
    /// Weight of the terms that the passage lacks, at most 8.
    absent_weight,
    /// Weight of the rarest term that the passage lacks.
    absent_rarest,
    /// The longest run of neighbouring terms that the passage lacks, at most 8.
    absent_run,
    /// Share of neighbouring terms that are in the reverse order in the best sentences.
    reversed,
    /// Share of the terms of the best sentences that the claim contains.
    specific,
    /// Number of terms of the claim, at most 40.
    terms,
    /// Number of sentences of the passage, at most 40.
    sentences,
    /// Number of numbers in the claim, at most 5.
    numbers,
    /// Numbers that the passage lacks, at most 2.
    numbers_absent,
    /// Numbers that are in the passage, but not in the best sentences, at most 2.
    numbers_elsewhere,
    /// Absent numbers with a unit for which the best sentences have another value, at most 2.
    numbers_changed,
    /// Names that the passage lacks, at most 2.
    names_absent,
    /// Symbols that the passage lacks, both as such and spelled out, at most 2.
    symbols_absent,
    /// The claim or the best sentences deny what the other says; the value is the claim's coverage by the passage.
    negation_differs,
    /// Something rises in one and falls in the other; the value is the claim's coverage by the passage.
    direction_differs,
    /// Words that the best sentences replace with an opposite, at most 2.
    exchanged,
    /// The claim repeats the best sentences with two words in each other's place.
    swapped,
    /// The claim repeats the best sentences with a word replaced by its opposite, or a denial added or removed.
    turned,
    /// The claim repeats the best sentences without their hedge.
    hedge_dropped,
    /// The claim denies something.
    denies,
    /// The best sentences deny something.
    denied,
    /// The claim says that something rises or falls.
    directed,
    /// The best sentences hedge and the claim does not.
    surer,
    /// The claim hedges and the best sentences do not.
    less_sure,
    /// The claim states a cause where the best sentences state only an association.
    more_causal,
    /// The claim has a word such as "all" where the best sentences do not.
    wider,
    /// The claim has a superlative, and the best sentences have none.
    superlative,
    /// Coverage by the whole passage minus coverage by the part that the claim names, at least 0.
    named_gap,
    /// Cosine of the claim and the nearest sentence.
    cosine,
    /// Mean nearness of the claim's terms to those of the sentence with the nearest terms, weighted by rarity.
    soft_coverage,
    /// The same for the whole passage.
    soft_passage,
    /// Nearness of the term that is farthest from the passage.
    soft_lowest,
    /// Mean nearness of those terms, one third of all, that are farthest from the passage.
    soft_low,
    /// Mean nearness to the passage of the terms that it lacks; 1 if it lacks none.
    soft_absent,
    /// Mean nearness of the terms of that sentence (of `soft_coverage`) to the claim's, weighted by rarity.
    soft_specific,
}

/// The words and numbers behind the features, to show to people.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Findings {
    pub(crate) numbers_absent: Vec<String>,
    pub(crate) numbers_elsewhere: Vec<String>,
    /// Whether a number stands in the passage with another word of scale.
    pub(crate) rescaled: bool,
    pub(crate) names_absent: Vec<String>,
    pub(crate) symbols_absent: Vec<String>,
    /// Terms that the passage lacks, as printed, each once.
    pub(crate) terms_absent: Vec<String>,
    pub(crate) exchanged: Vec<String>,
}

/// Measures a claim against a passage.
pub(crate) fn measure(claim: &PreparedClaim, passage: &PreparedPassage) -> (Features, Findings) {
    let piece = &claim.piece;
    let words = words::compare(piece, &passage.sentences);
    let window = passage.sentences.get(words.window.clone()).unwrap_or_default();
    let window_text = passage.text_of(&words.window);
    let numbers = facts::numbers(&claim.text, &passage.quantities, &passage.span_of(&words.window));
    let names = facts::names(&claim.text, passage);
    let exchanged = opposites::exchanged(piece, &words.near, window);
    let (said, held) = (Cues::of(&claim.text), Cues::of(window_text));
    let reach = Reach::new(&claim.text, window_text);
    let edits = edits::Edits::new(&claim.text, window_text);
    let absent = || piece.terms.iter().zip(&words.anywhere).filter(|(_, c)| **c == 0.0).map(|(t, _)| t);
    let flag = |on: bool| f32::from(u8::from(on));
    let few = |n: usize, most: usize| n.min(most) as f32;
    // A contradiction counts as far as the two speak of the same.
    let scaled = |on: bool| flag(on) * words.passage;
    let repeated = repeated::Repeated::new(&claim.text, passage);
    let mut features = Features {
        verbatim: flag(repeated.verbatim),
        coverage: words.coverage,
        sentence_coverage: words.sentence,
        passage_coverage: words.passage,
        absent_weight: absent().map(|t| t.weight).sum::<f32>().min(8.0),
        absent_rarest: absent().map(|t| t.weight).fold(0.0, f32::max),
        absent_run: few(words::absent_run(&words.anywhere), 8),
        reversed: words::reversed(piece, window),
        specific: specific(piece, window),
        terms: few(piece.terms.len(), 40),
        sentences: few(passage.sentences.len(), 40),
        numbers: few(numbers.claimed, 5),
        numbers_absent: few(numbers.absent.len(), 2),
        numbers_elsewhere: few(numbers.elsewhere.len(), 2),
        numbers_changed: few(numbers.changed, 2),
        names_absent: few(names.absent.len(), 2),
        symbols_absent: few(names.symbols_absent.len(), 2),
        negation_differs: scaled(repeated.denied || said.denial_differs(&held)),
        direction_differs: scaled(said.direction_differs(&held)),
        exchanged: few(exchanged.len(), 2),
        swapped: flag(edits.swapped),
        turned: flag(edits.turned || repeated.denied),
        hedge_dropped: flag(edits.hedge_dropped),
        denies: flag(said.denies()),
        denied: flag(held.denies()),
        directed: flag(said.directs()),
        surer: flag(reach.surer),
        less_sure: flag(reach.less_sure),
        more_causal: flag(reach.more_causal),
        wider: flag(reach.wider),
        superlative: flag(reach.superlative),
        named_gap: named_gap(claim, passage, words.passage),
        ..Features::default()
    };
    add_nearness(&mut features, piece, passage, &words);
    let findings = Findings {
        numbers_absent: numbers.absent,
        rescaled: numbers.rescaled,
        numbers_elsewhere: numbers.elsewhere,
        names_absent: names.absent,
        symbols_absent: names.symbols_absent,
        terms_absent: distinct(absent().map(|term| term.printed.clone())),
        exchanged,
    };
    (features, findings)
}

/// Share of the window's terms, weighted by rarity, that the claim contains.
fn specific(claim: &Piece, window: &[Piece]) -> f32 {
    let terms: Vec<Term> = window.iter().flat_map(|s| s.terms.iter().cloned()).collect();
    let held = |term: &Term| f32::from(u8::from(claim.terms.iter().any(|t| t.stem == term.stem)));
    let credits: Vec<f32> = terms.iter().map(held).collect();
    words::share(&terms, &credits)
}

/// Coverage by the whole passage minus coverage by the parts that the claim names; 0 if the passage has no such part.
fn named_gap(claim: &PreparedClaim, passage: &PreparedPassage, whole: f32) -> f32 {
    let named: Vec<Piece> = passage
        .blocks
        .iter()
        .filter(|block| claim.named.contains(&block.number))
        .map(|block| Piece::new(&passage.text, block.span.clone()))
        .collect();
    if named.is_empty() {
        return 0.0;
    }
    (whole - words::compare(&claim.piece, &named).passage).max(0.0)
}

fn add_nearness(features: &mut Features, claim: &Piece, passage: &PreparedPassage, words: &words::Words) {
    let Some(near) = vectors::nearness(claim, &passage.sentences) else {
        return;
    };
    let mut sorted = near.in_passage.clone();
    sorted.sort_by(f32::total_cmp);
    let third = sorted.len().div_ceil(3);
    let average = |values: &[f32]| values.iter().sum::<f32>() / values.len().max(1) as f32;
    let absent: Vec<f32> = near
        .in_passage
        .iter()
        .zip(&words.anywhere)
        .filter(|(_, credit)| **credit == 0.0)
        .map(|(nearness, _)| *nearness)
        .collect();
    let best = passage.sentences.get(near.best).map(|s| s.terms.as_slice()).unwrap_or_default();
    features.cosine = near.sentence;
    features.soft_coverage = vectors::mean(&claim.terms, &near.in_sentence);
    features.soft_passage = vectors::mean(&claim.terms, &near.in_passage);
    features.soft_lowest = sorted.first().copied().unwrap_or(0.0);
    features.soft_low = average(&sorted[..third]);
    features.soft_absent = if absent.is_empty() { 1.0 } else { average(&absent) };
    features.soft_specific = vectors::mean(best, &near.of_sentence);
}

/// Whether something that both texts name rises in one and falls in the other, and nothing goes the same way in both.
pub fn opposite_direction(a: &str, b: &str) -> bool {
    Cues::of(a).direction_differs(&Cues::of(b))
}
