//! The API of LitPath: search with an overview and its scores, and scores of an answer.

use crate::{
    app::{App, Caller},
    document::Json,
    extract::{Body, Room, object},
    failed::Failed,
    limits::{ANSWER_BYTES, MODEL_TIME, QUESTION_BYTES},
    operation::{Operation, Routes},
    state::keys::Role,
};
use axum::{
    extract::State,
    http::{HeaderName, HeaderValue},
    response::{IntoResponse as _, Response},
    routing::post,
};
use engine::Answer;
use lab::{
    eval::{Sample, Score, rows::Format},
    evaluate_run::{EvaluateRow, Pass, read_answer},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::to_value;
use std::{collections::BTreeSet, path::Path, time::Instant};
use types::{ContextRecord, Filter, RunRecord};

/// Says who judged: `lexical`, `nli`, or the language model.
const JUDGE: HeaderName = HeaderName::from_static("x-judge");

pub(crate) fn routes() -> Routes {
    vec![
        (
            Operation::post("/api/evaluate/", "Scores an answer")
                .role(Role::Read)
                .body::<EvaluateRequest>()
                .answers::<Evaluated>(200)
                .at_most(ANSWER_BYTES, MODEL_TIME),
            post(evaluate),
        ),
        (
            Operation::post("/api/search/", "Searches, and writes an overview")
                .role(Role::Read)
                .body::<SearchRequest>()
                .answers::<Found>(200)
                .at_most(QUESTION_BYTES, MODEL_TIME),
            post(search),
        ),
    ]
}

/// How much is scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "LitPathDepth")]
enum Depth {
    /// Relevance and groundedness.
    #[default]
    Quick,
    /// Also correctness and the relevance of what was retrieved.
    Full,
}

/// An answer of any system.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LitPathEvaluateRequest")]
struct EvaluateRequest {
    /// The question.
    query: String,
    /// The answer.
    response: String,
    /// The passages that it was written from.
    retrieved_docs: Vec<String>,
    /// The right answer; without one, correctness is N/A.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference_answer: Option<String>,
    /// `quick` unless given.
    #[serde(default, rename = "type")]
    depth: Depth,
}

/// A score and why.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(rename = "LitPathScored")]
struct Scored {
    /// Whether it passes; null if that is not known.
    score: Option<bool>,
    /// Why; `N/A: ` and the reason if that is not known.
    explanation: String,
}

impl Scored {
    fn new(app: &App, pass: &Pass) -> Self {
        if pass.score.is_some() {
            return Self {
                score: pass.score,
                explanation: pass.explanation.clone(),
            };
        }
        let failed = ["error: ", "n/a: pending: "];
        let failed = failed
            .iter()
            .find_map(|start| pass.explanation.strip_prefix(start));
        Self::unknown(match failed {
            Some(why) => app.unjudged(why),
            None => pass.explanation.trim_start_matches("n/a: "),
        })
    }

    fn unknown(why: &str) -> Self {
        Self {
            score: None,
            explanation: format!("N/A: {why}"),
        }
    }
}

/// The scores of an answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(rename = "LitPathResults")]
struct Results {
    /// Whether the answer addresses the question.
    relevance: Scored,
    /// Whether the passages support the answer.
    groundedness: Scored,
    /// Whether the answer says what the reference says; `full` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    correctness: Option<Scored>,
    /// Whether a passage is about the question; `full` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    retrieval_relevance: Option<Scored>,
    /// Whether it is relevant and grounded; null if that is not known.
    overall_pass: Option<bool>,
}

impl Results {
    fn new(app: &App, row: &EvaluateRow, depth: Depth) -> Self {
        let full = depth == Depth::Full;
        let scored = |pass: &Pass| Scored::new(app, pass);
        Self {
            relevance: scored(&row.relevance),
            groundedness: scored(&row.groundedness),
            correctness: full.then(|| scored(&row.correctness)),
            retrieval_relevance: full.then(|| scored(&row.retrieval_relevance)),
            overall_pass: row.overall_pass,
        }
    }

    /// Without a judge.
    fn unknown(why: &str) -> Self {
        Self {
            relevance: Scored::unknown(why),
            groundedness: Scored::unknown(why),
            correctness: None,
            retrieval_relevance: None,
            overall_pass: None,
        }
    }
}

/// An answer that was scored.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(rename = "LitPathEvaluated")]
struct Evaluated {
    /// True.
    success: bool,
    /// `quick` or `full`.
    evaluation_type: Depth,
    /// The scores.
    results: Results,
}

async fn evaluate(
    State(app): State<App>,
    _caller: Caller,
    _room: Room<ANSWER_BYTES>,
    Body(asked): Body<EvaluateRequest>,
) -> Result<Response, Failed> {
    let _turn = app.indexes.turn()?;
    let record = to_value(&asked).map_err(Failed::inside)?;
    let read = move || read_answer(Format::LitPath, &record);
    let sample = app.pool().run(read).await?;
    let scorer = app.scorer().await?;
    let row = scorer.score(&sample).await;
    let evaluated = Evaluated {
        success: true,
        evaluation_type: asked.depth,
        results: Results::new(&app, &row, asked.depth),
    };
    Ok(judged_by(scorer.judge(), Json(evaluated).into_response()))
}

fn judged_by(judge: &str, mut response: Response) -> Response {
    if let Ok(judge) = HeaderValue::from_str(judge) {
        response.headers_mut().insert(JUDGE, judge);
    }
    response
}

/// A question, with filters.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LitPathSearchRequest")]
struct SearchRequest {
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
#[schemars(deny_unknown_fields)]
#[schemars(rename = "LitPathFound")]
struct Found {
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
#[schemars(deny_unknown_fields)]
#[schemars(rename = "LitPathDocument")]
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
#[schemars(deny_unknown_fields)]
#[schemars(rename = "LitPathAccuracy")]
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
#[schemars(deny_unknown_fields)]
#[schemars(rename = "LitPathSearchAccuracy")]
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
#[schemars(deny_unknown_fields)]
#[schemars(rename = "LitPathCitationAccuracy")]
struct CitationAccuracy {
    /// Citations.
    total_citations: usize,
    /// Share of them that name what was retrieved and quote what is there, 0 to 1.
    verification_rate: Option<f64>,
}

/// What the overview says that no passage says.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(rename = "LitPathHallucination")]
struct Hallucination {
    /// Whether there is a number, a name or a contradicted claim that no passage has.
    hallucination_detected: Option<bool>,
    /// Share of keywords, numbers and names that a passage has, 0 to 1.
    factual_accuracy: Option<f64>,
}

impl Accuracy {
    /// Of a row; without one nothing was measured.
    fn new(record: &RunRecord, row: Option<&EvaluateRow>) -> Self {
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

async fn search(
    State(app): State<App>,
    caller: Caller,
    Body(asked): Body<SearchRequest>,
) -> Result<Response, Failed> {
    let since = Instant::now();
    let explicit = asked.filters.conditions()?;
    let place = caller.place();
    let pipeline = app.pipeline(&place).await?;
    let _turn = app.indexes.turn()?;
    let mode = app.settings.retrieve.mode;
    let answer = if asked.filters == Filters::default() {
        pipeline.ask(&asked.question, mode, &explicit).await?
    } else {
        // Explicit filters replace those of the question.
        let mut settings = pipeline.settings().clone();
        settings.question.filters = false;
        pipeline
            .with(&settings)?
            .ask(&asked.question, mode, &explicit)
            .await?
    };
    let record = &answer.record;
    app.remember(
        &place,
        "/api/search/",
        &asked.question,
        !record.response.no_evidence,
        since,
    )
    .await;
    // The answer is there: what cannot be loaded now costs the scores only. Without an evaluation no language model is asked:
    // the metrics need none.
    let judge = if asked.include_rag_evaluation {
        Some(app.scorer().await)
    } else {
        None
    };
    let scorer = match &judge {
        Some(Ok(scorer)) => Ok(*scorer),
        _ => app.measurer().await,
    };
    let sample = Sample::of_record(record, &record.response, None);
    let row = match scorer {
        Ok(scorer) => Some(scorer.score(&sample).await),
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
            title: source
                .meta
                .title
                .clone()
                .unwrap_or_else(|| passage.source_id.to_string()),
            authors: source.meta.authors.clone(),
            year: source.meta.year.map(|year| year.to_string()),
            file: file
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            excerpt: passage.text.clone(),
            page: passage.page_start,
        }
    };
    first.map(document).collect()
}
