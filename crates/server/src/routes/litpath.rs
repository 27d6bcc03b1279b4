//! The API of LitPath: search with an overview and its scores, and scores of an answer.

mod search;

use crate::{
    app::{App, Caller},
    document::Json,
    extract::{Body, Room},
    failed::Failed,
    limits::{ANSWER_BYTES, MODEL_TIME, QUESTION_BYTES},
    operation::{Operation, Routes},
};
use axum::{
    extract::State,
    http::{HeaderName, HeaderValue},
    response::{IntoResponse as _, Response},
    routing::post,
};
use lab::{
    eval::{judge::dimensions::Dimension, rows::Format},
    evaluate_run::{EvaluateResult, Pass},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Says who judged: `lexical`, or the language model.
const JUDGE: HeaderName = HeaderName::from_static("x-judge");

pub(crate) fn routes() -> Routes {
    vec![
        Operation::post("/api/evaluate/", "Scores an answer")
            .body::<EvaluateRequest>()
            .answers::<Evaluated>(200)
            .at_most(ANSWER_BYTES, MODEL_TIME)
            .by(post(evaluate)),
        Operation::post("/api/search/", "Searches, and writes an overview")
            .body::<search::SearchRequest>()
            .answers::<search::Found>(200)
            .at_most(QUESTION_BYTES, MODEL_TIME)
            .by(post(search::search)),
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

impl Depth {
    /// What a language model is asked about: one call each.
    fn dimensions(self) -> &'static [Dimension] {
        use Dimension::{AnswerRelevance, Completeness, Correctness, Faithfulness};
        match self {
            Self::Quick => &[AnswerRelevance, Faithfulness],
            Self::Full => &[AnswerRelevance, Faithfulness, Correctness, Completeness],
        }
    }
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
#[schemars(rename = "LitPathScored", deny_unknown_fields)]
struct Scored {
    /// Whether it passes; null if that is not known.
    score: Option<bool>,
    /// Why; `N/A: ` and the reason if that is not known.
    explanation: String,
}

impl Scored {
    fn new(app: &App, pass: &Pass) -> Self {
        if pass.score.is_some() {
            return Self { score: pass.score, explanation: pass.explanation.clone() };
        }
        let failed = ["error: ", "n/a: pending: "];
        let failed = failed.iter().find_map(|start| pass.explanation.strip_prefix(start));
        Self::unknown(match failed {
            Some(why) => app.unjudged(why),
            None => pass.explanation.trim_start_matches("n/a: "),
        })
    }

    fn unknown(why: &str) -> Self {
        Self { score: None, explanation: format!("N/A: {why}") }
    }
}

/// The scores of an answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "LitPathResults", deny_unknown_fields)]
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
    fn new(app: &App, row: &EvaluateResult, depth: Depth) -> Self {
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
#[schemars(rename = "LitPathEvaluated", deny_unknown_fields)]
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
    caller: Caller,
    _room: Room<ANSWER_BYTES>,
    Body(asked): Body<EvaluateRequest>,
) -> Result<Response, Failed> {
    let _turn = app.turn(&caller)?;
    let tenant = caller.tenant();
    let (row, judge) = app.score(&tenant, Format::LitPath, &asked, asked.depth.dimensions()).await?;
    let evaluated = Evaluated {
        success: true,
        evaluation_type: asked.depth,
        results: Results::new(&app, &row, asked.depth),
    };
    Ok(judged_by(&judge, Json(evaluated).into_response()))
}

fn judged_by(judge: &str, mut response: Response) -> Response {
    if let Ok(judge) = HeaderValue::from_str(judge) {
        response.headers_mut().insert(JUDGE, judge);
    }
    response
}
