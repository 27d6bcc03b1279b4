//! Everything about one question of a run.

use super::{list::heading, rows::gold};
use crate::{page::Page, words::when};
use contract::{Row, Score};
use engine::documents::Ask;
use lab::runs::{RunAnswer, RunQuestion};
use types::Origin;

/// The question, then each mode.
pub(super) fn page(shown: &RunQuestion) -> Page {
    let mut page = Page::new();
    heading(&mut page, &shown.run);
    page.heading(format!("Question {}", shown.query_id));
    page.quote(&shown.query);
    match shown.expected_no_evidence {
        Some(true) => page.line("The papers do not answer it: a refusal is right."),
        Some(false) => page.line("The papers answer it."),
        None => page.line("The log does not say whether the papers answer it."),
    }
    if let Some(reference) = &shown.reference_answer {
        page.line("Reference answer:");
        page.quote(reference);
    }
    for answer in &shown.answers {
        add(&mut page, answer);
    }
    page
}

fn add(page: &mut Page, shown: &RunAnswer) {
    let answer = &shown.answer;
    let words = match answer.confidence.as_str() {
        _ if answer.no_evidence => "refused".to_owned(),
        "" => "no answer".to_owned(),
        confidence => format!("answered, {confidence} confidence"),
    };
    let probability = answer.probability.map(|p| format!(", probability {p:.2}"));
    let probability = probability.unwrap_or_default();
    page.heading(format!("{}: {words}{probability}", shown.mode));
    page.quote(&answer.answer);
    for failure in &shown.failures {
        page.item(format!("failure: {failure}"));
    }
    for one in &shown.gold {
        page.item(format!("gold, {}", gold(one)));
    }
    for engine::documents::Citation { citation, .. } in &answer.citations {
        let (id, quote) = (&citation.chunk_id, &citation.relevant_quote);
        page.item(format!("cites {id}: \"{quote}\""));
    }
    for caveat in &answer.caveats {
        page.item(format!("caveat: {caveat}"));
    }
    for action in &answer.guardrails {
        page.item(format!(
            "guardrail {} {}: {} ({})",
            action.guardrail, action.action, action.subject, action.reason
        ));
    }
    for claim in &answer.claims {
        let not = when(!claim.supported, "not ");
        page.item(format!("claim {not}supported: \"{}\"", claim.claim));
    }
    // The scores are a row of this version, or of an older one that may lack a field.
    if let Ok(row) = serde_json::from_value::<Row>(shown.scores.clone()) {
        verdicts(page, &row);
    }
    candidates(page, answer);
    context(page, answer);
    time(page, shown);
}

fn verdicts(page: &mut Page, row: &Row) {
    for claim in &row.unsupported {
        page.item(format!(
            "judge: not supported by what it cites ({:.2}; {}): \"{}\"",
            claim.score, claim.reason, claim.claim
        ));
    }
    let scores = row.scores.iter().filter(|(key, _)| !key.ends_with("_raw"));
    page.heading(format!("Scores, {}", row.mode));
    page.rows(scores)
        .column("Metric", |(key, _)| (*key).clone())
        .column("Value", |(_, score)| match score {
            Score::Value(value) => format!("{value:.3}"),
            Score::NotApplicable { n_a } => format!("n/a: {n_a}"),
            Score::Error { error } => format!("error: {error}"),
        });
}

fn candidates(page: &mut Page, answer: &Ask) {
    let retrieval = &answer.retrieval;
    page.heading(format!(
        "Candidates: {} of {} above the threshold",
        retrieval.above_threshold, retrieval.total_candidates
    ));
    let in_context = |id: &str| {
        let mut context = answer.context.iter().flatten();
        match context.find(|passage| passage.chunk_id.as_str() == id) {
            Some(passage) if passage.origin == Origin::Reranked => "kept",
            Some(_) => "added",
            None => "",
        }
    };
    page.rows(retrieval.returned_chunks.iter().enumerate())
        .column("Rank", |(at, _)| (at + 1).to_string())
        .column("Passage", |(_, of)| of.chunk_id.to_string())
        .column("Vector", |(_, of)| format!("{:.3}", of.vector_score))
        .column("BM25", |(_, of)| format!("{:.2}", of.bm25_score))
        .column("Combined", |(_, of)| format!("{:.3}", of.combined_score))
        .column("Context", |(_, of)| in_context(of.chunk_id.as_str()).to_owned());
}

fn context(page: &mut Page, answer: &Ask) {
    let Some(context) = &answer.context else {
        return;
    };
    page.heading("Context");
    for passage in context {
        let (id, section, origin) = (&passage.chunk_id, &passage.section, &passage.origin);
        let pages = pages(passage.page_start, passage.page_end);
        page.line(format!("{id} ({section}, {pages}, {origin})"));
        page.quote(&passage.text);
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

fn time(page: &mut Page, shown: &RunAnswer) {
    let stages = shown.answer.timings_ms.iter();
    let stages: Vec<String> = stages.map(|(stage, ms)| format!("{stage} {ms:.1}")).collect();
    page.heading("Time and cost");
    page.line(format!("milliseconds: {}", stages.join(", ")));
    let usage = &shown.answer.usage;
    page.line(match (usage, shown.cost) {
        (None, None) => "no language model was asked".to_owned(),
        (_, Some(cost)) => format!("language models: ${cost:.4}"),
        (Some(usage), None) => format!(
            "language models: {} tokens read, {} written; the price is not known",
            usage.prompt_tokens, usage.completion_tokens
        ),
    });
}
