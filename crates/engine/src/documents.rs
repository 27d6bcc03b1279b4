//! The JSON documents of ask, search and parse: what the stages made, with the sources that it names.
//!
//! Each document conforms to the JSON Schema of its type. Scores are those of the index: `vector_score` is
//! `max(0, cosine)` in `0..=1`, `bm25_score` the raw sum from 0 up. Times are in milliseconds. Pages count from 1. An error
//! is a [`types::ErrorParts`].

mod paper;
mod search;

pub use paper::{Block, Corpus, Paper, Parse, Section};
pub use search::{Hit, HitExplanation, Search, SearchExplanation};

use crate::show::{Reference, References, notes_of};
use schemars::JsonSchema;
use serde::Serialize;
use std::{collections::BTreeMap, path::PathBuf};
use types::{
    Abbreviated, CheckedClaim, ContextRecord, FilterKind, FurtherSearch, GuardrailAction, Mode, Refusal,
    RetrievalRecord, RunRecord, Spelling, Understood, Usage,
};

/// An answer of `ask`, or a refusal.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Ask {
    /// The question.
    pub query: String,
    /// `hybrid`, `vector` or `bm25`.
    pub mode: Option<Mode>,
    /// The answer, with marks `(source_id, chunk_id)` after each claim; for a refusal, the sentence that says so.
    pub answer: String,
    /// The evidence; empty for a refusal.
    pub citations: Vec<Citation>,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// The estimated probability that the question is answered, 0 to 1; null if none was estimated (language models).
    pub probability: Option<f32>,
    /// A sentence on the kind and strength of the evidence.
    pub evidence_quality: String,
    /// Whether the papers do not answer the question.
    pub no_evidence: bool,
    /// What the reader should know: repairs, removals, limits.
    pub caveats: Vec<String>,
    /// Why there is no answer; null for an answer.
    pub refusal: Option<Refusal>,
    /// The filter; null if everything was searched.
    pub filters: Option<Filter>,
    /// Words of the question that no paper contains, and what was searched instead.
    pub searched_also_for: Vec<Spelling>,
    /// Abbreviations of the question, and words of it that papers abbreviate, with the other form, which was searched too.
    pub abbreviations: Vec<Abbreviated>,
    /// What was taken from the words of the question, and how to undo it, as sentences.
    pub notes: Vec<String>,
    /// What retrieval did.
    pub retrieval: RetrievalRecord,
    /// Searches besides that of the question, in their order: for the parts of a question that compares papers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further_searches: Vec<FurtherSearch>,
    /// What guardrails did.
    pub guardrails: Vec<GuardrailAction>,
    /// The claims of an answer that a language model wrote, and what the checks found; empty for answers copied from papers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<CheckedClaim>,
    /// Estimated probability that the cited passages support every claim, 0 to 1; null without such claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims_probability: Option<f32>,
    /// Milliseconds by stage.
    pub timings_ms: BTreeMap<String, f64>,
    /// What the language model spent; null if none was called.
    pub usage: Option<Usage>,
    /// Stages (`rerank`, `generate`, `verify`) that were done offline because the language model failed; the caveats say why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// The generator: a model's name, or `extractive`.
    pub model: String,
    /// Hash of the settings that can change a result.
    pub config_hash: String,
    /// The passages that the generator read; with `--include-context`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Vec<ContextRecord>>,
}

impl Ask {
    /// An answer, including the passages that the generator read if `with_context`.
    pub fn new(references: &References, record: &RunRecord, with_context: bool) -> Self {
        let notes = notes_of(record).iter().map(ToString::to_string).collect();
        let record = record.clone();
        let response = record.response;
        let cited = |citation: types::Citation| Citation {
            source: Source::new(&references.get(&citation.source_id), citation.page_start),
            citation,
        };
        Self {
            filters: Filter::new(&record.filters, &record.understood),
            notes,
            query: record.query,
            mode: record.mode,
            answer: response.answer,
            citations: response.citations.into_iter().map(cited).collect(),
            confidence: response.confidence,
            probability: response.probability,
            evidence_quality: response.evidence_quality,
            no_evidence: response.no_evidence,
            caveats: response.caveats,
            refusal: response.refusal,
            searched_also_for: record.understood.spellings,
            abbreviations: record.understood.abbreviations,
            retrieval: record.retrieval,
            further_searches: record.further_searches,
            guardrails: record.guardrails,
            claims: record.claims,
            claims_probability: record.claims_probability,
            timings_ms: record.timings_ms,
            usage: record.usage,
            fallbacks: record.fallbacks,
            model: record.model,
            config_hash: record.config_hash,
            context: with_context.then(|| record.context.unwrap_or_default()),
        }
    }
}

/// The evidence for a claim, and its source.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CitationWithSource", deny_unknown_fields)]
pub struct Citation {
    /// The quote.
    #[serde(flatten)]
    pub citation: types::Citation,
    /// Its source.
    #[serde(flatten)]
    pub source: Source,
}

/// A source, and the place of a passage in it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Source {
    /// Title as printed.
    pub title: Option<String>,
    /// Authors as printed, in order.
    pub authors: Vec<String>,
    /// Year of publication.
    pub year: Option<u16>,
    /// DOI without a resolver's prefix.
    pub doi: Option<String>,
    /// Where it was published, as far as that is known: "Nutr J 20(3):45", with volume, issue and first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_in: Option<String>,
    /// The page to open.
    pub page: Option<u32>,
    /// The number printed on that page; no key where it is not sure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed_page: Option<String>,
    /// The file; null if the source is not in the index.
    pub path: Option<PathBuf>,
    /// Whether a manifest marks it as fictional: a sample paper with invented findings.
    pub fictional: bool,
}

impl Source {
    pub(crate) fn new(source: &Reference, page: Option<u32>) -> Self {
        let meta = &*source.meta;
        Self {
            title: meta.title.clone(),
            authors: meta.authors.clone(),
            year: meta.year,
            doi: meta.doi.clone(),
            published_in: meta.printed.place(meta.venue.as_deref()),
            page,
            printed_page: page.and_then(|page| meta.printed.on_page(page)),
            path: source.path.clone(),
            fictional: meta.fictional,
        }
    }
}

/// Conditions, all of which a passage must meet, and where they come from.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FilterWithOrigins", deny_unknown_fields)]
pub struct Filter {
    /// The conditions.
    #[serde(flatten)]
    pub conditions: types::Filter,
    /// Published in this year: `year_from` and `year_to` where they are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<u16>,
    /// `year_from`, without `year`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year_start: Option<u16>,
    /// `year_to`, without `year`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year_end: Option<u16>,
    /// The same as `tags`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subjects: Option<Vec<String>>,
    /// Where each condition comes from; a condition that is not set has no key.
    pub origins: BTreeMap<FilterKind, FilterOrigin>,
}

/// Where a condition of a filter comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FilterOrigin {
    /// `query` (the words of the question) or `explicit` (an option).
    pub from: &'static str,
    /// The words of the question that set it; empty for an option.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
}

impl Filter {
    /// `None` if nothing is filtered.
    fn new(filter: &types::Filter, understood: &Understood) -> Option<Self> {
        let conditions = filter.clone();
        let origin = |(kind, set): (FilterKind, bool)| {
            let from = if understood.took(kind) { "query" } else { "explicit" };
            let taken = understood.filters.iter().filter(|taken| taken.kind == kind);
            let words = taken.map(|taken| taken.words.clone()).collect();
            set.then_some((kind, FilterOrigin { from, words }))
        };
        let (from, to) = (filter.year_from, filter.year_to);
        let one_year = from.filter(|_| from == to);
        let origins = [
            (FilterKind::Year, from.is_some() || to.is_some()),
            (FilterKind::Subjects, filter.tags.is_some()),
            (FilterKind::Sources, filter.sources.is_some()),
            (FilterKind::Sections, filter.sections.is_some()),
        ];
        (!filter.is_empty()).then(|| Self {
            conditions,
            year: one_year,
            year_start: from.filter(|_| one_year.is_none()),
            year_end: to.filter(|_| one_year.is_none()),
            subjects: filter.tags.clone(),
            origins: origins.into_iter().filter_map(origin).collect(),
        })
    }
}
