//! Everything about one question of a run.

use super::{list::heading, rows::gold};
use crate::sheet::Sheet;
use contract::{Ask, Row, RunAnswer, RunQuestion, Score};

/// The question, then each mode.
pub(super) fn sheet(shown: &RunQuestion) -> Sheet {
    let mut sheet = Sheet::default();
    heading(&mut sheet, &shown.run);
    sheet.heading(format!("Question {}", shown.query_id));
    sheet.quote(&shown.query);
    match shown.expected_no_evidence {
        Some(true) => sheet.line("The papers do not answer it: a refusal is right."),
        Some(false) => sheet.line("The papers answer it."),
        None => sheet.line("The log does not say whether the papers answer it."),
    }
    if let Some(reference) = &shown.reference_answer {
        sheet.line("Reference answer:");
        sheet.quote(reference);
    }
    for answer in &shown.answers {
        add(&mut sheet, answer);
    }
    sheet
}

fn add(sheet: &mut Sheet, shown: &RunAnswer) {
    let answer = &shown.answer;
    let words = match answer.confidence.as_str() {
        _ if answer.no_evidence => "refused".to_owned(),
        "" => "no answer".to_owned(),
        confidence => format!("answered, {confidence} confidence"),
    };
    let probability = answer.probability.map(|p| format!(", probability {p:.2}"));
    sheet.heading(format!(
        "{}: {words}{}",
        shown.mode,
        probability.unwrap_or_default()
    ));
    sheet.quote(&answer.answer);
    for failure in &shown.failures {
        sheet.item(format!("failure: {failure}"));
    }
    for one in &shown.gold {
        sheet.item(format!("gold, {}", gold(one)));
    }
    for citation in &answer.citations {
        sheet.item(format!(
            "cites {}: \"{}\"",
            citation.chunk_id, citation.relevant_quote
        ));
    }
    for caveat in &answer.caveats {
        sheet.item(format!("caveat: {caveat}"));
    }
    for action in &answer.guardrails {
        sheet.item(format!(
            "guardrail {} {}: {} ({})",
            action.guardrail, action.action, action.subject, action.reason
        ));
    }
    for claim in &answer.claims {
        let verdict = if claim.supported {
            "supported"
        } else {
            "not supported"
        };
        sheet.item(format!("claim {verdict}: \"{}\"", claim.claim));
    }
    // The scores are a row of this version, or of an older one that may lack a field.
    if let Ok(row) = serde_json::from_value::<Row>(shown.scores.clone()) {
        verdicts(sheet, &row);
    }
    candidates(sheet, answer);
    context(sheet, answer);
    time(sheet, shown);
}

fn verdicts(sheet: &mut Sheet, row: &Row) {
    for claim in &row.unsupported {
        sheet.item(format!(
            "judge: not supported by what it cites ({:.2}; {}): \"{}\"",
            claim.score, claim.reason, claim.claim
        ));
    }
    let scores = row.scores.iter().filter(|(key, _)| !key.ends_with("_raw"));
    let cells = scores.map(|(key, score)| {
        let value = match score {
            Score::Value(value) => format!("{value:.3}"),
            Score::NotApplicable { n_a } => format!("n/a: {n_a}"),
            Score::Error { error } => format!("error: {error}"),
        };
        vec![key.clone(), value]
    });
    sheet.heading(format!("Scores, {}", row.mode));
    sheet.table(&["Metric", "Value"], cells.collect());
}

fn candidates(sheet: &mut Sheet, answer: &Ask) {
    let retrieval = &answer.retrieval;
    sheet.heading(format!(
        "Candidates: {} of {} above the threshold",
        retrieval.above_threshold, retrieval.total_candidates
    ));
    let in_context = |id: &str| {
        let context = answer.context.iter().flatten();
        let found = context.into_iter().find(|passage| passage.chunk_id == id);
        found.map_or("", |passage| {
            if passage.origin == "reranked" {
                "kept"
            } else {
                "added"
            }
        })
    };
    let rows = retrieval.returned_chunks.iter().enumerate().map(|(at, chunk)| {
        vec![
            (at + 1).to_string(),
            chunk.chunk_id.clone(),
            format!("{:.3}", chunk.vector_score),
            format!("{:.2}", chunk.bm25_score),
            format!("{:.3}", chunk.combined_score),
            in_context(&chunk.chunk_id).to_owned(),
        ]
    });
    sheet.table(
        &["Rank", "Passage", "Vector", "BM25", "Combined", "Context"],
        rows.collect(),
    );
}

fn context(sheet: &mut Sheet, answer: &Ask) {
    let Some(context) = &answer.context else {
        return;
    };
    sheet.heading("Context");
    for passage in context {
        sheet.line(format!(
            "{} ({}, {}, {})",
            passage.chunk_id,
            passage.section,
            pages(passage.page_start, passage.page_end),
            passage.origin
        ));
        sheet.quote(&passage.text);
    }
}

/// `page 3`, `pages 3 to 4`
fn pages(first: u32, last: u32) -> String {
    if first == last {
        format!("page {first}")
    } else {
        format!("pages {first} to {last}")
    }
}

fn time(sheet: &mut Sheet, shown: &RunAnswer) {
    let stages: Vec<String> = shown
        .answer
        .timings_ms
        .iter()
        .map(|(stage, ms)| format!("{stage} {ms:.1}"))
        .collect();
    sheet.heading("Time and cost");
    sheet.line(format!("milliseconds: {}", stages.join(", ")));
    let usage = &shown.answer.usage;
    sheet.line(match (usage, shown.cost) {
        (None, None) => "no language model was asked".to_owned(),
        (_, Some(cost)) => format!("language models: ${cost:.4}"),
        (Some(usage), None) => format!(
            "language models: {} tokens read, {} written; the price is not known",
            usage.prompt_tokens, usage.completion_tokens
        ),
    });
}
