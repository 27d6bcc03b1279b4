//! What is in an archive or a portfolio.

use crate::format::Format;
use serde::{Deserialize, Serialize};

/// A file in an archive that has the name of a paper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its name: what stands behind the path of the archive.
    pub name: String,
    /// Its format and the SHA-256 of its bytes, or why it cannot be read.
    pub content: Result<(Format, String), String>,
}

impl Member {
    /// One that cannot be read.
    pub(crate) fn unread(name: &str, reason: impl Into<String>) -> Self {
        Self { name: name.to_owned(), content: Err(reason.into()) }
    }
}
