//! Errors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a command or a request failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Error {
    /// The kind of error, for programs: words joined by `_`.
    pub code: String,
    /// What was wrong, in one sentence without a full stop.
    pub message: String,
    /// The value that was wrong, if there is one: a path, a setting's value, an id.
    pub value: Option<String>,
    /// What to do, if anything can be done.
    pub hint: Option<String>,
}
