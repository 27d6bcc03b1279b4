//! Compares words and sentences by their vectors.
//!
//! Words are compared in their context: a term's vector is the mean of its tokens' vectors, as an encoder sees them in
//! the sentence. Each term of the claim is compared with the nearest term of the passage, weighted by rarity: the late
//! interaction of ColBERT (Khattab and Zaharia 2020, MaxSim).

use super::piece::{Piece, PieceVectors, Term};
use types::{
    Embedder, ModelError, Span, TextParts,
    vector::{dot, norm},
};

/// Gives each piece of `text` its vectors. A piece that is too long for the model is embedded in windows.
///
/// # Errors
/// Returns an error if the model fails.
pub(crate) fn embed(embedder: &dyn Embedder, text: &str, pieces: &mut [Piece]) -> Result<(), ModelError> {
    let mut owners: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut inputs: Vec<TextParts> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let words = &text[piece.span.clone()];
        for window in embedder.windows("", words, &[Span::new(0, words.len())])? {
            let range = piece.span.start + window.start..piece.span.start + window.end;
            let within = |term: &Term| term.span.start >= range.start && term.span.end <= range.end;
            let terms: Vec<usize> = (0..piece.terms.len()).filter(|i| within(&piece.terms[*i])).collect();
            let part = |i: &usize| {
                let span = &piece.terms[*i].span;
                Span::new(span.start - range.start, span.end - range.start)
            };
            inputs.push(TextParts {
                text: text[range.clone()].to_owned(),
                parts: terms.iter().map(part).collect(),
            });
            owners.push((at, terms));
        }
    }
    let found = embedder.embed_parts(&inputs, &|_| ())?;
    for piece in pieces.iter_mut() {
        piece.vectors = Some(PieceVectors {
            whole: vec![0.0; embedder.dimension()],
            terms: vec![vec![0.0; embedder.dimension()]; piece.terms.len()],
        });
    }
    for ((at, terms), vectors) in owners.into_iter().zip(found) {
        if let Some(own) = pieces.get_mut(at).and_then(|piece| piece.vectors.as_mut()) {
            for (sum, x) in own.whole.iter_mut().zip(&vectors.text) {
                *sum += x;
            }
            for (i, part) in terms.into_iter().zip(vectors.parts) {
                own.terms[i] = unit(part);
            }
        }
    }
    for own in pieces.iter_mut().filter_map(|piece| piece.vectors.as_mut()) {
        own.whole = unit(std::mem::take(&mut own.whole));
    }
    Ok(())
}

/// Scales the vector to length 1. A zero vector is left unchanged.
fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = norm(&vector);
    if length > 0.0 {
        for x in &mut vector {
            *x /= length;
        }
    }
    vector
}

/// How near a claim and a passage are by vectors; cosines, at least 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nearness {
    /// The claim and the nearest sentence.
    pub(crate) sentence: f32,
    /// For each term of the claim, its cosine with the nearest term of the best sentence.
    pub(crate) in_sentence: Vec<f32>,
    /// For each term of the claim, its cosine with the nearest term of the passage.
    pub(crate) in_passage: Vec<f32>,
    /// For each term of the best sentence, its cosine with the nearest term of the claim.
    pub(crate) of_sentence: Vec<f32>,
    /// The index of the best sentence: the one that the claim's terms are nearest to, weighted by rarity.
    pub(crate) best: usize,
}

/// Compares a claim with the sentences of a passage. Returns `None` if there are no vectors.
pub(crate) fn nearness(claim: &Piece, sentences: &[Piece]) -> Option<Nearness> {
    let own = claim.vectors.as_ref()?;
    let mut out = Nearness {
        in_passage: vec![0.0; claim.terms.len()],
        in_sentence: vec![0.0; claim.terms.len()],
        ..Nearness::default()
    };
    let mut best = -1.0;
    for (at, sentence) in sentences.iter().enumerate() {
        let vectors = sentence.vectors.as_ref()?;
        out.sentence = out.sentence.max(dot(&own.whole, &vectors.whole));
        let near: Vec<f32> = own.terms.iter().map(|term| nearest(term, &vectors.terms)).collect();
        for (most, here) in out.in_passage.iter_mut().zip(&near) {
            *most = most.max(*here);
        }
        let share = mean(&claim.terms, &near);
        if share > best {
            best = share;
            out.best = at;
            out.in_sentence = near;
        }
    }
    if let Some(vectors) = sentences.get(out.best).and_then(|s| s.vectors.as_ref()) {
        out.of_sentence = vectors.terms.iter().map(|term| nearest(term, &own.terms)).collect();
    }
    Some(out)
}

fn nearest(term: &[f32], others: &[Vec<f32>]) -> f32 {
    others.iter().map(|other| dot(term, other)).fold(0.0, f32::max)
}

/// Returns the mean of one value for each term, weighted by rarity; 0 if there are no terms.
pub(crate) fn mean(terms: &[Term], values: &[f32]) -> f32 {
    let total: f32 = terms.iter().map(|term| term.weight).sum();
    if total <= 0.0 {
        return 0.0;
    }
    terms.iter().zip(values).map(|(term, value)| term.weight * value).sum::<f32>() / total
}
