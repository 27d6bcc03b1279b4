//! Normalised section labels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

/// What a section is, whatever its heading says.
#[derive(strum::IntoStaticStr, strum::Display, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "lowercase", parse_err_ty = ParseSectionError, parse_err_fn = unknown)]
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum SectionKind {
    /// The abstract, structured or not.
    Abstract,
    /// Introduction.
    Introduction,
    /// Background, related work, theory.
    Background,
    /// Materials, participants, procedures, analysis.
    Methods,
    /// Results, findings.
    Results,
    /// Discussion, limitations.
    Discussion,
    /// Conclusion, outlook, implications.
    Conclusion,
    /// The reference list.
    References,
    /// Supplementary files, appendices, acknowledgements, funding, availability of data and the like.
    Supplementary,
    /// Anything else.
    #[default]
    Body,
}

impl SectionKind {
    /// Every kind, in the order in which papers usually print them.
    pub const ALL: [Self; Self::VARIANTS.len()] = crate::words::all(Self::VARIANTS);

    /// The label as it stands in chunk ids and outputs.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether text of this kind is indexed: all but reference lists.
    pub fn indexed(self) -> bool {
        self != Self::References
    }
}

/// A label that names no section kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown section {0:?}; use one of abstract, introduction, background, methods, results, discussion, conclusion, references, supplementary, body"
)]
pub struct ParseSectionError(pub String);

fn unknown(word: &str) -> ParseSectionError {
    ParseSectionError(word.to_owned())
}
