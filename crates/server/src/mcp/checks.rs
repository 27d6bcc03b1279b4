//! What is checked: an answer against the papers, and answers of any system by the metrics.

use super::{
    Session,
    results::{DATA, Detail, Reply, items, offset, put},
};
use crate::{
    asked::check_cost,
    extract::check_values,
    failed::Failed,
    limits::{ANSWERS_VALUES, COST},
    routes::verify::check,
};
use lab::{
    evaluate_run::{Evaluate as Scored, EvaluateRequest, costs},
    verify::{VerifyRequest, verify},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json, to_value};
use std::{collections::BTreeMap, io::Write as _};
use tokio::{runtime::Handle, task::spawn_blocking};
use types::{Filter, Silent, SourceId, StopWhenDropped};

/// Claims and quotes of an answer that are checked at a time.
const CHECKED: usize = 30;
/// Rows that are scored at a time: a client waits for them.
const ROWS: usize = 20;

/// `verify_answer`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifyAnswer {
    /// The text to check
    answer: String,
    /// Its question
    #[serde(default)]
    question: String,
    /// Only against these source_ids
    sources: Option<Vec<String>>,
    /// next_cursor of the result before
    cursor: Option<String>,
}

/// `evaluate`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Evaluate {
    /// Such as {"user_input", "response", "retrieved_contexts": [], "reference"}
    rows: Vec<Map<String, Value>>,
    /// detailed adds reasons and all metrics
    #[serde(default)]
    detail: Detail,
    /// next_cursor of the result before
    cursor: Option<String>,
}

pub(super) async fn verify_answer(session: &Session, args: VerifyAnswer) -> Result<Reply, Failed> {
    check(&args.answer)?;
    let from = offset(args.cursor.as_deref())?;
    let sources = args.sources.map(|all| all.iter().map(|id| SourceId::from(id.as_str())).collect());
    let request = VerifyRequest {
        answer: args.answer,
        question: args.question,
        filter: Filter { sources, ..Filter::default() },
        which: from..from.saturating_add(CHECKED),
    };
    let pipeline = session.pipeline().await?;
    let found = verify(&pipeline, &request).await?;
    let mut structured = to_value(&found).map_err(Failed::inside)?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (list, key) in [("claims", "verdict"), ("quotes", "found")] {
        for own in structured[list].as_array_mut().into_iter().flatten() {
            let what = own[key].as_str().map_or_else(|| format!("{list} {key}: {}", own[key]), str::to_owned);
            *counts.entry(what).or_default() += 1;
            if own["evidence"].is_object() {
                session.address(&mut own["evidence"]);
            }
        }
    }
    structured["summary"] = json!(counts);
    structured["note"] = format!("{DATA} {NOT_FOUND}").into();
    let next = (request.which.end < found.total).then(|| request.which.end.to_string());
    put(&mut structured, "next_cursor", next);
    Ok(Reply::of(structured))
}

const NOT_FOUND: &str = "Unsupported means that no passage was found that says so. Verdicts compare words, numbers and meaning \
                         and can be wrong: read the evidence of what matters.";

pub(super) async fn evaluate(session: &Session, args: Evaluate) -> Result<Reply, Failed> {
    let count = args.rows.len();
    if !(1..=ROWS).contains(&count) {
        let failed = Failed::invalid("rows", format!("there must be 1 to {ROWS} rows"));
        return Err(failed.value(count.to_string()).hint("for more, use the command `pipeline score FILE`"));
    }
    let rows = Value::from(args.rows.into_iter().map(Value::Object).collect::<Vec<_>>()).to_string();
    let (scorer, runtime) = (session.app.scorer(&session.caller.tenant()).await?, Handle::current());
    let ends = StopWhenDropped::default();
    let stop = ends.0.clone();
    let score = move || {
        check_values(rows.as_bytes(), ANSWERS_VALUES)?;
        check_cost(costs(&rows)?.iter().sum(), COST)?;
        let mut file = tempfile::NamedTempFile::with_suffix(".json")?;
        file.write_all(rows.as_bytes())?;
        let request =
            EvaluateRequest { input: Some(file.path().to_owned()), stop, ..EvaluateRequest::default() };
        let mut scored = runtime.block_on(scorer.evaluate(&request, &Silent))?;
        "rows".clone_into(&mut scored.metadata.test_results_file);
        Ok::<Scored, Failed>(scored)
    };
    let scored = spawn_blocking(score).await.map_err(Failed::inside)??;
    scores(&scored, args.cursor.as_deref(), args.detail)
}

fn scores(scored: &Scored, cursor: Option<&str>, detail: Detail) -> Result<Reply, Failed> {
    let mut document = to_value(scored).map_err(Failed::inside)?;
    let Value::Object(results) = document["results"].take() else {
        return Err(Failed::inside("the document of evaluate has no results"));
    };
    let rows = results.into_iter().map(|(id, mut row)| {
        if detail == Detail::Concise {
            let scores = row["evaluations"].as_object().into_iter().flatten();
            let scores: Map<String, Value> =
                scores.map(|(key, own)| (key.clone(), own["score"].clone())).collect();
            row = json!({
                "overall_score": row["overall_score"], "scores": scores, "auto_fail": row["auto_fail"],
                "failure_reasons": row["failure_reasons"], "error": row["error"],
            });
        }
        row["id"] = id.into();
        row
    });
    let (rows, next) = items(rows, cursor, detail.tokens())?;
    let summary = document["summary"].as_object().into_iter().flatten();
    let means: Map<String, Value> = summary.map(|(key, own)| (key.clone(), own["mean"].clone())).collect();
    let mut structured = json!({ "judge": scored.metadata.judge, "means": means, "rows": rows });
    if detail == Detail::Detailed {
        structured["summary"] = document["summary"].take();
    }
    put(&mut structured, "next_cursor", next);
    Ok(Reply::of(structured))
}
