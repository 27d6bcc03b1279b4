//! Puts the chosen sentences together, or says that there are none.

use super::{select::Picked, table};
use crate::{ExtractiveSettings, QUOTE_WORDS, REFUSAL};
use evidence::Asked;
use std::collections::BTreeSet;
use text::quote::{WindowTerms, best_window};
use types::{Citation, Confidence, Context, Evidence, RagResponse, RefusalReason, Span};

/// Stands above an answer from partial evidence, on its own line: a heading, not a claim.
const HEDGE: &str = "Partial evidence:";

/// The answer of the chosen sentences; there is at least one. `probability` is that of the whole.
pub(super) fn answer(
    chosen: &[Picked<'_>],
    asked: &Asked,
    wanted: &WindowTerms,
    probability: f32,
    settings: &ExtractiveSettings,
    evidence: Evidence,
) -> RagResponse {
    let mut text = String::new();
    // The guardrails add the caveat that says what is missing.
    if evidence == Evidence::Partial {
        text.push_str(HEDGE);
    }
    let mut last_source = None;
    for picked in chosen {
        if !text.is_empty() {
            // A blank line between papers, so that each reads on its own.
            text.push_str(if last_source == Some(picked.source()) {
                " "
            } else {
                "\n\n"
            });
        }
        last_source = Some(picked.source());
        push_sentence(&mut text, picked, asked);
    }
    RagResponse {
        answer: text,
        citations: chosen.iter().map(|picked| citation(picked, wanted)).collect(),
        confidence: match evidence {
            Evidence::Partial => Confidence::Low,
            Evidence::Sufficient if probability >= settings.high_confidence => Confidence::High,
            Evidence::Sufficient => Confidence::Medium,
        },
        probability: Some(probability),
        evidence_quality: quality(chosen, probability),
        no_evidence: false,
        caveats: Vec::new(),
        refusal: None,
    }
}

/// The refusal of a context without a sentence that can be quoted.
pub(crate) fn refusal(context: &Context) -> RagResponse {
    if context.chunks.is_empty() {
        let detail = "no passage was found";
        return RagResponse::refusal(REFUSAL, detail).because(RefusalReason::NoCandidates, detail);
    }
    let detail = "the passages found contain no sentence that can be quoted";
    let answer = format!("No answer found in your papers: {detail}.");
    RagResponse::refusal(answer, detail).because(RefusalReason::NotInPassages, detail)
}

/// The sentence, or what the row of a table says, with its mark. White space becomes single spaces, and control
/// characters go: a line break of the page is no part of what is said.
fn push_sentence(out: &mut String, picked: &Picked<'_>, asked: &Asked) {
    let start = out.len();
    let chunk = &picked.place.chunk;
    let row = chunk
        .table_row(picked.index)
        .map(|row| table::sentence(&row, asked));
    // Caption and header may hold what reads as a mark of ours.
    let said = row.filter(|row| !row.contains("__"));
    let said = said.unwrap_or_else(|| picked.text().to_owned());
    for word in said
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
    {
        if out.len() > start {
            out.push(' ');
        }
        out.push_str(word);
    }
    let ended = out[start..]
        .trim_end_matches(['"', '\'', ')', ']', '”', '’'])
        .ends_with(['.', '!', '?', '…']);
    out.extend([" (", chunk.source_id.as_str(), ", ", chunk.chunk_id.as_str(), ")"]);
    if !ended {
        out.push('.');
    }
}

fn citation(picked: &Picked<'_>, wanted: &WindowTerms) -> Citation {
    let chunk = &picked.place.chunk;
    let window = best_window(picked.text(), wanted, QUOTE_WORDS);
    let start = picked.sentence.span.start + window.start;
    let span = Span::new(start, start + window.len());
    let (page_start, page_end) = chunk.pages_of(span);
    let (cut_start, cut_end) = chunk.cuts(span);
    Citation {
        source_id: chunk.source_id.clone(),
        chunk_id: chunk.chunk_id.clone(),
        relevant_quote: span.slice(&chunk.text).unwrap_or(picked.text()).to_owned(),
        section: Some(chunk.section),
        page_start: Some(page_start),
        page_end: Some(page_end),
        cut_start,
        cut_end,
    }
}

fn quality(chosen: &[Picked<'_>], probability: f32) -> String {
    let sources: BTreeSet<_> = chosen.iter().map(Picked::source).collect();
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let they = if chosen.len() == 1 {
        "it answers"
    } else {
        "they answer"
    };
    format!(
        "{} quoted from {}; {they} the question with an estimated probability of {probability:.2}",
        count(chosen.len(), "sentence"),
        count(sources.len(), "paper")
    )
}
