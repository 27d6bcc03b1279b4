//! The error of a setting that is outside its range.

use std::fmt::Display;

/// A field of a settings type is outside its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} must be {limit}, got {value}")]
pub struct OutOfRange {
    /// The field, as named in the settings.
    pub field: String,
    /// Its value.
    pub value: String,
    /// What is allowed.
    pub limit: String,
}

impl OutOfRange {
    /// An error for this field, its value and what is allowed.
    pub fn new(field: &str, value: impl Display, limit: impl Into<String>) -> Self {
        Self { field: field.to_owned(), value: value.to_string(), limit: limit.into() }
    }

    /// The same of a field of this section.
    #[must_use]
    pub fn within(self, section: &str) -> Self {
        let field = format!("{section}.{}", self.field);
        Self { field, ..self }
    }
}
