//! Lines that explain the score of a hit.

use super::{
    View,
    overview::{scaled, short},
};
use crate::page::{Line, Page};
use types::{Explanation, FieldMatch};

/// The fused score as a sum, then each term of the BM25 score; `left` columns are left free.
pub(super) fn lines(page: &mut Page, view: &View<'_>, explanation: &Explanation, left: usize) {
    let line = |label: &str, text: String| {
        let label = format!("{label:<11} ");
        Line::new()
            .indent(left, left + label.len())
            .label(label)
            .text(text)
    };
    let (vector, bm25) = (explanation.vector.weight, explanation.bm25.weight);
    page.line(line("score", sum(explanation, vector, bm25)));
    let width = explanation
        .terms
        .iter()
        .map(|term| term.word.chars().count())
        .max()
        .unwrap_or(0);
    for (at, term) in explanation.terms.iter().enumerate() {
        let label = if at == 0 { "BM25" } else { "" };
        let (word, adds) = (&term.word, term.contribution);
        let row = format!("{adds:>5.2} from {word:<width$}");
        let line = Line::new().indent(left, left + 12).label(format!("{label:<11}"));
        page.line(line.whole(row).text(format!(" {}", places(&term.fields))));
    }
    let missing: Vec<&str> = view
        .question
        .distinct_terms()
        .filter(|wanted| explanation.terms.iter().all(|held| held.stem != wanted.stem))
        .map(|wanted| wanted.word.as_str())
        .collect();
    if !missing.is_empty() {
        page.line(line("not here", missing.join(", ")));
    }
}

/// `0.913 = 0.6 × 1.000 (similarity) + 0.4 × 0.783 (BM25)`; a part without weight is left out.
fn sum(explanation: &Explanation, vector: f32, bm25: f32) -> String {
    let parts = [
        (vector, explanation.vector, "similarity"),
        (bm25, explanation.bm25, "BM25"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(weight, ..)| *weight > 0.0)
        .map(|(weight, part, name)| format!("{} × {} ({name})", short(*weight), scaled(part.normalised)))
        .collect();
    format!("{} = {}", scaled(explanation.combined_score), parts.join(" + "))
}

/// `2 in the text, 1 in the title`.
fn places(fields: &[FieldMatch]) -> String {
    let places = fields
        .iter()
        .map(|found| format!("{} in the {}", found.occurrences, found.field));
    places.collect::<Vec<_>>().join(", ")
}
