//! One answer: its text, its quotes in their chunks, its claims, its context, and what guardrails did.

use super::super::{AnswerDetails, Details, Evaluation, failures, tables::guardrail_name};
use super::outcome::outcome;
use super::passages::anchor;
use super::quotes::{around, highlighted, places};
use crate::{FailureMode, Row};
use maud::{Markup, html};
use types::{CheckedClaim, Citation, Origin};

/// Bytes of text on each side of a quote.
const MARGIN: usize = 260;

/// The answer of a row.
pub(super) fn body(evaluation: &Evaluation, row: &Row) -> Markup {
    let details = evaluation.details.as_ref();
    let own = details.and_then(|details| details.of_row(row));
    let problems = failures(row);
    let (word, class) = outcome(row);
    html! {
        section class="answer" {
            h4 {
                (row.mode) ": " span class={ "outcome " (class) } { (word) }
                span class="n" { (stated(row)) }
            }
            @if !row.failure_modes.is_empty() {
                p class="modes" { @for mode in &row.failure_modes { span { (FailureMode::title(*mode)) } " " } }
            }
            @let text = if row.answer.is_empty() { &row.preview } else { &row.answer };
            @if !text.trim().is_empty() { blockquote { (answer(text, own, details)) } }
            @if !problems.is_empty() { ul class="problems" { @for problem in &problems { li { (problem) } } } }
            @if let (Some(own), Some(details)) = (own, details) { (known(row, own, details)) }
            @else if details.is_some() { p class="note" { "The log has no record of this answer." } }
            (unsupported(row))
            @if !row.guardrails.is_empty() {
                h5 { "Guardrails" }
                ul {
                    @for action in &row.guardrails {
                        li { b { (guardrail_name(action.guardrail)) " " (action.action) } ": " (action.subject) " (" (action.reason) ")" }
                    }
                }
            }
            @if !row.caveats.is_empty() { h5 { "Caveats" } ul { @for caveat in &row.caveats { li { (caveat) } } } }
        }
    }
}

fn stated(row: &Row) -> String {
    let mut out = Vec::new();
    if !row.confidence.is_empty() && row.no_evidence == Some(false) {
        out.push(format!("confidence {}", row.confidence));
    }
    if let Some(probability) = row.probability {
        out.push(format!("probability {probability:.2}"));
    }
    if let Some(grade) = row.grade {
        out.push(format!("judge's grade {grade} of 4"));
    }
    if row.attempts > 1 {
        out.push(format!("{} tries", row.attempts));
    }
    if out.is_empty() {
        String::new()
    } else {
        format!(" {}", out.join(", "))
    }
}

/// The number of a citation, and the place of its chunk.
type Numbered = (usize, Option<usize>);

/// A mark of the text, with the numbers of its citations and the place of the chunk.
struct Marks {
    mark: String,
    numbers: Vec<usize>,
    place: Option<usize>,
}

/// The text of the answer; a mark behind a sentence becomes the number of its citation below. Where several quotes are from
/// one chunk, the marks take their numbers in turn.
fn answer(text: &str, own: Option<&AnswerDetails>, details: Option<&Details>) -> Markup {
    let citations = own.map(|own| own.citations.as_slice()).unwrap_or_default();
    let mut marks: Vec<Marks> = Vec::new();
    for (at, citation) in citations.iter().enumerate() {
        let mark = format!(
            "({}, {})",
            citation.source_id.as_str(),
            citation.chunk_id.as_str()
        );
        match marks.iter_mut().find(|known| known.mark == mark) {
            Some(known) => known.numbers.push(at + 1),
            None => marks.push(Marks {
                mark,
                numbers: vec![at + 1],
                place: details.and_then(|details| details.place_of(&citation.chunk_id)),
            }),
        }
    }
    let paragraphs = text.split('\n').filter(|line| !line.trim().is_empty());
    let mut uses = vec![0; marks.len()];
    html! { @for paragraph in paragraphs { p { (numbered(paragraph, &marks, &mut uses)) } } }
}

fn numbered(text: &str, marks: &[Marks], uses: &mut [usize]) -> Markup {
    let mut rest = text;
    let mut parts: Vec<(&str, Option<Numbered>)> = Vec::new();
    loop {
        let next = marks.iter().enumerate();
        let next = next.filter_map(|(which, known)| Some((rest.find(known.mark.as_str())?, which)));
        let Some((at, which)) = next.min() else { break };
        let known = &marks[which];
        let number = known.numbers[uses[which].min(known.numbers.len() - 1)];
        uses[which] += 1;
        parts.push((&rest[..at], Some((number, known.place))));
        rest = &rest[at + known.mark.len()..];
    }
    parts.push((rest, None));
    html! {
        @for (words, mark) in &parts {
            (words)
            @match mark {
                Some((number, Some(place))) => a href={ "#" (anchor(*place)) } { "[" (number) "]" },
                Some((number, None)) => { "[" (number) "]" },
                None => {},
            }
        }
    }
}

/// What only the log has.
fn known(row: &Row, own: &AnswerDetails, details: &Details) -> Markup {
    html! {
        @if let Some(raw) = &own.before_guardrails {
            details class="data" { summary { "What the generator wrote, before guardrails" } blockquote { p { (raw) } } }
        }
        @if let Some(refusal) = &own.refusal { p { "Reason of the refusal: " (refusal.detail) "." } }
        @if !own.evidence_quality.is_empty() { p class="note" { "Evidence: " (own.evidence_quality) } }
        @if !own.citations.is_empty() {
            h5 { "Quotes in their chunks" }
            p class="note" { mark class="quote" { "quote of the answer" } " " mark class="gold" { "gold quote" } }
            ol { @for citation in &own.citations { (cited(row, citation, details)) } }
        }
        @if !own.claims.is_empty() { (claims(&own.claims)) }
        @if !own.further_searches.is_empty() {
            h5 { "Further searches" }
            ul { @for search in &own.further_searches { li { (search.query) ": " (search.found) " found, " (search.new) " new, " (search.kept.len()) " kept" } } }
        }
        @match &own.context {
            Some(context) => {
                details class="data" {
                    summary { "Context: " (context.len()) " chunks" }
                    ol {
                        @for chunk in context {
                            @let passage = &details.passages[chunk.passage];
                            li {
                                a href={ "#" (anchor(chunk.passage)) } { code { (passage.chunk_id.as_str()) } }
                                @match (chunk.origin, chunk.rerank_score) {
                                    (Origin::Reranked, Some(score)) => { " relevance " (format!("{score:.1}")) " of 10" }
                                    (Origin::Reranked, None) => " kept by the reranker",
                                    (Origin::Expanded, _) => " neighbour",
                                }
                                @let gold = passage.text.as_deref().map(|text| places(text, own_gold(row, passage.source_id.as_str())).len());
                                @if gold.is_some_and(|n| n > 0) { " " mark class="gold" { "has gold evidence" } }
                            }
                        }
                    }
                }
            }
            None => p class="note" { "The context was not logged." },
        }
    }
}

fn own_gold<'a>(row: &'a Row, source: &'a str) -> impl Iterator<Item = &'a str> {
    let own = row
        .gold
        .iter()
        .filter(move |path| path.source_id.as_str() == source);
    own.map(|path| path.quote.as_str())
}

fn cited(row: &Row, citation: &Citation, details: &Details) -> Markup {
    let place = details.place_of(&citation.chunk_id);
    let passage = place.map(|at| (at, &details.passages[at]));
    html! {
        li {
            @if let Some((at, passage)) = passage {
                p class="note" { a href={ "#" (anchor(at)) } { (passage.place) } }
                @if let Some(text) = &passage.text {
                    @let quoted = places(text, std::iter::once(citation.relevant_quote.as_str()));
                    @if quoted.is_empty() {
                        p class="text" { mark class="quote" { (citation.relevant_quote) } }
                        p class="note" { "This quote was not found in the chunk that it names." }
                    } @else {
                        @let gold = places(text, own_gold(row, passage.source_id.as_str()));
                        p class="text" { (highlighted(text, &quoted, &gold, around(text, &quoted, MARGIN))) }
                    }
                } @else { p class="text" { mark class="quote" { (citation.relevant_quote) } } }
            } @else {
                p class="text" { mark class="quote" { (citation.relevant_quote) } }
                p class="note" { "The context does not have the cited chunk " code { (citation.chunk_id.as_str()) } "." }
            }
        }
    }
}

fn claims(claims: &[CheckedClaim]) -> Markup {
    html! {
        h5 { "Claims and verdicts" }
        ul class="claims" {
            @for claim in claims {
                li {
                    @if claim.supported { b class="right" { "✓ supported" } } @else { b class="wrong" { "✗ not supported" } }
                    @if claim.removed { b { " removed" } }
                    " " (claim.claim)
                    span class="n" {
                        @if let Some(probability) = claim.probability { " offline check " (format!("{probability:.2}")) "." }
                        @if let Some(verdict) = claim.verdict { " Language model: " (verdict.as_str()) "." }
                        @if let Some(reason) = &claim.reason { " " (reason) }
                    }
                }
            }
        }
    }
}

/// What the judge of the evaluation found.
fn unsupported(row: &Row) -> Markup {
    html! {
        @if !row.unsupported.is_empty() {
            h5 { "Claims without support, according to the judge" }
            ul {
                @for claim in &row.unsupported {
                    li {
                        (claim.claim)
                        span class="n" { " support " (format!("{:.2}", claim.score)) ". " (claim.reason) }
                    }
                }
            }
        }
    }
}
