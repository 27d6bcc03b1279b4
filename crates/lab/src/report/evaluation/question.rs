//! One question, opened: its labels, its gold evidence stage by stage, and the answer of each mode.

use super::answer;
use crate::report::page::{Line, Page};
use eval::report::Evaluation;
use eval::{GoldPath, Row, Score, metrics};

/// What the entry shows when it is open.
pub(super) fn body(evaluation: &Evaluation, rows: &[&Row]) -> Page {
    let mut page = Page::new();
    let first = rows[0];
    let tags =
        if first.tags.is_empty() { String::new() } else { format!(" Tags: {}.", first.tags.join(", ")) };
    let label = match first.expected_no_evidence {
        Some(true) => "The papers do not answer this question: a refusal is right.",
        Some(false) => "The papers answer this question.",
        None => "No label says whether the papers answer this question.",
    };
    page.line(format!("{label}{tags}"));
    gold(&mut page, rows);
    for row in rows {
        answer::add(&mut page, evaluation, row);
    }
    let mut scores = Page::new();
    let mut columns = scores.rows(metrics::specs()).column("Metric", |spec| spec.title.to_owned());
    for row in rows {
        columns = columns.column(row.mode.as_str(), |spec| match row.scores.get(spec.key) {
            Some(Score::Value(value)) => format!("{value:.3}"),
            Some(Score::NotApplicable(reason)) => format!("n/a: {reason}"),
            Some(Score::Error(reason)) => format!("error: {reason}"),
            None => "not scored".to_owned(),
        });
    }
    page.folded("All scores", scores);
    page
}

fn gold(page: &mut Page, rows: &[&Row]) {
    let paths = rows.iter().map(|row| &row.gold);
    let Some(all) = paths.max_by_key(|paths| paths.len()).filter(|all| !all.is_empty()) else {
        return;
    };
    page.minor("Gold evidence, and where it was lost");
    for path in all {
        page.item(Line::new().quoted(path.quote.as_str()).text(format!(" ({})", path.source_id)));
        for row in rows {
            page.item(Line::new().bold(row.mode.as_str()).text(format!(": {}", course(row, path))));
        }
    }
}

/// What became of a gold quote in one mode, stage by stage.
pub(crate) fn course(row: &Row, gold: &GoldPath) -> String {
    let paths = &row.gold;
    let found = paths.iter().position(|path| path.quote == gold.quote && path.source_id == gold.source_id);
    let Some((at, path)) = found.and_then(|at| Some((at, paths.get(at)?))) else {
        let known = row.no_evidence.is_some();
        return if known { "in the answer" } else { "not known: there is no answer" }.to_owned();
    };
    let rank = row.gold_rank(at);
    let candidate = match rank {
        Some(Some(rank)) => format!("candidate {rank}"),
        Some(None) => "no candidate".to_owned(),
        None => "candidates not known".to_owned(),
    };
    let stage = |name: &str, has: Option<bool>| match has {
        Some(true) => format!("✓ {name}"),
        Some(false) => format!("✗ {name}"),
        None => format!("{name} not known"),
    };
    let refused = row.no_evidence == Some(true);
    let answer = if refused && !path.in_answer {
        "✗ answer (refused)".to_owned()
    } else {
        stage("answer", Some(path.in_answer))
    };
    let stages = [candidate, stage("reranked", path.reranked), stage("context", path.in_context), answer];
    let lost = path.lost_at(rank, refused).map(|lost| format!("; {}", lost.described()));
    format!("{}{}", stages.join(" → "), lost.unwrap_or_default())
}
