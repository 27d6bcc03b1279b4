//! Which lists retrieval draws from.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Retrieval mode. All modes share reranking, expansion and guardrails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
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
        match self {
            Self::Hybrid => "hybrid",
            Self::Vector => "vector",
            Self::Bm25 => "bm25",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown retrieval mode {0:?}; use hybrid, vector or bm25")]
pub struct ParseModeError(pub String);

impl FromStr for Mode {
    type Err = ParseModeError;
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        match s {
            "hybrid" => Ok(Self::Hybrid),
            "vector" => Ok(Self::Vector),
            "bm25" => Ok(Self::Bm25),
            other => Err(ParseModeError(other.to_owned())),
        }
    }
}
