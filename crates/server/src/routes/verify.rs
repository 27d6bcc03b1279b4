//! A text, whoever wrote it, against the papers.

use crate::{
    app::{App, Caller},
    asked::Filters,
    document::Json,
    extract::{Body, object},
    failed::Failed,
    limits::{MODEL_TIME, QUESTION_BYTES, VERIFIED_CHARS},
    operation::{Operation, Routes},
};
use axum::{extract::State, routing::post};
use lab::verify::{Verified, VerifyRequest, verify};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub(crate) fn routes() -> Routes {
    vec![
        Operation::post(
            "/v1/verify",
            "Checks a text: whether the papers support each sentence, and whether each quote is printed there",
        )
        .body::<Verify>()
        .answers::<Verified>(200)
        .at_most(QUESTION_BYTES, MODEL_TIME)
        .by(post(verified)),
    ]
}

/// A text to check.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Verify {
    /// The text.
    #[schemars(length(min = 1, max = VERIFIED_CHARS), regex(pattern = r"\S"))]
    answer: String,
    /// Its question, for which passages are retrieved too.
    #[serde(default)]
    question: String,
    /// Conditions that every passage must meet.
    #[serde(default, deserialize_with = "object")]
    filters: Filters,
}

async fn verified(
    State(app): State<App>,
    caller: Caller,
    Body(asked): Body<Verify>,
) -> Result<Json<Value>, Failed> {
    let Verify { answer, question, filters } = asked;
    check(&answer)?;
    let place = caller.place();
    let pipeline = app.pipeline(&place).await?;
    let _turn = app.turn(&caller)?;
    let request = VerifyRequest { answer, question, filter: filters.into(), which: 0..usize::MAX };
    let found = verify(&pipeline, &request).await?;
    app.indexes.shown(&place, found).map(Json)
}

/// Refuses a text that is empty or too long.
///
/// # Errors
/// When it is.
pub(crate) fn check(answer: &str) -> Result<(), Failed> {
    let length = answer.chars().count();
    if answer.trim().is_empty() || length > VERIFIED_CHARS {
        let message = format!("an answer has 1 to {VERIFIED_CHARS} characters");
        return Err(Failed::invalid("answer", message).value(length.to_string()));
    }
    Ok(())
}
