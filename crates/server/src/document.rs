//! Documents as answers.

use crate::failed::Failed;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// A document, printed as the commands print it.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        // As a value first: numbers are printed in one way, whatever type holds them.
        match serde_json::to_value(self.0) {
            Ok(document) => axum::Json(document).into_response(),
            Err(error) => Failed::inside(error).into_response(),
        }
    }
}
