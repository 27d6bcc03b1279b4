//! Puts the chosen sentences together, or says that there are none.

use super::{asked::Asked, candidate::Candidate};
use crate::{ExtractiveSettings, QUOTE_WORDS, REFUSAL};
use std::collections::BTreeSet;
use text::quote::{WindowTerms, best_window};
use types::{Chunk, Citation, Confidence, Context, Evidence, RagResponse, RefusalReason, Span};

/// Stands above an answer from partial evidence, on its own line: a heading, not a claim.
const HEDGE: &str = "Partial evidence:";

/// The answer of the chosen sentences, which are grouped by source; there is at least one.
pub(super) fn answer(
    chosen: &[&Candidate<'_>],
    asked: &Asked,
    terms_only: bool,
    settings: &ExtractiveSettings,
    evidence: Evidence,
) -> RagResponse {
    let wanted = asked.wanted();
    let mut text = String::new();
    // The guardrails add the caveat that says what is missing.
    if evidence == Evidence::Partial {
        text.push_str(HEDGE);
    }
    let mut last_source = None;
    for candidate in chosen {
        if !text.is_empty() {
            // A blank line between sources, so that each reads on its own.
            text.push_str(if last_source == Some(candidate.source()) {
                " "
            } else {
                "\n\n"
            });
        }
        last_source = Some(candidate.source());
        push_sentence(&mut text, candidate);
    }
    let confidence = match evidence {
        Evidence::Partial => Confidence::Low,
        Evidence::Sufficient => confidence(chosen, settings),
    };
    RagResponse {
        answer: text,
        citations: chosen.iter().map(|c| citation(c, &wanted)).collect(),
        confidence,
        evidence_quality: quality(chosen, terms_only),
        no_evidence: false,
        caveats: Vec::new(),
        refusal: None,
    }
}

/// The refusal: how close the passages came.
pub(super) fn refusal(
    candidates: &[Candidate<'_>],
    context: &Context,
    settings: &ExtractiveSettings,
) -> RagResponse {
    if context.chunks.is_empty() {
        let detail = "no passage was found";
        return RagResponse::refusal(REFUSAL, detail).because(RefusalReason::NoCandidates, detail);
    }
    let detail = match candidates.first() {
        Some(closest) => format!(
            "the closest sentence ({}) has a relevance of {:.2}, and {:.2} is needed",
            name_place(closest),
            closest.relevance,
            settings.min_relevance
        ),
        None => "the passages found hold no sentence that can be quoted".to_owned(),
    };
    let answer =
        "Your papers do not answer this: no sentence in the passages found is close enough to the question.";
    RagResponse::refusal(answer, detail.clone()).because(RefusalReason::NotInPassages, detail)
}

/// The sentence with its mark. White space becomes single spaces, and control characters go: a line break of
/// the page is no part of what is said.
fn push_sentence(out: &mut String, candidate: &Candidate<'_>) {
    let start = out.len();
    for word in candidate
        .text
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
    let chunk = &candidate.place.chunk;
    out.extend([" (", chunk.source_id.as_str(), ", ", chunk.chunk_id.as_str(), ")"]);
    if !ended {
        out.push('.');
    }
}

fn citation(candidate: &Candidate<'_>, wanted: &WindowTerms) -> Citation {
    let chunk = &candidate.place.chunk;
    let window = best_window(candidate.text, wanted, QUOTE_WORDS);
    let start = candidate.sentence.span.start + window.start;
    let span = Span::new(start, start + window.len());
    let (page_start, page_end) = chunk.pages_of(span);
    let (cut_start, cut_end) = chunk.cuts(span);
    Citation {
        source_id: chunk.source_id.clone(),
        chunk_id: chunk.chunk_id.clone(),
        relevant_quote: span.slice(&chunk.text).unwrap_or(candidate.text).to_owned(),
        section: Some(chunk.section),
        page_start: Some(page_start),
        page_end: Some(page_end),
        cut_start,
        cut_end,
    }
}

/// Medium when a sentence matches the question closely, else low. Never high: likeness shows that a sentence is on
/// the subject of the question, not that it answers it.
fn confidence(chosen: &[&Candidate<'_>], settings: &ExtractiveSettings) -> Confidence {
    let explicit = |c: &&Candidate<'_>| c.relevance >= settings.explicit_relevance;
    if chosen.iter().any(explicit) {
        Confidence::Medium
    } else {
        Confidence::Low
    }
}

fn quality(chosen: &[&Candidate<'_>], terms_only: bool) -> String {
    let sources: BTreeSet<_> = chosen.iter().map(|c| c.source()).collect();
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let best = |value: fn(&Candidate<'_>) -> f32| chosen.iter().map(|c| value(c)).fold(0.0, f32::max);
    let chosen_by = if terms_only {
        format!("by the question's words (best share {:.2})", best(|c| c.coverage))
    } else {
        format!(
            "by similarity to the question (best {:.2})",
            best(|c| c.similarity.unwrap_or(0.0))
        )
    };
    format!(
        "{} quoted from {}, chosen {chosen_by}; whether this answers the question was not checked",
        count(chosen.len(), "sentence"),
        count(sources.len(), "paper")
    )
}

fn name_place(closest: &Candidate<'_>) -> String {
    let chunk: &Chunk = &closest.place.chunk;
    let strength = match closest.similarity {
        Some(s) => format!("similarity {s:.2}"),
        None => format!("share of the question's words {:.2}", closest.coverage),
    };
    format!(
        "{}, {}, page {}, {strength}",
        chunk.source_id, chunk.section, closest.sentence.page
    )
}
