//! Which lists retrieval draws from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Retrieval mode. All modes share reranking, expansion and guardrails.
#[derive(strum::IntoStaticStr, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase", parse_err_ty = ParseModeError, parse_err_fn = unknown)]
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// BM25 and vectors, fused.
    #[default]
    Hybrid,
    /// Vectors alone.
    Vector,
    /// BM25 alone.
    Bm25,
}

impl Mode {
    /// The name as written on the command line and in logs.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A word that names no mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown retrieval mode {0:?}; use hybrid, vector or bm25")]
pub struct ParseModeError(pub String);

fn unknown(word: &str) -> ParseModeError {
    ParseModeError(word.to_owned())
}
