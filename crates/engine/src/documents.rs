//! Builds the documents of `contract` from the results of the stages.

use crate::{
    Found, RerankPlace, Reranking,
    show::{Reference, References, notes},
};
use retrieve::SearchSettings;
use serde::Serialize;
use serde_json::Value;
use types::{
    Block, Document, Explain, Explanation, Filter, FilterKind, Hit, ListScore, RunRecord, Section, Understood,
};

/// An answer, including the passages that the generator read if `with_context`.
pub fn ask(references: &References, record: &RunRecord, with_context: bool) -> contract::Ask {
    let response = &record.response;
    contract::Ask {
        query: record.query.clone(),
        mode: record.mode.map(|mode| mode.to_string()),
        answer: response.answer.clone(),
        citations: response
            .citations
            .iter()
            .map(|citation| cited(citation, &references.get(&citation.source_id)))
            .collect(),
        confidence: response.confidence.clone(),
        probability: response.probability,
        evidence_quality: response.evidence_quality.clone(),
        no_evidence: response.no_evidence,
        caveats: response.caveats.clone(),
        refusal: response.refusal.as_ref().map(|refusal| contract::Refusal {
            reason: name(&refusal.reason),
            detail: refusal.detail.clone(),
        }),
        filters: filters(&record.filters, &record.understood),
        searched_also_for: spellings(&record.understood),
        abbreviations: abbreviations(&record.understood),
        notes: notes(&record.filters, &record.understood),
        retrieval: retrieval(&record.retrieval),
        further_searches: record.further_searches.iter().map(further).collect(),
        guardrails: record.guardrails.iter().map(action).collect(),
        claims: record.claims.iter().map(claim).collect(),
        claims_probability: record.claims_probability,
        timings_ms: record.timings_ms.clone(),
        usage: record.usage.map(|usage| contract::Usage {
            requests: usage.requests,
            failed_requests: usage.failed_requests,
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
        }),
        fallbacks: record.fallbacks.clone(),
        model: record.model.clone(),
        config_hash: record.config_hash.clone(),
        context: with_context.then(|| record.context.iter().flatten().map(passage).collect()),
    }
}

fn claim(claim: &types::CheckedClaim) -> contract::CheckedClaim {
    contract::CheckedClaim {
        claim: claim.claim.clone(),
        cited: claim.cited.iter().map(ToString::to_string).collect(),
        supported: claim.supported,
        probability: claim.probability,
        verdict: claim.verdict.map(|verdict| verdict.as_str().to_owned()),
        reason: (!claim.reason.is_empty()).then(|| claim.reason.clone()),
        removed: claim.removed,
    }
}

fn cited(citation: &types::Citation, source: &Reference) -> contract::Citation {
    contract::Citation {
        source_id: citation.source_id.to_string(),
        chunk_id: citation.chunk_id.to_string(),
        relevant_quote: citation.relevant_quote.clone(),
        section: citation.section.map(|section| section.to_string()),
        page_start: citation.page_start,
        page_end: citation.page_end,
        cut_start: citation.cut_start,
        cut_end: citation.cut_end,
        source: named(source, citation.page_start),
    }
}

fn further(search: &types::FurtherSearch) -> contract::FurtherSearch {
    contract::FurtherSearch {
        query: search.query.clone(),
        found: search.found,
        new: search.new,
        kept: search.kept.iter().map(ToString::to_string).collect(),
    }
}

fn retrieval(record: &types::RetrievalRecord) -> contract::Retrieval {
    let returned = |chunk: &types::ReturnedChunk| contract::ReturnedChunk {
        chunk_id: chunk.chunk_id.to_string(),
        source_id: chunk.source_id.to_string(),
        section: chunk.section.clone(),
        vector_score: chunk.vector_score.into(),
        bm25_score: chunk.bm25_score.into(),
        combined_score: chunk.combined_score.into(),
        text_preview: chunk.text_preview.clone(),
    };
    contract::Retrieval {
        method: record.method.clone(),
        total_candidates: record.total_candidates,
        above_threshold: record.above_threshold,
        has_sufficient_evidence: record.has_sufficient_evidence,
        returned_chunks: record.returned_chunks.iter().map(returned).collect(),
        candidates: record.candidates.iter().map(ToString::to_string).collect(),
    }
}

fn action(action: &types::GuardrailAction) -> contract::GuardrailAction {
    contract::GuardrailAction {
        guardrail: name(&action.guardrail),
        action: action.action.clone(),
        subject: action.subject.clone(),
        reason: action.reason.clone(),
        sentence: action.sentence,
    }
}

fn passage(chunk: &types::ContextRecord) -> contract::ContextPassage {
    contract::ContextPassage {
        chunk_id: chunk.chunk_id.to_string(),
        source_id: chunk.source_id.to_string(),
        section: chunk.section.to_string(),
        page_start: chunk.page_start,
        page_end: chunk.page_end,
        origin: name(&chunk.origin),
        text: chunk.text.clone(),
    }
}

/// What a search found, with explanations if they were asked for.
pub fn search(found: &Found, references: &References, settings: &SearchSettings) -> contract::Search {
    let Found {
        question, retrieved, ..
    } = found;
    let retrieval = &retrieved.retrieval;
    let hits = retrieval.hits.iter().enumerate().map(|(at, hit)| {
        let source = references.get(&hit.chunk().source_id);
        let place = found
            .reranking
            .as_ref()
            .and_then(|r| r.place(&hit.chunk().chunk_id));
        self::hit(hit, &source, retrieved.explanations.get(at), place)
    });
    contract::Search {
        query: question.text.clone(),
        mode: question.mode.to_string(),
        filters: filters(&question.filter, &question.understood),
        searched_also_for: spellings(&question.understood),
        abbreviations: abbreviations(&question.understood),
        notes: excluded(retrieval, &question.filter)
            .into_iter()
            .chain(found.notes())
            .collect(),
        total_candidates: retrieval.total_candidates,
        above_threshold: retrieval.above_threshold,
        hits: hits.collect(),
        explanation: found
            .reranking
            .as_ref()
            .map(|reranking| whole(found, reranking, settings)),
        timings_ms: found.timings_ms.clone(),
    }
}

/// How a search found and ordered its hits.
fn whole(found: &Found, reranking: &Reranking, settings: &SearchSettings) -> contract::SearchExplanation {
    let terms = found.retrieved.terms.iter().map(|term| contract::TermWeight {
        word: term.word.clone(),
        stem: term.stem.clone(),
        chunks: term.chunks,
        idf: term.idf.into(),
        weight: term.weight.into(),
    });
    contract::SearchExplanation {
        terms: terms.collect(),
        fusion: name(&settings.fusion),
        threshold: if found.question.asks_for_whole_sections() {
            0.0
        } else {
            settings.threshold.into()
        },
        vector_index: name(&settings.vector_index),
        reranking: contract::Reranking {
            method: reranking.method.clone(),
            candidates: reranking.candidates,
            keep: reranking.keep,
            min_score: reranking.min_score.into(),
            ran: reranking.ran,
        },
    }
}

fn hit(
    hit: &Hit,
    source: &Reference,
    explanation: Option<&Explanation>,
    place: Option<RerankPlace>,
) -> contract::Hit {
    let chunk = hit.chunk();
    contract::Hit {
        chunk_id: chunk.chunk_id.to_string(),
        source_id: chunk.source_id.to_string(),
        section: chunk.section.to_string(),
        page_start: chunk.page_start,
        page_end: chunk.page_end,
        vector_score: hit.vector_score.into(),
        bm25_score: hit.bm25_score.into(),
        combined_score: hit.combined_score.into(),
        text: chunk.text.clone(),
        source: named(source, Some(chunk.page_start)),
        explanation: explanation.map(|explanation| explained(explanation, place)),
    }
}

fn explained(explanation: &Explanation, place: Option<RerankPlace>) -> contract::Explanation {
    let list = |score: ListScore| contract::ListScore {
        rank: score.rank,
        score: score.score.into(),
        normalised: score.normalised.into(),
        weight: score.weight.into(),
        weighted: score.weighted.into(),
    };
    let terms = explanation.terms.iter().map(|term| contract::TermMatch {
        word: term.word.clone(),
        stem: term.stem.clone(),
        occurrences: term.occurrences,
        fields: term
            .fields
            .iter()
            .map(|found| contract::FieldMatch {
                field: found.field.to_string(),
                occurrences: found.occurrences,
            })
            .collect(),
        chunks: term.chunks,
        idf: term.idf.into(),
        contribution: term.contribution.into(),
    });
    contract::Explanation {
        chunk_id: explanation.chunk_id.to_string(),
        vector: list(explanation.vector),
        bm25: list(explanation.bm25),
        combined_score: explanation.combined_score.into(),
        window: explanation.window.map(|window| contract::WindowMatch {
            span: [window.span.start, window.span.end],
            cosine: window.cosine.into(),
        }),
        terms: terms.collect(),
        rerank: place.map(|place| contract::RerankPlace {
            rank: place.rank,
            score: place.score.into(),
            kept: place.kept,
        }),
    }
}

/// The description of a source, and the page to open.
fn named(source: &Reference, page: Option<u32>) -> contract::Source {
    contract::Source {
        title: source.meta.title.clone(),
        authors: source.meta.authors.clone(),
        year: source.meta.year,
        doi: source.meta.doi.clone(),
        page,
        printed_page: page.and_then(|page| source.meta.printed.on_page(page)),
        published_in: source.meta.printed.place(source.meta.venue.as_deref()),
        path: source.path.clone(),
        fictional: source.meta.fictional,
    }
}

/// `None` if nothing is filtered.
fn filters(filter: &Filter, understood: &Understood) -> Option<contract::Filter> {
    let names = |ids: &Vec<types::SourceId>| ids.iter().map(ToString::to_string).collect();
    let sections = |kinds: &Vec<types::SectionKind>| kinds.iter().map(ToString::to_string).collect();
    let origin = |kind: FilterKind, set: bool| {
        set.then(|| contract::FilterOrigin {
            from: if understood.took(kind) {
                "query"
            } else {
                "explicit"
            }
            .to_owned(),
            words: (understood.filters.iter())
                .filter(|taken| taken.kind == kind)
                .map(|taken| taken.words.clone())
                .collect(),
        })
    };
    let (from, to) = (filter.year_from, filter.year_to);
    let one_year = from.filter(|_| from == to);
    (!filter.is_empty()).then(|| contract::Filter {
        sources: filter.sources.as_ref().map(names),
        sections: filter.sections.as_ref().map(sections),
        year_from: from,
        year_to: to,
        tags: filter.tags.clone(),
        year: one_year,
        year_start: from.filter(|_| one_year.is_none()),
        year_end: to.filter(|_| one_year.is_none()),
        subjects: filter.tags.clone(),
        origins: contract::FilterOrigins {
            year: origin(FilterKind::Year, from.is_some() || to.is_some()),
            subjects: origin(FilterKind::Subjects, filter.tags.is_some()),
            sources: origin(FilterKind::Sources, filter.sources.is_some()),
            sections: origin(FilterKind::Sections, filter.sections.is_some()),
        },
    })
}

/// That a filter left nothing to search.
fn excluded(retrieval: &types::Retrieval, filter: &Filter) -> Option<String> {
    let types::Scope { sources, admitted } = retrieval.scope;
    (admitted == 0 && sources > 0).then(|| match sources {
        1 => format!("the filter ({filter}) excludes the only paper"),
        _ => format!("the filter ({filter}) excludes all {sources} papers"),
    })
}

fn spellings(understood: &Understood) -> Vec<contract::Spelling> {
    let spelling = |one: &types::Spelling| contract::Spelling {
        word: one.word.clone(),
        also: one.also.clone(),
    };
    understood.spellings.iter().map(spelling).collect()
}

fn abbreviations(understood: &Understood) -> Vec<contract::Abbreviation> {
    let abbreviation = |one: &types::Abbreviated| contract::Abbreviation {
        words: one.words.clone(),
        also: one.also.clone(),
    };
    understood.abbreviations.iter().map(abbreviation).collect()
}

/// A parsed paper; each section includes its text.
pub fn paper(document: &Document) -> contract::Paper {
    let meta = &document.meta;
    let block = |block: &Block| contract::Block {
        kind: name(&block.kind),
        page_start: block.page_start,
        page_end: block.page_end,
        label: block.label.clone(),
        text: block.span.slice(&document.text).unwrap_or_default().to_owned(),
    };
    let section = |section: &Section| contract::Section {
        name: section.name.to_string(),
        heading: section.heading.clone(),
        level: section.level,
        page_start: section.page_start,
        page_end: section.page_end,
        text: document.section_text(section).to_owned(),
        blocks: section.blocks.iter().map(block).collect(),
    };
    contract::Paper {
        source_id: meta.source_id.to_string(),
        title: meta.title.clone(),
        authors: meta.authors.clone(),
        year: meta.year,
        venue: meta.venue.clone(),
        journal: meta.printed.journal.clone(),
        volume: meta.printed.volume.clone(),
        issue: meta.printed.issue.clone(),
        first_page: meta.printed.first_page.clone(),
        printed_pages: (1..=document.pages)
            .filter_map(|page| Some((page, meta.printed.on_page(page)?)))
            .collect(),
        doi: meta.doi.clone(),
        tags: meta.tags.clone(),
        pages: document.pages,
        sections: document.sections.iter().map(section).collect(),
        warnings: document.warnings.clone(),
    }
}

/// An error.
pub fn error(error: &dyn Explain) -> contract::Error {
    let parts = error.explain();
    contract::Error {
        code: parts.code.to_owned(),
        message: parts.message,
        value: parts.value,
        hint: parts.hint,
    }
}

/// The name of an enum's value, as logs write it.
fn name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}
