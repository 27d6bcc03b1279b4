//! Every quote stands in the chunk that is cited, or the citation goes.

mod locate;
mod marks;
mod quote;

use crate::{GuardrailSettings, Verification, action_log::ActionLog, action_log::short};
use evidence::support::Claim;
use locate::{How, LocatedCitation};
use std::collections::{BTreeMap, BTreeSet};
use text::quote::WindowTerms;
use types::{Citation, Context, GuardrailKind, RagResponse, Span};

/// What became of a citation.
pub(crate) struct CitationOutcome {
    /// The chunk id as the generator wrote it.
    written: String,
    /// The citation after verification; `None` when it was dropped.
    citation: Option<Citation>,
    /// The quote as the generator gave it.
    quote: String,
}

impl CitationOutcome {
    /// The chunk that is cited after verification.
    fn chunk(&self) -> Option<&str> {
        self.citation.as_ref().map(|c| c.chunk_id.as_str())
    }
}

/// Verifies the citations of a response, repairs, cuts and drops, and makes the inline marks agree with them.
pub(crate) fn verify(
    query: &str,
    response: &mut RagResponse,
    context: &Context,
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) {
    let citations = std::mem::take(&mut response.citations);
    let claims = evidence::support::claims(&response.answer);
    let outcomes: Vec<CitationOutcome> = citations
        .into_iter()
        .map(|c| {
            let wanted = wanted(query, &response.answer, &claims, &c);
            outcome_of(c, context, &wanted, settings, log)
        })
        .collect();
    marks::update(response, &outcomes, context, settings, log);
    let mut seen = BTreeSet::new();
    for citation in outcomes.into_iter().filter_map(|outcome| outcome.citation) {
        if seen.insert((citation.chunk_id.clone(), citation.relevant_quote.clone())) {
            response.citations.push(citation);
        } else {
            let id = citation.chunk_id.to_string();
            let caveat = format!("A repeated citation of {id} was removed.");
            log.note(GuardrailKind::Citation, "dropped", id, "it repeats another citation", caveat);
        }
    }
}

/// What a quote that is too long should still show: the question's terms, and those of the sentences that cite it,
/// their numbers above all.
fn wanted(query: &str, answer: &str, claims: &[Claim], citation: &Citation) -> WindowTerms {
    let written = citation.chunk_id.as_str().trim();
    let of_it = |c: &&Claim| c.cited.iter().any(|id| id.as_str().trim() == written);
    let mut said: Vec<String> = claims.iter().filter(of_it).map(|c| c.text.clone()).collect();
    if said.is_empty() {
        said.push(evidence::support::strip_marks(answer));
    }
    let mut weights: BTreeMap<String, f32> = BTreeMap::new();
    for term in text::terms(query) {
        weights.insert(term.stem, 1.0);
    }
    for term in said.iter().flat_map(|s| text::terms(s)) {
        let number = term.stem.starts_with(|c: char| c.is_ascii_digit());
        weights.insert(term.stem, if number { 2.0 } else { 1.0 });
    }
    WindowTerms { stems: weights.into_iter().collect(), numbers: false }
}

/// Verifies one citation.
fn outcome_of(
    citation: Citation,
    context: &Context,
    wanted: &WindowTerms,
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) -> CitationOutcome {
    let written = citation.chunk_id.as_str().to_owned();
    let quote = citation.relevant_quote.clone();
    let located = match settings.verification {
        Verification::Quote => locate::by_quote(&citation, context),
        Verification::IdOnly => locate::by_id(&citation, context, settings.suffix_match),
    };
    let citation = match located {
        Ok(located) => Some(resolve(citation, &located, wanted, settings, log)),
        Err(reason) => {
            let caveat = format!("A citation of {} was removed: {reason}.", short(&written));
            log.note(GuardrailKind::Citation, "dropped", written.clone(), reason, caveat);
            None
        }
    };
    CitationOutcome { written, citation, quote }
}

/// The citation as it stands in the chunk that was found: ids, quote, section, pages.
fn resolve(
    mut citation: Citation,
    found: &LocatedCitation<'_>,
    wanted: &WindowTerms,
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) -> Citation {
    let chunk = &found.chunk.chunk;
    if citation.chunk_id != chunk.chunk_id || citation.source_id != chunk.source_id {
        let was = format!("({}, {})", citation.source_id, citation.chunk_id);
        let reason = match found.how {
            How::Exact => "the source, or the spelling of the id, was wrong",
            How::Suffix => "the id was incomplete",
            How::Elsewhere => "the quote is in another passage",
        };
        let caveat = format!("A citation of {} was corrected to {}: {reason}.", short(&was), chunk.chunk_id);
        log.note(GuardrailKind::Citation, "repaired", was, format!("{reason}: {}", chunk.chunk_id), caveat);
        citation.chunk_id = chunk.chunk_id.clone();
        citation.source_id = chunk.source_id.clone();
    }
    citation.section = Some(chunk.section);
    (citation.page_start, citation.page_end) = (Some(chunk.page_start), Some(chunk.page_end));
    if settings.verification == Verification::IdOnly {
        return citation;
    }
    let quote =
        quote::resolve(&chunk.text, &citation.relevant_quote, &found.parts, wanted, settings.max_quote_words);
    if quote.was_words > settings.max_quote_words {
        let (id, most, was) = (chunk.chunk_id.to_string(), settings.max_quote_words, quote.was_words);
        let caveat = format!("A quote of {was} words from {id} was shortened to at most {most}.");
        log.note(
            GuardrailKind::Citation,
            "cut",
            id,
            format!("a quote of {was} words, {most} are allowed"),
            caveat,
        );
    }
    if let (Some(first), Some(last)) = (quote.parts.first(), quote.parts.last()) {
        citation.page_start = Some(chunk.pages_of(Span::from(first.clone())).0);
        citation.page_end = Some(chunk.pages_of(Span::from(last.clone())).1);
        citation.cut_start = chunk.cuts(Span::from(first.clone())).0;
        citation.cut_end = chunk.cuts(Span::from(last.clone())).1;
    }
    citation.relevant_quote = quote.text;
    citation
}
