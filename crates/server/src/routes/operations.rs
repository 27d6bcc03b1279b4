//! Whether the server lives, what it counts, what it can be asked.

use crate::{
    app::{App, Caller},
    document::Json,
    failed::Failed,
    indexes::Place,
    name::Name,
    operation::{Operation, Routes},
    state::{jobs, keys::Role},
    telemetry::Gauge,
};
use axum::{
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// What Prometheus calls its text format.
const METRICS: &str = "text/plain; version=0.0.4";

pub(crate) fn routes() -> Routes {
    vec![
        Operation::get("/healthz", "Whether the server answers")
            .open()
            .answers::<Health>(200)
            .by(get(health)),
        Operation::get("/readyz", "Whether questions can be answered")
            .open()
            .answers::<Ready>(200)
            .by(get(ready)),
        Operation::get("/metrics", "Counts of requests and jobs, for Prometheus")
            .role(Role::Admin)
            .answers_text("text/plain")
            .by(get(metrics)),
        Operation::get("/openapi.json", "This document").open().answers::<Value>(200).by(get(openapi)),
    ]
}

/// The server answers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Health {
    /// `ok`.
    status: &'static str,
}

async fn health() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Questions can be answered.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Ready {
    /// `ok`; `no papers` while the default collection has none: papers can be uploaded.
    status: &'static str,
    /// The number of papers of the default collection.
    papers: usize,
    /// The generation of its index; empty without papers.
    generation: String,
}

async fn ready(State(app): State<App>) -> Result<Json<Ready>, Failed> {
    let unready = |failed: Failed| {
        let code = failed.parts.code;
        Failed::busy("not_ready", format!("questions cannot be answered: {code}"), 5)
    };
    app.state.read(|c| jobs::counts(c)).await.map_err(|error| unready(error.into()))?;
    match app.pipeline(&Place::default_of(Name::of_default())).await {
        Ok(pipeline) => {
            let info = pipeline
                .store()
                .info()
                .await
                .map_err(|error| unready(engine::EngineError::from(error).into()))?;
            Ok(Json(Ready { status: "ok", papers: info.sources, generation: info.generation }))
        }
        Err(failed) if failed.parts.code == "no_papers" => {
            Ok(Json(Ready { status: "no papers", papers: 0, generation: String::new() }))
        }
        Err(failed) => Err(unready(failed)),
    }
}

async fn metrics(State(app): State<App>, caller: Caller) -> Result<Response, Failed> {
    if caller.tenant() != Name::of_default() {
        let message = "/metrics covers all tenants: use an admin key of the tenant `default`";
        return Err(Failed::new(StatusCode::FORBIDDEN, "role", message).value(caller.tenant().as_str()));
    }
    let counts = app.state.read(|c| jobs::counts(c)).await?;
    let jobs = counts.into_iter().map(|(state, count)| (format!("{{state=\"{state}\"}}"), count as f64));
    let turns = app.turns.taken() as f64;
    let text = app.telemetry.text(&[
        Gauge { help: "pipeline_jobs gauge Jobs by state.", values: jobs.collect() },
        Gauge {
            help: "pipeline_requests_computing gauge Requests that compute or wait to.",
            values: vec![(String::new(), turns)],
        },
    ]);
    Ok(([(header::CONTENT_TYPE, METRICS)], text).into_response())
}

async fn openapi(State(app): State<App>) -> Response {
    let json = [(header::CONTENT_TYPE, crate::operation::JSON)];
    (json, app.openapi.clone()).into_response()
}
