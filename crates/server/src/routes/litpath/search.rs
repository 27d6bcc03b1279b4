//! Search with an overview and its scores.

use super::{Depth, Results, judged_by};
use crate::{
    app::{App, Caller},
    document::Json,
    extract::{Body, object},
    failed::Failed,
};
use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};
use engine::Answer;
use lab::{
    eval::{Sample, Score},
    evaluate_run::EvaluateResult,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, path::Path, time::Instant};
use types::{ContextRecord, Filter, RunRecord};

/// A question, with filters.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LitPathSearchRequest")]
pub(super) struct SearchRequest {
    /// The question.
    #[schemars(length(min = 1, max = 10_000), regex(pattern = r"\S"))]
    question: String,
    /// Whether only the overview is wanted, without the documents.
    #[serde(default)]
    overview_only: bool,
    /// Whether the overview is judged.
    #[serde(default)]
    include_rag_evaluation: bool,
    /// Explicit filters replace those found in the question.
    #[serde(default, deserialize_with = "object")]
    filters: Filters,
}

/// Filters; years are texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "LitPathFilters")]
struct Filters {
    /// Published in this year.
    #[schemars(regex(pattern = r"^[0-9]{4}$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    year: Option<String>,
    /// Published in this year or later.
    #[schemars(regex(pattern = r"^[0-9]{4}$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    year_start: Option<String>,
    /// Published in this year or earlier.
    #[schemars(regex(pattern = r"^[0-9]{4}$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    year_end: Option<String>,
    /// About one of these subjects, as the manifest of the papers tags them.
    #[serde(skip_serializing_if = "Option::is_none")]
    subjects: Option<Vec<String>>,
}

impl Filters {
    /// # Errors
    /// When a year is not a number.
    fn conditions(&self) -> Result<Filter, Failed> {
        let year = |name: &'static str, text: &Option<String>| {
            let read = |text: &String| {
                text.trim().parse().map_err(|_| {
                    let failed = Failed::invalid("bad_year", format!("{name} is not a valid year"));
                    failed.value(text.as_str()).hint("write it as \"2023\"")
                })
            };
            text.as_ref().map(read).transpose()
        };
        let one: Option<u16> = year("year", &self.year)?;
        Ok(Filter {
            year_from: year("year_start", &self.year_start)?.or(one),
            year_to: year("year_end", &self.year_end)?.or(one),
            tags: self.subjects.clone(),
            ..Filter::default()
        })
    }

    /// The filters that hold.
    fn of(filter: &Filter) -> Self {
        let text = |year: Option<u16>| year.map(|year| format!("{year:04}"));
        let (from, to) = (filter.year_from, filter.year_to);
        let one = from.filter(|_| from == to);
        Self {
            year: text(one),
            year_start: text(from.filter(|_| one.is_none())),
            year_end: text(to.filter(|_| one.is_none())),
            subjects: filter.tags.clone(),
        }
    }
}

/// What a search found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LitPathFound", deny_unknown_fields)]
pub(super) struct Found {
    /// The answer, with its sources in brackets; for a refusal, the sentence that says so.
    overview: String,
    /// The papers of the passages, best first; not with `overview_only`.
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<Vec<Document>>,
    /// Scores that need no judge.
    accuracy_metrics: Accuracy,
    /// The judgement; only with `include_rag_evaluation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rag_evaluation: Option<Results>,
    /// The filters that held.
    filters: Filters,
    /// Whether the words of the question set a filter.
    filters_auto_extracted: bool,
}

/// A paper.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LitPathDocument", deny_unknown_fields)]
struct Document {
    /// The title; its id if it prints none.
    title: String,
    /// The authors.
    authors: Vec<String>,
    /// The year, as a text.
    year: Option<String>,
    /// The name of its file.
    file: String,
    /// The passage, the best of the paper.
    excerpt: String,
    /// The page of the passage.
    page: u32,
}

/// Scores of an overview; null where one cannot be had.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LitPathAccuracy", deny_unknown_fields)]
struct Accuracy {
    /// What was retrieved.
    search: SearchAccuracy,
    /// The citations.
    citation_verification: CitationAccuracy,
    /// What the overview says that no passage says.
    hallucination_detection: Hallucination,
}

/// What was retrieved.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LitPathSearchAccuracy", deny_unknown_fields)]
struct SearchAccuracy {
    /// Mean squared L2 distance of question and passages, 0 to 4.
    average_distance: Option<f64>,
    /// Papers.
    documents_retrieved: usize,
    /// Passages.
    chunks_retrieved: usize,
}

/// The citations of the overview.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LitPathCitationAccuracy", deny_unknown_fields)]
struct CitationAccuracy {
    /// Citations.
    total_citations: usize,
    /// Share of them that name what was retrieved and quote what is there, 0 to 1.
    verification_rate: Option<f64>,
}

/// What the overview says that no passage says.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LitPathHallucination", deny_unknown_fields)]
struct Hallucination {
    /// Whether there is a number, a name or a contradicted claim that no passage has.
    hallucination_detected: Option<bool>,
    /// Share of keywords, numbers and names that a passage has, 0 to 1.
    factual_accuracy: Option<f64>,
}

impl Accuracy {
    /// Of a row; without one nothing was measured.
    fn new(record: &RunRecord, row: Option<&EvaluateResult>) -> Self {
        let value = |key: &str| row?.metrics.get(key).and_then(Score::get);
        let context: Vec<_> = record.context.iter().flatten().collect();
        let mut documents: Vec<_> = context.iter().map(|passage| &passage.source_id).collect();
        documents.sort();
        documents.dedup();
        Self {
            search: SearchAccuracy {
                average_distance: value("average_distance"),
                documents_retrieved: documents.len(),
                chunks_retrieved: context.len(),
            },
            citation_verification: CitationAccuracy {
                total_citations: record.response.citations.len(),
                verification_rate: value("citation_verification_rate"),
            },
            hallucination_detection: Hallucination {
                hallucination_detected: value("hallucination").map(|value| value > 0.5),
                factual_accuracy: value("factual_accuracy"),
            },
        }
    }
}

pub(super) async fn search(
    State(app): State<App>,
    caller: Caller,
    Body(asked): Body<SearchRequest>,
) -> Result<Response, Failed> {
    let since = Instant::now();
    let explicit = asked.filters.conditions()?;
    let place = caller.place();
    let pipeline = app.pipeline(&place).await?;
    let _turn = app.turn(&caller)?;
    let mode = app.settings.retrieve.mode;
    let answer = if asked.filters == Filters::default() {
        pipeline.ask(&asked.question, mode, &explicit).await?
    } else {
        // Explicit filters replace those of the question.
        let mut settings = pipeline.settings().clone();
        settings.question.filters = false;
        pipeline.with(&settings)?.ask(&asked.question, mode, &explicit).await?
    };
    let record = &answer.record;
    app.remember(&place, "/api/search/", &asked.question, !record.response.no_evidence, since).await;
    // The answer is there: what cannot be loaded now costs the scores only. Without an evaluation no language model is asked:
    // the metrics need none.
    let judge = if asked.include_rag_evaluation { Some(app.scorer(&place.tenant).await) } else { None };
    let scorer = match &judge {
        Some(Ok(scorer)) => Ok(scorer.clone()),
        _ => app.measurer().await,
    };
    let sample = Sample::of_record(record, &record.response, None);
    let row = match scorer {
        Ok(scorer) => Some(scorer.score(&sample, Depth::Quick.dimensions()).await),
        Err(failed) => {
            app.unjudged(&failed.to_string());
            None
        }
    };
    let evaluation = judge.as_ref().map(|judge| match (judge, &row) {
        (Ok(_), Some(row)) => Results::new(&app, row, Depth::Quick),
        (judge, _) => {
            if let Err(failed) = judge {
                app.unjudged(&failed.to_string());
            }
            Results::unknown("the judge cannot be used")
        }
    });
    let documents = (!asked.overview_only).then(|| documents(&answer));
    let found = Found {
        overview: record.response.answer.clone(),
        documents,
        accuracy_metrics: Accuracy::new(record, row.as_ref()),
        rag_evaluation: evaluation,
        filters: Filters::of(&record.filters),
        filters_auto_extracted: !record.understood.filters.is_empty(),
    };
    let response = Json(found).into_response();
    Ok(match judge {
        Some(Ok(scorer)) => judged_by(scorer.judge(), response),
        _ => response,
    })
}

/// The papers of the passages, each with its best one.
fn documents(answer: &Answer) -> Vec<Document> {
    let mut seen = BTreeSet::new();
    let context = answer.record.context.iter().flatten();
    let first = context.filter(|passage| seen.insert(passage.source_id.clone()));
    let document = |passage: &ContextRecord| {
        let source = answer.references.get(&passage.source_id);
        let file = source.path.as_deref().and_then(Path::file_name);
        Document {
            title: source.meta.title.clone().unwrap_or_else(|| passage.source_id.to_string()),
            authors: source.meta.authors.clone(),
            year: source.meta.year.map(|year| year.to_string()),
            file: file.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            excerpt: passage.text.clone(),
            page: passage.page_start,
        }
    };
    first.map(document).collect()
}
