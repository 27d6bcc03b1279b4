//! Lines that explain the rank of a hit.

use super::View;
use crate::page::{Line, Page};
use std::fmt::Write;
use types::{Explanation, FieldMatch, ListScore, Mode};

/// The fused score as a sum, then each part of it; `left` columns are left free.
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
    page.line(line("similarity", similarity(view, explanation, vector)));
    page.line(line("BM25", bm25_part(explanation, bm25)));
    for term in &explanation.terms {
        page.line(line(
            "",
            format!(
                "{:.2} from “{}”: {}; in {} of the index",
                term.contribution,
                term.word,
                places(&term.fields),
                count(term.chunks, "passage"),
            ),
        ));
    }
    let missing: Vec<String> = view
        .question
        .distinct_terms()
        .filter(|wanted| explanation.terms.iter().all(|held| held.stem != wanted.stem))
        .map(|wanted| format!("“{}”", wanted.word))
        .collect();
    if !missing.is_empty() {
        page.line(line("", format!("not in this passage: {}", missing.join(", "))));
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
    let mut text = format!("{:.3} = {}", explanation.combined_score, parts.join(" + "));
    if explanation.moved_back {
        text.push_str(
            "; placed last because other passages of this paper rank higher (retrieve.max_per_source)",
        );
    }
    text
}

/// A weight without digits that say nothing: 0.6, 0.537.
fn short(weight: f32) -> String {
    let text = format!("{weight:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A score between 0 and 1; reciprocal ranks are small.
fn scaled(score: f32) -> String {
    if score > 0.0 && score < 0.1 {
        format!("{score:.4}")
    } else {
        format!("{score:.3}")
    }
}

fn similarity(view: &View<'_>, explanation: &Explanation, weight: f32) -> String {
    let threshold = view.pipeline.search_settings().threshold;
    let mut text = format!(
        "{:.3}, {}",
        explanation.vector.score,
        rank(explanation.vector, weight)
    );
    if view.mode() != Mode::Bm25 {
        let _ = write!(text, "; the threshold is {threshold}");
    }
    if let Some(moved) = explanation.feedback_similarity {
        let _ = write!(text, "; {moved:.3} after feedback (retrieve.feedback)");
    }
    text
}

fn bm25_part(explanation: &Explanation, weight: f32) -> String {
    format!(
        "{:.2}, {}",
        explanation.bm25.score,
        rank(explanation.bm25, weight)
    )
}

/// The rank in the list, and the score as the fusion scales it.
fn rank(part: ListScore, weight: f32) -> String {
    if weight <= 0.0 {
        return "not used in this mode".to_owned();
    }
    let place = part
        .rank
        .map_or_else(|| "not ranked".to_owned(), |rank| format!("rank {rank}"));
    format!("{place}, scaled to {}", scaled(part.normalised))
}

/// `2 occurrences in the text, 1 in the title`.
fn places(fields: &[FieldMatch]) -> String {
    let place = |(at, found): (usize, &FieldMatch)| {
        let number = found.occurrences as usize;
        let number = if at == 0 {
            count(number, "occurrence")
        } else {
            number.to_string()
        };
        format!("{number} in the {}", found.field)
    };
    let places: Vec<String> = fields.iter().enumerate().map(place).collect();
    places.join(", ")
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
