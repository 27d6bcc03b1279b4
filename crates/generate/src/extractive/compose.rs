//! Puts the chosen sentences together, or says that there are none.

use super::{candidate::Candidate, question::Question};
use crate::{Evidence, ExtractiveSettings, QUOTE_WORDS, REFUSAL};
use std::collections::BTreeSet;
use types::{Chunk, Citation, Confidence, Context, ContextChunk, RagResponse, Span};

/// Stands above an answer from partial evidence, on its own line: a heading, not a claim.
const HEDGE: &str = "Partial evidence:";

/// The answer of the chosen sentences, which are grouped by source; there is at least one.
pub(super) fn answer(
    chosen: &[&Candidate<'_>],
    question: &Question,
    terms_only: bool,
    settings: &ExtractiveSettings,
    evidence: Evidence,
) -> RagResponse {
    let stems = question.stems();
    let mut text = String::new();
    let mut caveats = Vec::new();
    if evidence == Evidence::Partial {
        text.push_str(HEDGE);
        caveats.push(
            "the corpus only touches on this question; the sentences quoted may not answer it".to_owned(),
        );
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
        citations: chosen.iter().map(|c| citation(c, &stems)).collect(),
        confidence,
        evidence_quality: quality(chosen, terms_only),
        no_evidence: false,
        caveats,
        refusal: None,
    }
}

/// The refusal: what is nearest, and how far away it is.
pub(super) fn refusal(
    candidates: &[Candidate<'_>],
    context: &Context,
    settings: &ExtractiveSettings,
) -> RagResponse {
    let nearest = candidates.first();
    let place = nearest.map(|c| c.place).or(context.chunks.first());
    let answer = match place {
        Some(place) => format!(
            "{REFUSAL} The nearest passage is in {}.",
            name_place(place, nearest)
        ),
        None => format!("{REFUSAL} No passage was found."),
    };
    let quality = match nearest {
        Some(c) => format!(
            "no sentence is relevant enough: the best reached {:.2}, {:.2} is needed",
            c.relevance, settings.min_relevance
        ),
        None if context.chunks.is_empty() => "no passage was found".to_owned(),
        None => "no passage holds a sentence that can be quoted".to_owned(),
    };
    RagResponse::refusal(answer, quality)
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

fn citation(candidate: &Candidate<'_>, stems: &[String]) -> Citation {
    let chunk = &candidate.place.chunk;
    let window = text::quote::best_window(candidate.text, stems, QUOTE_WORDS);
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

/// High: explicit sentences from several chunks. Medium: from one, or several that are not explicit.
fn confidence(chosen: &[&Candidate<'_>], settings: &ExtractiveSettings) -> Confidence {
    let explicit: BTreeSet<_> = chosen
        .iter()
        .filter(|c| c.relevance >= settings.explicit_relevance)
        .map(|c| &c.place.chunk.chunk_id)
        .collect();
    match (explicit.len(), chosen.len()) {
        (2.., _) => Confidence::High,
        (1, _) | (_, 2..) => Confidence::Medium,
        _ => Confidence::Low,
    }
}

fn quality(chosen: &[&Candidate<'_>], terms_only: bool) -> String {
    let sources: BTreeSet<_> = chosen.iter().map(|c| c.source()).collect();
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let best = |value: fn(&Candidate<'_>) -> f32| chosen.iter().map(|c| value(c)).fold(0.0, f32::max);
    let strength = if terms_only {
        format!(
            "chosen by terms alone; best term coverage {:.2}",
            best(|c| c.coverage)
        )
    } else {
        format!("best similarity {:.2}", best(|c| c.similarity.unwrap_or(0.0)))
    };
    format!(
        "{} from {}; {strength}",
        count(chosen.len(), "verbatim sentence"),
        count(sources.len(), "source")
    )
}

fn name_place(place: &ContextChunk, nearest: Option<&Candidate<'_>>) -> String {
    let chunk: &Chunk = &place.chunk;
    let page = nearest.map_or(chunk.page_start, |c| c.sentence.page);
    let strength = match nearest {
        Some(Candidate {
            similarity: Some(s), ..
        }) => format!(" (similarity {s:.2})"),
        Some(c) => format!(" (term coverage {:.2})", c.coverage),
        None => String::new(),
    };
    format!("{}, {}, page {page}{strength}", chunk.source_id, chunk.section)
}
