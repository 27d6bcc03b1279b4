//! Puts the chosen sentences together, or says that there are none.

use super::{select::Picked, table};
use crate::{QUOTE_WORDS, REFUSAL};
use evidence::AskedTerms;
use std::collections::BTreeSet;
use text::quote::{WindowTerms, best_window};
use types::{
    Chunk, Citation, ComparedPaper, Confidence, Context, Evidence, RagResponse, RefusalReason, SentenceSpan,
    Span,
};

/// Stands above the passage that is shown where no sentence is sure to answer, on its own line: a heading, not a claim.
pub(crate) const PASSAGE: &str = "This passage may answer the question:";
/// The same above two.
pub(crate) const PASSAGES: &str = "These passages may answer the question:";

/// A sentence of an answer.
pub(crate) struct Part<'a> {
    /// Of the first of a block: what stands above it, on a line of its own; may be empty.
    pub(crate) head: Option<String>,
    /// The sentence.
    pub(crate) picked: Picked<'a>,
}

/// The answer of the chosen sentences; there is at least one. `probability` is that of the whole; from `high_confidence`
/// on, the confidence is high.
pub(crate) fn answer(
    parts: &[Part<'_>],
    asked: &AskedTerms,
    probability: f32,
    high_confidence: f32,
    evidence: Evidence,
) -> RagResponse {
    let mut text = String::new();
    let mut last: Option<&Picked<'_>> = None;
    for Part { head, picked } in parts {
        // A blank line between papers and between passages, so that each reads on its own.
        text.push_str(match last.replace(picked) {
            None => "",
            Some(before) if head.is_none() && before.source() == picked.source() => " ",
            Some(_) => "\n\n",
        });
        if let Some(head) = head.as_ref().filter(|head| !head.is_empty()) {
            text.extend([head, "\n\n"]);
        }
        push_sentence(&mut text, picked, asked);
    }
    let wanted = wanted(asked);
    let mut cited: Vec<&Picked<'_>> = parts.iter().map(|part| &part.picked).collect();
    // What only stands beside a likely sentence comes last.
    cited.sort_by_key(|picked| picked.probability == 0.0);
    RagResponse {
        answer: text,
        citations: cited
            .into_iter()
            .map(|picked| citation(&picked.place.chunk, &picked.sentence, &wanted))
            .collect(),
        confidence: match evidence {
            Evidence::Partial => Confidence::Low,
            _ if is_unclear(parts) => Confidence::Low,
            Evidence::Sufficient if probability >= high_confidence => Confidence::High,
            Evidence::Sufficient => Confidence::Medium,
        },
        probability: Some(probability),
        evidence_quality: quality(parts),
        no_evidence: false,
        caveats: Vec::new(),
        refusal: None,
    }
}

/// Whether the likeliest sentence is the row of a table of which it is not clear what its values are of.
fn is_unclear(parts: &[Part<'_>]) -> bool {
    let picked = parts.iter().map(|part| &part.picked);
    let best = picked.max_by(|a, b| a.probability.total_cmp(&b.probability));
    let row = best.and_then(|best| best.place.chunk.table_row(best.index));
    row.is_some_and(|row| !row.is_clear())
}

/// What a quote should show if its sentence is too long.
fn wanted(asked: &AskedTerms) -> WindowTerms {
    WindowTerms {
        stems: asked
            .terms
            .iter()
            .flat_map(|term| term.stems.iter().map(|stem| (stem.clone(), term.weight)))
            .collect(),
        numbers: asked.number,
    }
}

/// Short names of papers, each another one: a few words at most.
pub(crate) fn names(papers: &[ComparedPaper], context: &Context) -> Vec<String> {
    const WORDS: usize = 6;
    let name = |paper: &ComparedPaper| {
        let id = &paper.source_id;
        let own = context.chunks.iter().find(|place| place.chunk.source_id == *id);
        let name = text::one_line(&own.map_or_else(|| id.to_string(), |place| place.source.short_name()));
        let mut words: Vec<&str> = name.split(' ').collect();
        // What reads as a mark of ours is none.
        if name.contains("__") {
            return id.to_string();
        }
        if words.len() > WORDS {
            words.truncate(WORDS);
            return words.join(" ") + " …";
        }
        name
    };
    let all: Vec<String> = papers.iter().map(name).collect();
    let is_shared = |name: &String| all.iter().filter(|other| *other == name).count() > 1;
    let each = papers.iter().zip(&all);
    each.map(
        |(paper, name)| {
            if is_shared(name) { format!("{name}, {}", paper.source_id) } else { name.clone() }
        },
    )
    .collect()
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

/// The sentence, or what the row of a table says. White space becomes single spaces, and control characters go: a line
/// break of the page is no part of what is said.
pub(crate) fn said(picked: &Picked<'_>, asked: &AskedTerms) -> String {
    let row = picked.place.chunk.table_row(picked.index).map(|row| table::sentence(&row, asked));
    // Caption and header may hold what reads as a mark of ours.
    let said = row.filter(|row| !row.contains("__"));
    let said = said.as_deref().unwrap_or(picked.text());
    text::one_line(said)
}

/// The sentence with its mark.
fn push_sentence(out: &mut String, picked: &Picked<'_>, asked: &AskedTerms) {
    let chunk = &picked.place.chunk;
    let said = said(picked, asked);
    let ended = said.trim_end_matches(['"', '\'', ')', ']', '”', '’']).ends_with(['.', '!', '?', '…']);
    out.extend([&said, " (", chunk.source_id.as_str(), ", ", chunk.chunk_id.as_str(), ")"]);
    if !ended {
        out.push('.');
    }
}

/// The citation of a sentence of a chunk, with a quote of at most [`QUOTE_WORDS`] words.
pub fn citation(chunk: &Chunk, sentence: &SentenceSpan, wanted: &WindowTerms) -> Citation {
    let text = chunk.sentence(sentence);
    let window = best_window(text, wanted, QUOTE_WORDS);
    let start = sentence.span.start + window.start;
    let span = Span::new(start, start + window.len());
    let (page_start, page_end) = chunk.pages_of(span);
    let (cut_start, cut_end) = chunk.cuts(span);
    Citation {
        source_id: chunk.source_id.clone(),
        chunk_id: chunk.chunk_id.clone(),
        relevant_quote: span.slice(&chunk.text).unwrap_or(text).to_owned(),
        section: Some(chunk.section),
        page_start: Some(page_start),
        page_end: Some(page_end),
        cut_start,
        cut_end,
    }
}

fn quality(parts: &[Part<'_>]) -> String {
    let sources: BTreeSet<_> = parts.iter().map(|part| part.picked.source()).collect();
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    format!("{} quoted from {}", count(parts.len(), "sentence"), count(sources.len(), "paper"))
}
