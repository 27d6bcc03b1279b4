//! What the checks found about a claim of an answer.

use crate::ChunkId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

/// What a language model says about a claim and the passages that it cites.
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// A passage says all of it.
    Supported,
    /// A passage says a part of it.
    Partly,
    /// No passage says it.
    Unsupported,
    /// A passage says otherwise.
    Contradicted,
}

impl ClaimVerdict {
    /// All, from the best.
    pub const ALL: [Self; Self::VARIANTS.len()] = crate::words::all(Self::VARIANTS);

    /// Its name in replies, logs and documents.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A claim of a generated answer, and what the checks found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CheckedClaim {
    /// The claim, without marks.
    pub claim: String,
    /// The passages that it cites.
    pub cited: Vec<ChunkId>,
    /// Whether every check that was made supports it.
    pub supported: bool,
    /// Probability that a cited passage supports it, 0 to 1, by the offline check, and at least 0.95 if a large language model
    /// finds it supported; null if it cites nothing or could not be compared.
    #[serde(default)]
    pub probability: Option<f32>,
    /// What the language model that verifies says; null if none did.
    #[serde(default)]
    pub verdict: Option<ClaimVerdict>,
    /// What is wrong with it; null if nothing is.
    #[serde(default)]
    pub reason: Option<String>,
    /// Whether its sentence was removed from the answer.
    #[serde(default)]
    pub removed: bool,
}
