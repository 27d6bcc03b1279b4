//! With `--explain`, before the hits: how they were searched, the terms of the question, and all scores side by side.

use super::{Shown, View};
use crate::page::{Line, Page};
use engine::{Fusion, RerankPlace, Reranking, VectorIndex};
use types::{Explanation, ListScore, Mode};

/// Columns of a label.
const LABEL: usize = 10;

/// Columns of the table of hits without the papers, and the columns that a paper needs and may take.
const SCORES: usize = 70;
const PAPER: std::ops::RangeInclusive<usize> = 12..=40;

/// Adds the overview if explanations were asked for.
pub(super) fn add(page: &mut Page, view: &View<'_>, columns: usize) {
    let Some(reranking) = &view.found.reranking else {
        return;
    };
    for (label, text) in facts(view, reranking) {
        let label = format!("{label:<LABEL$} ");
        page.line(Line::new().indent(0, LABEL + 1).label(label).text(text));
    }
    if !view.found.retrieved.terms.is_empty() {
        page.gap();
        terms(page, view);
    }
    if !view.hits.is_empty() {
        page.gap();
        hits(page, view, reranking, columns);
    }
}

/// What holds for the whole search.
fn facts(view: &View<'_>, reranking: &Reranking) -> Vec<(&'static str, String)> {
    let settings = view.pipeline.search_settings();
    let (question, retrieval) = (view.question, &view.found.retrieved.retrieval);
    let mut out = vec![("Mode", view.mode().to_string()), ("Score", score(view))];
    let filter = &question.filter;
    let filter = if filter.is_empty() {
        "none".to_owned()
    } else {
        filter.to_string()
    };
    let scope = &retrieval.scope;
    let papers = count(scope.sources, "paper");
    let searched = match scope.sources - scope.admitted.min(scope.sources) {
        0 => format!("{filter} ({papers})"),
        _ => format!("{filter} ({} of {papers})", scope.admitted),
    };
    out.push(("Filter", searched));
    if view.mode() != Mode::Bm25 {
        let vectors = match (settings.vector_index, view.found.retrieved.notes.is_empty()) {
            (VectorIndex::Exact, _) => "every vector is compared (retrieve.vector_index = \"exact\")",
            (VectorIndex::Hnsw, true) => {
                "the approximate index finds the nearest (retrieve.vector_index = \"hnsw\")"
            }
            (VectorIndex::Hnsw, false) => {
                "every vector is compared, although retrieve.vector_index is \"hnsw\"; see below"
            }
        };
        out.push(("Vectors", vectors.to_owned()));
    }
    let (total, above) = (retrieval.total_candidates, retrieval.above_threshold);
    let candidates = count(total, "passage");
    out.push((
        "Candidates",
        match view.mode() {
            Mode::Bm25 => candidates,
            _ if question.asks_for_whole_sections() => {
                format!("{candidates}; retrieve.threshold does not apply to a question without a topic")
            }
            _ => format!(
                "{candidates}, of which {above} reach a similarity of {} (retrieve.threshold)",
                settings.threshold
            ),
        },
    ));
    out.push(("Rerank", rerank(reranking)));
    out
}

/// How the score of a hit is made.
fn score(view: &View<'_>) -> String {
    let settings = view.pipeline.search_settings();
    let first = view.hits.iter().find_map(|shown| shown.explanation);
    let (vector, bm25) = match (first, view.mode()) {
        (Some(explanation), _) => (explanation.vector.weight, explanation.bm25.weight),
        (None, Mode::Hybrid) => (settings.vector_weight, settings.bm25_weight),
        (None, Mode::Vector) => (1.0, 0.0),
        (None, Mode::Bm25) => (0.0, 1.0),
    };
    let parts = [(vector, "similarity"), (bm25, "BM25")];
    let parts = parts.iter().filter(|(weight, _)| *weight > 0.0);
    let parts: Vec<String> = parts
        .map(|(weight, name)| format!("{} × {name}", short(*weight)))
        .collect();
    let (parts, each) = match parts.as_slice() {
        [_] if vector > 0.0 => ("similarity alone".to_owned(), ""),
        [_] => ("BM25 alone".to_owned(), ""),
        parts => (parts.join(" + "), "each "),
    };
    let scaled = match settings.fusion {
        Fusion::MinMax => format!(
            "{each}scaled between the lowest (0) and the highest (1) of its first {} passages",
            settings.depth
        ),
        Fusion::TheoreticalMinMax => {
            format!("{each}scaled between the lowest possible (0) and the highest of all passages (1)")
        }
        Fusion::ZScore => format!(
            "{each}in standard deviations above the mean of its first {} passages",
            settings.depth
        ),
        Fusion::Rrf => format!("{each}counted as 1 / ({} + rank)", settings.rrf_k),
        Fusion::Phase2 => "as the earlier system computed it".to_owned(),
    };
    format!("{parts}, {scaled}")
}

/// What `ask` does with the hits.
fn rerank(reranking: &Reranking) -> String {
    let Reranking {
        method,
        candidates,
        keep,
        min_score,
        ran,
        ..
    } = reranking;
    let least = if *min_score > 0.0 {
        format!(" that score at least {min_score}")
    } else {
        String::new()
    };
    let mut text = format!(
        "`ask` scores the first {candidates} hits from 0 to 10 ({method}) and keeps the best {keep}{least}"
    );
    if !ran {
        text.push_str("; `search` does not ask the language model for the scores");
    }
    text
}

/// The terms of the question with their weights.
fn terms(page: &mut Page, view: &View<'_>) {
    let terms = &view.found.retrieved.terms;
    let width = terms
        .iter()
        .map(|term| term.word.chars().count())
        .max()
        .unwrap_or(0)
        .clamp(4, 40);
    let mut row = |term: &str, passages: &str, weight: &str, bold: bool| {
        let text = format!("{term:<width$}  {passages:>8}  {weight:>6}");
        page.line(if bold {
            Line::new().label(text)
        } else {
            Line::new().whole(text)
        });
    };
    row("TERM", "PASSAGES", "WEIGHT", true);
    for term in terms {
        let word: String = term.word.chars().take(width).collect();
        let weight = if term.chunks == 0 {
            "–".to_owned()
        } else {
            format!("{:.2}", term.idf * term.weight)
        };
        row(&word, &term.chunks.to_string(), &weight, false);
    }
}

/// The scores of all hits, one row each.
fn hits(page: &mut Page, view: &View<'_>, reranking: &Reranking, columns: usize) {
    let reranked = reranking.ran;
    let room = columns.saturating_sub(SCORES).min(*PAPER.end());
    let room = if PAPER.contains(&room) { room } else { 0 };
    let head = Row {
        number: "#",
        score: "SCORE",
        vector: ["SIMILARITY", "RANK", "SCALED"].map(str::to_owned),
        bm25: ["BM25", "RANK", "SCALED"].map(str::to_owned),
        rerank: ["RERANK", "PLACE"].map(str::to_owned),
        paper: if room > 0 { "PAPER" } else { "" },
    };
    page.line(Line::new().label(head.text(reranked)));
    for (at, shown) in view.hits.iter().enumerate() {
        let Some(explanation) = shown.explanation else {
            continue;
        };
        let place = reranking.place(&explanation.chunk_id);
        page.line(Line::new().whole(row(at, shown, explanation, place, reranked, room)));
    }
    let mut legend = "RANK: place by that score alone.".to_owned();
    if reranked {
        legend.push_str(" PLACE: place after reranking; – if `ask` does not keep the hit.");
    }
    page.line(Line::new().dim(legend));
}

/// A row of the table of hits.
struct Row<'a> {
    number: &'a str,
    score: &'a str,
    vector: [String; 3],
    bm25: [String; 3],
    rerank: [String; 2],
    /// Empty where it does not fit.
    paper: &'a str,
}

impl Row<'_> {
    fn text(&self, reranked: bool) -> String {
        let [similarity, vector_rank, vector_scaled] = &self.vector;
        let [bm25, bm25_rank, bm25_scaled] = &self.bm25;
        let [relevance, place] = &self.rerank;
        let (number, score) = (self.number, self.score);
        let text = format!(
            "{number:>2}  {score:>6}  {similarity:>10} {vector_rank:>4} {vector_scaled:>6}  {bm25:>6} {bm25_rank:>4} \
             {bm25_scaled:>6}"
        );
        let place = if reranked {
            format!("  {relevance:>6} {place:>5}")
        } else {
            String::new()
        };
        format!("{text}{place}  {}", self.paper).trim_end().to_owned()
    }
}

fn row(
    at: usize,
    shown: &Shown<'_>,
    explanation: &Explanation,
    place: Option<RerankPlace>,
    reranked: bool,
    room: usize,
) -> String {
    let list = |part: ListScore, score: String| {
        if part.weight <= 0.0 {
            return [score, "–".to_owned(), "–".to_owned()];
        }
        let rank = part.rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string());
        [score, rank, scaled(part.normalised)]
    };
    let rerank = match place {
        Some(RerankPlace { rank, score, kept }) => {
            let rank = if kept { rank.to_string() } else { "–".to_owned() };
            [format!("{score:.1}"), rank]
        }
        None => ["–", "–"].map(str::to_owned),
    };
    let id = shown.source.meta.source_id.as_str();
    let mut paper: String = id.chars().take(room).collect();
    if id.chars().count() > room && paper.pop().is_some() {
        paper.push('…');
    }
    Row {
        number: &(at + 1).to_string(),
        score: &scaled(explanation.combined_score),
        vector: list(explanation.vector, format!("{:.3}", explanation.vector.score)),
        bm25: list(explanation.bm25, format!("{:.2}", explanation.bm25.score)),
        rerank,
        paper: &paper,
    }
    .text(reranked)
}

/// A weight without digits that say nothing: 0.6, 0.537.
pub(super) fn short(weight: f32) -> String {
    let text = format!("{weight:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A score between 0 and 1; reciprocal ranks are small.
pub(super) fn scaled(score: f32) -> String {
    if score > 0.0 && score < 0.1 {
        format!("{score:.4}")
    } else {
        format!("{score:.3}")
    }
}

pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
