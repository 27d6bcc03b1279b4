//! With `--explain`: how the hits were searched, the terms of the question, all scores side by side, and how the score
//! of each hit is made.

use super::View;
use crate::{
    page::{Line, Page},
    words::{count, when},
};
use engine::{Fusion, RerankPlace, Reranking, VectorIndex};
use types::{Explanation, FieldMatch, ListScore, Mode};

/// Characters of the id of a paper in the table of hits.
const PAPER: usize = 24;

/// What holds for the whole search, if explanations were asked for.
pub(super) fn overview(page: &mut Page, view: &View<'_>) {
    let Some(reranking) = &view.found.reranking else {
        return;
    };
    let settings = view.pipeline.search_settings();
    let (question, retrieved) = (&view.found.question, &view.found.retrieved);
    let (mode, retrieval) = (question.mode, &retrieved.retrieval);
    page.fact("Mode", mode.to_string());
    page.fact("Score", score(view));
    let filter = Some(&question.filter).filter(|filter| !filter.is_empty());
    let filter = filter.map_or_else(|| "none".to_owned(), ToString::to_string);
    let (scope, papers) = (&retrieval.scope, count(retrieval.scope.sources, "paper"));
    page.fact(
        "Filter",
        match scope.sources - scope.admitted.min(scope.sources) {
            0 => format!("{filter} ({papers})"),
            _ => format!("{filter} ({} of {papers})", scope.admitted),
        },
    );
    if mode != Mode::Bm25 {
        let vectors = match (settings.vector_index, retrieved.notes.is_empty()) {
            (VectorIndex::Exact, _) => "every vector is compared (retrieve.vector_index = \"exact\")",
            (VectorIndex::Hnsw, true) => {
                "the approximate index finds the nearest (retrieve.vector_index = \"hnsw\")"
            }
            (VectorIndex::Hnsw, false) => {
                "every vector is compared, although retrieve.vector_index is \"hnsw\"; see below"
            }
        };
        page.fact("Vectors", vectors);
    }
    let (above, threshold) = (retrieval.above_threshold, settings.min_similarity);
    let reached = match mode {
        Mode::Bm25 => String::new(),
        _ if question.asks_for_whole_sections() => {
            "; retrieve.min_similarity does not apply to a question without a topic".to_owned()
        }
        _ => format!(", of which {above} reach a similarity of {threshold} (retrieve.min_similarity)"),
    };
    let candidates = count(retrieval.total_candidates, "passage");
    page.fact("Candidates", candidates + &reached);
    page.fact("Rerank", rerank(reranking));
    page.gap();
    if !retrieved.terms.is_empty() {
        page.rows(&retrieved.terms)
            .column("TERM", |term| term.word.clone())
            .column("PASSAGES", |term| term.chunks.to_string())
            .column("WEIGHT", |term| {
                if term.chunks > 0 { format!("{:.2}", term.idf * term.weight) } else { none() }
            });
    }
    if !view.hits.is_empty() {
        page.gap();
        hits(page, view, reranking);
    }
}

/// How the score of a hit is made.
fn score(view: &View<'_>) -> String {
    let settings = view.pipeline.search_settings();
    let first = view.hits.iter().find_map(|shown| shown.explanation);
    let (vector, bm25) = match (first, view.found.question.mode) {
        (Some(explanation), _) => (explanation.vector.weight, explanation.bm25.weight),
        (None, Mode::Hybrid) => (settings.vector_weight, settings.bm25_weight),
        (None, Mode::Vector) => (1.0, 0.0),
        (None, Mode::Bm25) => (0.0, 1.0),
    };
    let (parts, each) = if bm25 <= 0.0 {
        ("similarity alone".to_owned(), "")
    } else if vector <= 0.0 {
        ("BM25 alone".to_owned(), "")
    } else {
        (format!("{} × similarity + {} × BM25", short(vector), short(bm25)), "each ")
    };
    // A list that is shorter than `depth` was not cut.
    let first = match view.found.retrieved.retrieval.total_candidates {
        found if found < settings.depth => "the passages found".to_owned(),
        _ => format!("its first {}", count(settings.depth, "passage")),
    };
    let scaled = match settings.fusion {
        Fusion::MinMax => {
            format!("{each}scaled between the lowest (0) and the highest (1) of {first}")
        }
        Fusion::Rrf => format!("{each}counted as 1 / ({} + rank)", settings.rrf_k),
        Fusion::Phase2 => "as the earlier system computed it".to_owned(),
    };
    format!("{parts}, {scaled}")
}

/// What `ask` does with the hits.
fn rerank(reranking: &Reranking) -> String {
    let Reranking { method, candidates, keep, .. } = reranking;
    let not_asked = when(!reranking.ran, "; `search` does not ask the language model for the scores");
    format!(
        "`ask` scores the first {candidates} hits from 0 to 10 ({method}) and keeps the best {keep}{not_asked}"
    )
}

/// The scores of all hits, one row each.
fn hits(page: &mut Page, view: &View<'_>, reranking: &Reranking) {
    let used = |part: ListScore| Some(part).filter(|part| part.weight > 0.0);
    let rank = |part: ListScore| {
        let rank = used(part).and_then(|part| part.rank);
        rank.map_or_else(none, |rank| rank.to_string())
    };
    let share = |part: ListScore| used(part).map_or_else(none, |part| scaled(part.normalised));
    let relevance = |of: &Explanation| match reranking.place(&of.chunk_id) {
        _ if !reranking.ran => String::new(),
        Some(place) => format!("{:.1}", place.score),
        None => none(),
    };
    let place = |of: &Explanation| match reranking.place(&of.chunk_id) {
        _ if !reranking.ran => String::new(),
        Some(RerankPlace { rank, kept: true, .. }) => rank.to_string(),
        _ => none(),
    };
    let paper = |id: &str| {
        let cut = when(id.chars().count() > PAPER, "…");
        id.chars().take(PAPER).collect::<String>() + cut
    };
    let shown = view.hits.iter().enumerate();
    let shown = shown.filter_map(|(at, shown)| Some((at, shown, shown.explanation?)));
    page.rows(shown)
        .column("#", |(at, ..)| (at + 1).to_string())
        .column("SCORE", |(_, _, of)| scaled(of.combined_score))
        .column("SIMILARITY", |(_, _, of)| format!("{:.3}", of.vector.score))
        .column("RANK", |(_, _, of)| rank(of.vector))
        .column("SCALED", |(_, _, of)| share(of.vector))
        .column("BM25", |(_, _, of)| format!("{:.2}", of.bm25.score))
        .column("RANK", |(_, _, of)| rank(of.bm25))
        .column("SCALED", |(_, _, of)| share(of.bm25))
        .column("RERANK", |(_, _, of)| relevance(of))
        .column("PLACE", |(_, _, of)| place(of))
        .column("PAPER", |(_, shown, _)| paper(shown.source.meta.source_id.as_str()));
    let places = " PLACE: place after reranking; – if `ask` does not keep the hit.";
    let legend = format!("RANK: place by that score alone.{}", when(reranking.ran, places));
    page.line(Line::new().dim(legend));
}

fn none() -> String {
    "–".to_owned()
}

/// The fused score of a hit as a sum, then what each term adds to the BM25 score.
pub(super) fn hit(page: &mut Page, view: &View<'_>, explanation: &Explanation) {
    let parts = [(explanation.vector, "similarity"), (explanation.bm25, "BM25")];
    let parts = parts.iter().filter(|(part, _)| part.weight > 0.0);
    let parts: Vec<String> = parts
        .map(|(part, name)| format!("{} × {} ({name})", short(part.weight), scaled(part.normalised)))
        .collect();
    page.aside(format!("score {} = {}", scaled(explanation.combined_score), parts.join(" + ")));
    let places = |fields: &[FieldMatch]| {
        let places = fields.iter().map(|found| format!("{} in the {}", found.occurrences, found.field));
        places.collect::<Vec<_>>().join(", ")
    };
    let terms = explanation.terms.iter();
    let terms: Vec<String> = terms
        .map(|term| format!("{:.2} from {} ({})", term.contribution, term.word, places(&term.fields)))
        .collect();
    if !terms.is_empty() {
        page.aside(format!("BM25: {}", terms.join("; ")));
    }
    let wanted = view.found.question.distinct_terms();
    let missing: Vec<&str> = wanted
        .filter(|wanted| explanation.terms.iter().all(|held| held.stem != wanted.stem))
        .map(|wanted| wanted.word.as_str())
        .collect();
    if !missing.is_empty() {
        page.aside(format!("not here: {}", missing.join(", ")));
    }
}

/// A weight without digits that say nothing: 0.6, 0.537.
fn short(weight: f32) -> String {
    let text = format!("{weight:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A score between 0 and 1; reciprocal ranks are small.
fn scaled(score: f32) -> String {
    if score > 0.0 && score < 0.1 { format!("{score:.4}") } else { format!("{score:.3}") }
}
