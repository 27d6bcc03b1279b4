//! Reads requests; what cannot be read is answered with an error body.

use crate::{
    app::{App, Caller},
    failed::Failed,
    limits::{BODY_TIME, BODY_VALUES},
    name::Name,
    shares::Share,
};
use axum::{
    Form,
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Query, Request, path::ErrorKind, rejection::PathRejection},
    http::{StatusCode, header, request::Parts},
};
use serde::{
    Deserialize as _, Deserializer,
    de::{DeserializeOwned, Error as _},
};
use serde_json::{Map, Value};
use std::time::Duration;

/// Bytes of a body that takes no time to read.
const QUICK_BYTES: usize = 64 << 10;

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned + Send + 'static> FromRequest<App> for Body<T> {
    type Rejection = Failed;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failed> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
            let failed = Failed::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", "the body must be JSON");
            return Err(failed.value(kind).hint("send the header Content-Type: application/json"));
        }
        let bytes = raw(request).await?;
        if bytes.len() < QUICK_BYTES {
            return parse(&bytes).map(Self);
        }
        app.pool().run(move || parse(&bytes)).await.map(Self)
    }
}

/// Refuses what could take many times its length in memory: a list or an object takes more than a hundred bytes.
///
/// # Errors
/// When a body could have more than `most` values.
pub(crate) fn check_values(bytes: &[u8], most: usize) -> Result<(), Failed> {
    let values = bytes.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{'));
    let values = values.count();
    if values <= most {
        return Ok(());
    }
    let message = format!("the body has more than {most} commas and opening brackets");
    let failed = Failed::invalid("too_many_values", message).value(values.to_string());
    Err(failed.hint("split the request into smaller ones"))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failed> {
    check_values(bytes, BODY_VALUES)?;
    let mut value: Value = serde_json::from_slice(bytes).map_err(|error| {
        let message = format!("the body is not valid JSON: {error}");
        Failed::new(StatusCode::BAD_REQUEST, "bad_json", message)
    })?;
    whole_numbers(&mut value);
    let described = |message: String| {
        Failed::invalid("bad_field", message).hint("GET /openapi.json describes the request")
    };
    let Value::Object(fields) = &mut value else {
        return Err(described("the body is not a JSON object".to_owned()));
    };
    // Many clients send null for what is not set.
    fields.retain(|_, field| !field.is_null());
    serde_json::from_value(value).map_err(|error| described(error.to_string()))
}

/// Writes 37.0 as 37: in JSON both are the same whole number.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            // Whole numbers up to here have one form as a floating-point number.
            let whole = number.as_f64().filter(|own| own.fract() == 0.0 && own.abs() < 1e15);
            if let Some(whole) = whole.filter(|_| number.is_f64()) {
                *number = (whole as i64).into();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(whole_numbers),
        Value::Object(keys) => keys.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

/// Reads an object, and no list of its values in their order.
///
/// # Errors
/// When it is none, or a field is wrong.
pub(crate) fn object<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<T, D::Error> {
    let keys = Map::deserialize(from)?;
    serde_json::from_value(Value::Object(keys)).map_err(D::Error::custom)
}

/// The body as it is.
///
/// # Errors
/// When it is larger than the route allows, ends too early, or comes too slowly.
pub(crate) async fn raw(request: Request) -> Result<Bytes, Failed> {
    in_time(BODY_TIME, Bytes::from_request(request, &()))
        .await?
        .map_err(|rejection| unread(rejection.status(), &rejection.body_text()))
}

/// What a client sends, if it comes in time.
///
/// # Errors
/// When it does not.
pub(crate) async fn in_time<T>(time: Duration, part: impl Future<Output = T>) -> Result<T, Failed> {
    let late = |_| {
        let message = format!("the body came too slowly; {} s were allowed", time.as_secs());
        Failed::new(StatusCode::REQUEST_TIMEOUT, "slow_body", message)
    };
    tokio::time::timeout(time, part).await.map_err(late)
}

/// Why a body could not be read.
pub(crate) fn unread(status: StatusCode, text: &str) -> Failed {
    if status == StatusCode::PAYLOAD_TOO_LARGE {
        Failed::new(status, "too_large", "the body is larger than this route allows")
            .hint("split the request into smaller ones")
    } else {
        Failed::new(StatusCode::BAD_REQUEST, "bad_body", text.to_owned())
    }
}

/// Room in memory for a body of so many bytes, of a request or of an answer. As an argument before the body it is taken before the
/// body is read.
pub(crate) struct Room<const BYTES: usize>(#[expect(dead_code, reason = "held")] Share);

impl<const BYTES: usize> Room<BYTES> {
    /// # Errors
    /// When as much as is allowed is taken, or as much as the tenant may take.
    pub(crate) fn take(app: &App, tenant: Option<&Name>) -> Result<Self, Failed> {
        let message =
            "too many large bodies are in transfer, on the server or for this tenant; try again later";
        let room = app.bodies.take(tenant, BYTES >> 20).map(Self);
        room.ok_or_else(|| Failed::busy("busy", message, 1))
    }
}

impl<const BYTES: usize> FromRequestParts<App> for Room<BYTES> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failed> {
        Self::take(app, parts.extensions.get().and_then(Caller::shares))
    }
}

/// The parameters of a query string.
pub(crate) struct Asked<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failed> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(asked)) => Ok(Self(asked)),
            Err(rejection) => Err(Failed::invalid("bad_query", rejection.body_text())),
        }
    }
}

/// The fields of a form.
pub(crate) struct Sent<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Sent<T> {
    type Rejection = Failed;

    async fn from_request(request: Request, _: &App) -> Result<Self, Failed> {
        match in_time(BODY_TIME, Form::from_request(request, &())).await? {
            Ok(Form(sent)) => Ok(Self(sent)),
            Err(rejection) => Err(unread(rejection.status(), &rejection.body_text())),
        }
    }
}

/// The parameters of a path.
pub(crate) struct Path<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failed> {
        match axum::extract::Path::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(path)) => Ok(Self(path)),
            // What no name can be, does not exist.
            Err(PathRejection::FailedToDeserializePathParams(error))
                if !matches!(error.kind(), ErrorKind::UnsupportedType { .. }) =>
            {
                Err(Failed::not_found("page", parts.uri.path()))
            }
            Err(rejection) => Err(Failed::inside(rejection.body_text())),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failed> {
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(|| Failed::inside("a route that names no role asks who calls"))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_as_long_as_a_body_may_be_has_few_values() {
        let text = "They walked two miles, slept in the hay [3], and went on the next day. ";
        let text = text.repeat(crate::limits::ANSWER_BYTES / text.len());
        assert!(super::check_values(text.as_bytes(), super::BODY_VALUES).is_ok());
    }
}
