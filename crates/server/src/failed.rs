//! Why a request was not done, as every route says it.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use engine::EngineError;
use lab::LabError;
use rusqlite::ffi::SQLITE_IOERR_WRITE;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::{fmt::Display, io::ErrorKind, sync::Arc};
use types::{ErrorParts, Explain, FailureKind};

tokio::task_local! {
    /// The id of the request that this task answers.
    pub(crate) static REQUEST_ID: Arc<str>;
}

const ASK_OPERATOR: &str = "give the operator the request_id: the log of the server says why";
const DISK_FULL: &str = "the server's disk is full";

/// The body of every answer that is an error.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RequestError", deny_unknown_fields)]
pub(crate) struct ErrorBody {
    /// The error.
    #[serde(flatten)]
    pub(crate) parts: ErrorParts,
    /// The request, as in the log and in the header `x-request-id`.
    pub(crate) request_id: String,
}

/// A request that was not done.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) status: StatusCode,
    pub(crate) parts: Box<ErrorParts>,
    /// Seconds after which it may be tried again.
    retry_after: Option<u64>,
    /// What only the log says.
    inside: Option<String>,
}

/// What the log says of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    pub(crate) code: &'static str,
    pub(crate) inside: Option<String>,
}

impl Failed {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        let parts = ErrorParts { code, message, value: None, hint: None };
        Self::from((status, parts))
    }

    /// A value that is not allowed.
    pub(crate) fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// What does not exist, or belongs to another tenant: nobody can tell which.
    pub(crate) fn not_found(what: &'static str, id: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("there is no such {what}")).value(id)
    }

    /// No room for more.
    pub(crate) fn full(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INSUFFICIENT_STORAGE, "full", message)
    }

    /// Too much work at the moment.
    pub(crate) fn busy(code: &'static str, message: impl Into<String>, seconds: u64) -> Self {
        let mut failed = Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message)
            .hint(format!("try again after {seconds} s"));
        failed.retry_after = Some(seconds);
        failed
    }

    /// What only the operator can mend: the client gets the id of the request, the log says more.
    pub(crate) fn inside(error: impl Display) -> Self {
        let (status, message) = (StatusCode::INTERNAL_SERVER_ERROR, "internal error of the server");
        Self::new(status, "internal", message).hint(ASK_OPERATOR).because(error)
    }

    /// What the log says more.
    fn because(mut self, error: impl Display) -> Self {
        self.inside = Some(error.to_string());
        self
    }

    pub(crate) fn value(mut self, value: impl Into<String>) -> Self {
        // The start of a long value is enough to find it.
        self.parts.value = Some(value.into().chars().take(200).collect());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.parts.hint = Some(hint.into());
        self
    }

    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// The body of the answer, as jobs and streams have it too.
    pub(crate) fn document(self) -> Value {
        let request_id = REQUEST_ID.try_with(ToString::to_string).unwrap_or_default();
        serde_json::to_value(ErrorBody { parts: *self.parts, request_id }).unwrap_or_default()
    }

    /// What a client did wrong keeps its own text; what may pass is a 503; all else is the operator's.
    fn of(parts: ErrorParts, kind: FailureKind) -> Self {
        let status = match parts.code {
            "empty_question" | "long_question" | "bad_quote" | "filter" | "bad_metadata" => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            "manifest_not_written" | "paper_gone" => StatusCode::CONFLICT,
            "no_such_page" | "quote_not_on_page" | "no_page_image" => StatusCode::NOT_FOUND,
            _ if kind == FailureKind::Transient => {
                let busy = Self::busy("unavailable", "a component of the server is not responding", 5);
                return busy.because(parts);
            }
            code if code.starts_with("chat_") => {
                let message = "the language model gave no answer that can be used";
                let failed = Self::new(StatusCode::BAD_GATEWAY, "language_model", message).hint(ASK_OPERATOR);
                return failed.because(parts);
            }
            _ => return Self::inside(parts),
        };
        Self::from((status, parts))
    }
}

impl Failed {
    /// Adds what the log says, and when to try again.
    pub(crate) fn mark(&self, response: &mut Response) {
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(Logged { code: self.parts.code, inside: self.inside.clone() });
    }
}

impl From<(StatusCode, ErrorParts)> for Failed {
    fn from((status, parts): (StatusCode, ErrorParts)) -> Self {
        Self { status, parts: Box::new(parts), retry_after: None, inside: None }
    }
}

impl Display for Failed {
    /// As for the log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.inside.as_ref().unwrap_or(&self.parts.message))
    }
}

impl From<EngineError> for Failed {
    fn from(error: EngineError) -> Self {
        let kind = error.kind();
        let mut parts = error.explain();
        if parts.code == "index_missing" {
            return Self::new(StatusCode::NOT_FOUND, "no_papers", "there are no papers yet")
                .hint("upload papers with POST /v1/ingest");
        }
        // The hint of a filter names a command; over HTTP it is a route.
        if parts.code == "filter" {
            parts.hint = Some("GET /v1/papers lists the source ids".to_owned());
            let end = parts.message.find("; ").unwrap_or(parts.message.len());
            parts.message.truncate(end);
        }
        Self::of(parts, kind)
    }
}

impl From<LabError> for Failed {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Engine(error) => error.into(),
            LabError::Rows(error) => {
                // The hint names options of the command.
                let text = error.to_string();
                let message = text.split("; ").next().unwrap_or_default();
                Self::invalid("rows", message).hint("send rows in a format that `pipeline score` reads")
            }
            error => Self::inside(error),
        }
    }
}

/// Whether another program locks the state.
pub(crate) fn is_locked(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
}

impl From<rusqlite::Error> for Failed {
    fn from(error: rusqlite::Error) -> Self {
        let failed = match error.sqlite_error_code() {
            _ if is_locked(&error) => {
                Self::busy("unavailable", "state.sqlite is locked by another program", 1)
            }
            Some(rusqlite::ErrorCode::DiskFull) => Self::full(DISK_FULL),
            // So SQLite calls a file that must not grow: EFBIG, EDQUOT.
            _ if error.sqlite_error().map(|own| own.extended_code) == Some(SQLITE_IOERR_WRITE) => Self::full(
                "the server cannot write to disk: the disk, the quota or the limit on file sizes may be full",
            ),
            _ => Self::inside(""),
        };
        failed.because(format!("state: {error}"))
    }
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::FileTooLarge | ErrorKind::QuotaExceeded => {
                Self::full(DISK_FULL).because(error)
            }
            _ => Self::inside(error),
        }
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let status = self.status;
        let mut response = (status, Json(self.clone().document())).into_response();
        if status == StatusCode::UNAUTHORIZED {
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        self.mark(&mut response);
        // A page says it in its own way.
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi::SQLITE_IOERR_READ;

    #[test]
    fn a_full_disk_is_told() {
        for kind in [ErrorKind::StorageFull, ErrorKind::FileTooLarge] {
            let failed = Failed::from(std::io::Error::from(kind));
            assert_eq!((failed.status.as_u16(), failed.parts.code), (507, "full"));
        }
        let codes = [rusqlite::ffi::SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_READ];
        let errors = codes.map(|code| rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None));
        let statuses = errors.map(|error| Failed::from(error).status.as_u16());
        assert_eq!(statuses, [507, 507, 500]);
    }
}
