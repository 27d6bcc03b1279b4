//! One question of a run on a screen; all of it with `--verbose`.

use super::{list::heading, rows::gold};
use crate::{
    page::{Line, Page},
    words::{beginning, count, first_of, when},
};
use engine::documents::Ask;
use lab::{
    eval::{Row, Score},
    runs::{RunAnswer, RunQuestion},
};
use types::Origin;

/// Characters of a text, gold quotes, findings and scores that a screen shows.
const CHARS: usize = 190;
const QUOTES: usize = 2;
const FINDINGS: usize = 3;
const SCORES: [&str; 6] = [
    "matched",
    "faithful",
    "citation_precision",
    "no_evidence_accuracy",
    "gold_recall_context",
    "gold_recall_answer",
];

/// The question, then each mode.
pub(super) fn page(shown: &RunQuestion) -> Page {
    let mut page = Page::new();
    heading(&mut page, &shown.run);
    page.heading(Line::from(format!("Question {}: ", shown.query_id)).text(shown.query.as_str()));
    let label = match shown.expected_no_evidence {
        Some(true) => "The papers do not answer it: a refusal is right.",
        Some(false) => "The papers answer it.",
        None => "The log does not say whether the papers answer it.",
    };
    let reference = shown.reference_answer.as_ref();
    let reference = reference.map(|text| format!(" Reference answer: {}", beginning(text, CHARS)));
    page.line(format!("{label}{}", reference.unwrap_or_default()));
    for answer in &shown.answers {
        add(&mut page, answer);
    }
    for answer in &shown.answers {
        whole(&mut page, answer);
    }
    page
}

fn add(page: &mut Page, shown: &RunAnswer) {
    let answer = &shown.answer;
    let row = &shown.scores;
    let decision = match (answer.no_evidence, answer.confidence.as_str()) {
        (true, _) => "refused".to_owned(),
        (false, "") => "no answer".to_owned(),
        (false, confidence) => format!("{}, {confidence} confidence", content(row)),
    };
    let probability = answer.probability.map(|p| format!(", probability {p:.2}"));
    page.heading(format!("{}: {decision}{}", shown.mode, probability.unwrap_or_default()));
    page.quote_line(beginning(&answer.answer, CHARS));
    for failure in &shown.failures {
        page.item(format!("failure: {failure}"));
    }
    for one in shown.gold.iter().take(QUOTES) {
        page.item(beginning(&format!("gold, {}", gold(one)), CHARS));
    }
    let more = shown.gold.len().saturating_sub(QUOTES);
    page.tally(more, "more gold quote", "below");
    let cited: Vec<&str> =
        answer.citations.iter().map(|citation| citation.citation.chunk_id.as_str()).collect();
    if !cited.is_empty() {
        page.item(format!("cites {}", first_of(&cited, 3)));
    }
    let unsupported = row.unsupported.iter();
    let unsupported = unsupported.map(|claim| {
        format!(
            "judge: not supported by what it cites ({:.2}; {}): \"{}\"",
            claim.score, claim.reason, claim.claim
        )
    });
    let actions = answer.guardrails.iter();
    let actions =
        actions.map(|a| format!("guardrail {} {}: {} ({})", a.guardrail, a.action, a.subject, a.reason));
    for finding in unsupported.chain(actions).take(FINDINGS) {
        page.item(beginning(&finding, CHARS));
    }
    let values = SCORES.into_iter().filter_map(|key| Some(format!("{key} {:.2}", row.value(key)?)));
    page.item(format!("scores: {}", values.collect::<Vec<_>>().join(", ")));
}

/// Whether an answer is right: by its content, never because it was not refused.
fn content(row: &Row) -> &'static str {
    match row.scores.get("matched") {
        _ if row.expected_no_evidence == Some(true) => "answered although the papers do not answer it",
        Some(Score::Value(value)) if *value >= 0.5 => "answered, matched",
        Some(Score::Value(_)) => "answered, not matched",
        _ => "answered, not checked",
    }
}

/// What does not fit a screen.
fn whole(page: &mut Page, shown: &RunAnswer) {
    let answer = &shown.answer;
    let mut body = Page::new();
    body.quote(&answer.answer);
    for one in &shown.gold {
        body.item(format!("gold, {}", gold(one)));
    }
    for engine::documents::Citation { citation, .. } in &answer.citations {
        let (id, quote) = (&citation.chunk_id, &citation.relevant_quote);
        body.item(format!("cites {id}: \"{quote}\""));
    }
    for caveat in &answer.caveats {
        body.item(format!("caveat: {caveat}"));
    }
    for claim in &answer.claims {
        let not = when(!claim.supported, "not ");
        body.item(format!("claim {not}supported: \"{}\"", claim.claim));
    }
    let scores = shown.scores.scores.iter();
    body.rows(scores.filter(|(key, _)| !key.ends_with("_raw")))
        .column("Metric", |(key, _)| (*key).to_owned())
        .column("Value", |(_, score)| match score {
            Score::Value(value) => format!("{value:.3}"),
            Score::NotApplicable(reason) => format!("n/a: {reason}"),
            Score::Error(error) => format!("error: {error}"),
        });
    candidates(&mut body, answer);
    context(&mut body, answer);
    time(&mut body, shown);
    page.folded(format!("{} in full", shown.mode), body);
}

fn candidates(page: &mut Page, answer: &Ask) {
    let retrieval = &answer.retrieval;
    let (above, all) = (retrieval.above_threshold, retrieval.total_candidates);
    page.line(format!("Candidates: {above} of {all} above the threshold"));
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
    page.line(format!("Context: {}", count(context.len(), "passage")));
    for passage in context {
        let (id, section, origin) = (&passage.chunk_id, &passage.section, &passage.origin);
        let (first, last) = (passage.page_start, passage.page_end);
        let pages = if first == last { format!("page {first}") } else { format!("pages {first} to {last}") };
        page.line(format!("{id} ({section}, {pages}, {origin})"));
        page.quote(&passage.text);
    }
}

fn time(page: &mut Page, shown: &RunAnswer) {
    let stages = shown.answer.timings_ms.iter();
    let stages: Vec<String> = stages.map(|(stage, ms)| format!("{stage} {ms:.1}")).collect();
    page.line(format!("milliseconds: {}", stages.join(", ")));
    page.line(match (&shown.answer.usage, shown.cost) {
        (None, None) => "no language model was asked".to_owned(),
        (_, Some(cost)) => format!("language models: ${cost:.4}"),
        (Some(usage), None) => format!(
            "language models: {} tokens read, {} written; the price is not known",
            usage.prompt_tokens, usage.completion_tokens
        ),
    });
}
