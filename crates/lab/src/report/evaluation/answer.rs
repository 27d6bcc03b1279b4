//! One answer: its text, its quotes, its claims, its context, and what guardrails did.

use super::decision::word;
use crate::report::page::{Line, Page};
use eval::Row;
use eval::report::{Evaluation, failures, guardrail_name};
use types::{ContextRecord, Origin, RunRecord};

/// Adds the answer of a row.
pub(super) fn add(page: &mut Page, evaluation: &Evaluation, row: &Row) {
    let details = evaluation.details.as_ref();
    let own = details.and_then(|details| details.of_row(row));
    let (word, right) = word(row);
    page.minor(Line::from(format!("{}: ", row.mode)).decision(word, right).dim(stated(row)));
    for line in answer(&row.answer, own) {
        page.quote_line(line);
    }
    let modes: Vec<String> = row.failure_modes.iter().map(|mode| mode.title().to_lowercase()).collect();
    if !modes.is_empty() {
        page.item(Line::new().strong(modes.join(", ")));
    }
    for problem in failures(row) {
        page.item(problem);
    }
    match (own, details) {
        (Some(own), _) => known(page, own),
        (None, Some(_)) => page.line("The log has no record of this answer."),
        _ => {}
    }
    for claim in &row.unsupported {
        let (text, score, reason) = (&claim.claim, claim.score, &claim.reason);
        page.item(
            Line::from("Judge: no support for ")
                .quoted(text.as_str())
                .text(format!(" ({score:.2}; {reason})")),
        );
    }
    for action in &row.guardrails {
        let name = guardrail_name(action.guardrail);
        page.item(format!("Guardrail {name} {}: {} ({})", action.action, action.subject, action.reason));
    }
    for caveat in &row.caveats {
        page.item(format!("Caveat: {caveat}"));
    }
}

fn stated(row: &Row) -> String {
    let confidence =
        Some(&row.confidence).filter(|level| !level.is_empty() && row.no_evidence == Some(false));
    let parts = [
        confidence.map(|level| format!("confidence {level}")),
        row.probability.map(|p| format!("probability {p:.2}")),
        row.grade.map(|grade| format!("judge's grade {grade} of 4")),
        (row.attempts > 1).then(|| format!("{} tries", row.attempts)),
    ];
    parts.into_iter().flatten().map(|part| format!(" {part}")).collect::<Vec<_>>().join(",")
}

/// The paragraphs of an answer; a mark behind a sentence becomes the number of its citation below.
fn answer(text: &str, own: Option<&RunRecord>) -> Vec<Line> {
    let citations = own.map(|own| own.response.citations.as_slice()).unwrap_or_default();
    let marks: Vec<String> = citations
        .iter()
        .map(|one| format!("({}, {})", one.source_id.as_str(), one.chunk_id.as_str()))
        .collect();
    let mut uses = vec![0; marks.len()];
    let mut out = Vec::new();
    for paragraph in text.split('\n').filter(|line| !line.trim().is_empty()) {
        let (mut line, mut rest) = (Line::new(), paragraph);
        while let Some((at, first)) = marks
            .iter()
            .enumerate()
            .filter_map(|(which, mark)| Some((rest.find(mark.as_str())?, which)))
            .min()
        {
            // Several quotes of one chunk take their numbers in turn.
            let same = (first..marks.len()).filter(|other| marks[*other] == marks[first]);
            let which = same.min_by_key(|other| uses[*other]).unwrap_or(first);
            uses[which] += 1;
            line = line.text(&rest[..at]).text(format!("[{}]", which + 1));
            rest = &rest[at + marks[first].len()..];
        }
        out.push(line.text(rest));
    }
    out
}

/// What only the log has.
fn known(page: &mut Page, own: &RunRecord) {
    let response = &own.response;
    if let Some(raw) = own.response_raw.as_ref().filter(|raw| raw.answer != response.answer) {
        let mut written = Page::new();
        written.quote(&raw.answer);
        page.folded("What the generator wrote, before guardrails", written);
    }
    if let Some(refusal) = &response.refusal {
        page.line(format!("Reason of the refusal: {}.", refusal.detail));
    }
    if !response.evidence_quality.is_empty() {
        page.line(Line::new().dim(format!("Evidence: {}", response.evidence_quality)));
    }
    for (at, citation) in response.citations.iter().enumerate() {
        let mut context = own.context.iter().flatten();
        let cited = context.find(|chunk| chunk.chunk_id == citation.chunk_id);
        let place = cited.map_or_else(|| citation.chunk_id.to_string(), place);
        page.line(format!("[{}] {place}", at + 1));
        page.quote_line(citation.relevant_quote.as_str());
    }
    for claim in &own.claims {
        let verdict = if claim.supported { "supported" } else { "not supported" };
        let removed = if claim.removed { " (removed)" } else { "" };
        let offline = claim.probability.map(|p| format!(" Offline check {p:.2}."));
        let model = claim.verdict.map(|own| format!(" Language model: {}.", own.as_str()));
        let why = [offline.unwrap_or_default(), model.unwrap_or_default()].concat();
        let line = Line::from("Claim ").decision(verdict, Some(claim.supported));
        page.item(
            line.text(format!("{removed} {}", claim.claim))
                .dim(format!("{why} {}", claim.reason.as_deref().unwrap_or_default())),
        );
    }
    let Some(context) = &own.context else {
        page.line(Line::new().dim("The context was not logged."));
        return;
    };
    let mut list = Page::new();
    for chunk in context {
        let how = match (chunk.origin, chunk.rerank_score) {
            (Origin::Reranked, Some(score)) => format!(" relevance {score:.1} of 10"),
            (Origin::Reranked, None) => " kept by the reranker".to_owned(),
            (Origin::Expanded, _) => " neighbour".to_owned(),
        };
        list.item(format!("{}{how}", chunk.chunk_id));
    }
    page.folded(format!("Context: {} chunks", context.len()), list);
}

/// "Title (2021), results, p. 3–4".
fn place(chunk: &ContextRecord) -> String {
    let title = chunk.title.as_deref().unwrap_or(chunk.source_id.as_str());
    let year = chunk.year.map(|year| format!(" ({year})")).unwrap_or_default();
    let pages = match (chunk.page_start, chunk.page_end) {
        (0, _) => String::new(),
        (start, end) if start == end => format!(", p. {start}"),
        (start, end) => format!(", p. {start}–{end}"),
    };
    format!("{title}{year}, {}{pages}", chunk.section.as_str())
}
