//! The routes: each with what it allows, and as an operation of the OpenAPI document, from one description.

use crate::{
    app::App,
    failed::ErrorBody,
    guard::{self, Allowed},
    limits::{ANSWER_TIME, QUESTION_BYTES},
    state::keys::Role,
};
use axum::{
    Router, extract::DefaultBodyLimit, http::Method, middleware::from_fn_with_state, routing::MethodRouter,
};
use schemars::{
    JsonSchema, Schema, SchemaGenerator,
    generate::{Contract, SchemaSettings},
};
use serde_json::{Map, Value, json};
use std::time::Duration;

pub(crate) const JSON: &str = "application/json";
pub(crate) const EVENTS: &str = "text/event-stream";
pub(crate) const PNG: &str = "image/png";
pub(crate) const PDF: &str = "application/pdf";

type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A route.
#[derive(Clone)]
pub(crate) struct Operation {
    method: Method,
    path: &'static str,
    summary: &'static str,
    role: Option<Role>,
    /// Whether people see it: errors are pages, and the key may be in a cookie.
    is_page: bool,
    /// Content type and schema of the body.
    body: Option<(&'static str, MakeSchema)>,
    query: Option<MakeSchema>,
    /// Status, content type and schema of each answer that is no error.
    answers: Vec<(u16, &'static str, MakeSchema)>,
    bytes: usize,
    time: Duration,
}

impl Operation {
    fn new(method: Method, path: &'static str, summary: &'static str) -> Self {
        Self {
            method,
            path,
            summary,
            role: Some(Role::Read),
            is_page: false,
            body: None,
            query: None,
            answers: Vec::new(),
            bytes: QUESTION_BYTES,
            time: ANSWER_TIME,
        }
    }

    pub(crate) fn get(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::GET, path, summary)
    }

    pub(crate) fn post(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::POST, path, summary)
    }

    pub(crate) fn delete(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::DELETE, path, summary)
    }

    pub(crate) fn patch(path: &'static str, summary: &'static str) -> Self {
        Self::new(Method::PATCH, path, summary)
    }

    /// Needs no key.
    pub(crate) fn open(mut self) -> Self {
        self.role = None;
        self
    }

    /// Is a page.
    pub(crate) fn on_page(mut self) -> Self {
        self.is_page = true;
        self
    }

    /// With what answers it.
    pub(crate) fn by(self, handler: MethodRouter<App>) -> (Self, MethodRouter<App>) {
        (self, handler)
    }

    /// The role that a key needs; `read` unless given.
    pub(crate) fn role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// A JSON body.
    pub(crate) fn body<T: JsonSchema>(self) -> Self {
        self.body_of(JSON, schema_of::<T>)
    }

    pub(crate) fn body_of(mut self, content: &'static str, schema: MakeSchema) -> Self {
        self.body = Some((content, schema));
        self
    }

    /// Parameters of the query string.
    pub(crate) fn query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(|generator| T::json_schema(generator));
        self
    }

    /// A JSON answer.
    pub(crate) fn answers<T: JsonSchema>(mut self, status: u16) -> Self {
        self.answers.push((status, JSON, schema_of::<T>));
        self
    }

    /// An answer that is no JSON.
    pub(crate) fn answers_text(mut self, content: &'static str) -> Self {
        self.answers.push((200, content, |_| schemars::json_schema!({"type": "string"})));
        self
    }

    /// An answer that is a picture or another file.
    pub(crate) fn answers_file(mut self, content: &'static str) -> Self {
        self.answers.push((200, content, |_| schemars::json_schema!({})));
        self
    }

    /// What the body and the time may be.
    pub(crate) fn at_most(mut self, bytes: usize, time: Duration) -> Self {
        (self.bytes, self.time) = (bytes, time);
        self
    }
}

/// Routes with what answers them.
pub(crate) type Routes = Vec<(Operation, MethodRouter<App>)>;

/// The router of these routes.
pub(crate) fn router(app: &App, routes: Routes) -> Router<App> {
    let mut router = Router::new();
    for (operation, handler) in routes {
        let Operation { role, is_page, time, .. } = operation;
        let allowed = Allowed { app: App::clone(app), role, is_page, time };
        let handler = handler
            .layer(DefaultBodyLimit::max(operation.bytes))
            .layer(from_fn_with_state(allowed, guard::route));
        router = router.route(operation.path, handler);
    }
    router
}

/// The OpenAPI 3.1 document of these routes.
pub(crate) fn openapi(routes: &Routes) -> Value {
    let generator = |contract: Contract| {
        let mut settings = SchemaSettings::draft2020_12();
        settings.definitions_path = "/components/schemas".into();
        settings.contract = contract;
        settings.into_generator()
    };
    let (mut read, mut written) = (generator(Contract::Deserialize), generator(Contract::Serialize));
    let error = written.subschema_for::<ErrorBody>();
    let mut paths: Map<String, Value> = Map::new();
    for (operation, _) in routes {
        let of_path = paths.entry(operation.path).or_insert_with(|| json!({}));
        let mut described = describe(operation, &mut read, &mut written, &error);
        if operation.method == Method::POST && of_path.get("get").is_some() {
            let id = described["operationId"].as_str().unwrap_or_default();
            described["operationId"] = format!("post_{id}").into();
        }
        of_path[operation.method.as_str().to_lowercase()] = described;
    }
    let mut schemas = read.take_definitions(true);
    for (name, schema) in written.take_definitions(true) {
        // One name has one meaning, whether it is read or written.
        debug_assert!(schemas.get(&name).is_none_or(|own| *own == schema), "{name} has two schemas");
        schemas.insert(name, schema);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "pipeline",
            "version": engine::VERSION,
            "description": "Answers with quotes from a collection of papers, and scores of answers.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    })
}

fn describe(
    operation: &Operation,
    read: &mut SchemaGenerator,
    written: &mut SchemaGenerator,
    error: &Schema,
) -> Value {
    let mut parameters = Vec::new();
    for part in operation.path.split('/') {
        if let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            let schema = match name {
                "page" => json!({"type": "integer", "minimum": 1}),
                _ => json!({"type": "string"}),
            };
            parameters.push(json!({"name": name, "in": "path", "required": true, "schema": schema}));
        }
    }
    if let Some(query) = operation.query {
        let schema = query(read).to_value();
        let required = |name: &String| {
            let required = schema["required"].as_array();
            required.is_some_and(|all| all.iter().any(|own| own == name))
        };
        for (name, of) in schema["properties"].as_object().into_iter().flatten() {
            parameters.push(json!({"name": name, "in": "query", "required": required(name), "schema": of}));
        }
    }
    let mut responses: Map<String, Value> = Map::new();
    for (status, content, schema) in &operation.answers {
        let schema = schema(written);
        let of = responses
            .entry(status.to_string())
            .or_insert_with(|| json!({"description": "What was asked for.", "content": {}}));
        of["content"][*content] = json!({ "schema": schema });
    }
    let failed = json!({"description": "Why it was not done.", "content": {JSON: {"schema": error}}});
    let mut fails = vec![403, 503];
    if operation.role.is_some() {
        fails.extend([401, 404, 429]);
    }
    if operation.body.is_some() {
        fails.extend([400, 413, 415, 422]);
    }
    if operation.query.is_some() {
        fails.push(422);
    }
    for status in fails {
        responses.entry(status.to_string()).or_insert_with(|| failed.clone());
    }
    responses.insert("default".to_owned(), failed);
    let id = operation.path.trim_matches('/').replace(['/', '.', '-'], "_");
    let verb = match operation.method {
        Method::DELETE => "delete_",
        Method::PATCH => "change_",
        _ => "",
    };
    let mut out = json!({
        "operationId": format!("{verb}{}", id.replace(['{', '}'], "")),
        "summary": operation.summary,
        "responses": responses,
    });
    if !parameters.is_empty() {
        out["parameters"] = parameters.into();
    }
    if let Some((content, schema)) = operation.body {
        out["requestBody"] = json!({"required": true, "content": {content: {"schema": schema(read)}}});
    }
    if operation.role.is_some() {
        // A server without keys needs none.
        out["security"] = json!([{"key": []}, {}]);
    }
    out
}
