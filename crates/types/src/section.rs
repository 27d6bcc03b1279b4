//! Normalised section labels.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What a section is, whatever its heading says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
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
    /// Supplementary files, appendices, acknowledgements, funding and the like.
    Supplementary,
    /// Anything else.
    #[default]
    Body,
}

impl SectionKind {
    /// Every kind, in the order in which papers usually print them.
    pub const ALL: [SectionKind; 10] = [
        Self::Abstract,
        Self::Introduction,
        Self::Background,
        Self::Methods,
        Self::Results,
        Self::Discussion,
        Self::Conclusion,
        Self::References,
        Self::Supplementary,
        Self::Body,
    ];

    /// The label as it stands in chunk ids and outputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Abstract => "abstract",
            Self::Introduction => "introduction",
            Self::Background => "background",
            Self::Methods => "methods",
            Self::Results => "results",
            Self::Discussion => "discussion",
            Self::Conclusion => "conclusion",
            Self::References => "references",
            Self::Supplementary => "supplementary",
            Self::Body => "body",
        }
    }

    /// Whether text of this kind is indexed: reference lists and supplements are not.
    pub fn indexed(self) -> bool {
        !matches!(self, Self::References | Self::Supplementary)
    }
}

impl fmt::Display for SectionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A label that names no section kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown section {0:?}; use one of abstract, introduction, background, methods, results, discussion, conclusion, references, supplementary, body"
)]
pub struct ParseSectionError(pub String);

impl FromStr for SectionKind {
    type Err = ParseSectionError;
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|k| k.as_str() == s)
            .ok_or_else(|| ParseSectionError(s.to_owned()))
    }
}
