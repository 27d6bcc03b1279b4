//! Answers with one deliberate error each, to measure what guardrails catch.
//!
//! An answer is made from [`Fact`]s: sentences of papers, each with its citation. A correct answer repeats them, in the
//! words of the papers or in others ([`reword`]). A wrong answer has one sentence with an error of an [`ErrorKind`]. The
//! seed decides what is changed.
//!
//! This module does not know the guardrails. It changes words without regard to meaning, so a few changes alter nothing that
//! matters. No guardrail can therefore reach a recall of 1.

mod alter;
mod answer;
mod wording;

pub use answer::{Fact, PlantedAnswer, plant};
pub use wording::reword;

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

/// What is wrong with a planted sentence.
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Another number.
    Number,
    /// Another unit after the same number.
    Unit,
    /// A finding of one paper, attributed to an author of another paper.
    Author,
    /// "Increased" instead of "decreased", or the reverse.
    Direction,
    /// A denial added or removed.
    Negation,
    /// Another symbol or name.
    Entity,
    /// "May", "might" or "suggests" replaced by certainty.
    Hedging,
    /// A sentence that cites a passage of another paper.
    Source,
    /// A quote that is not in the passage.
    Quote,
    /// Two findings joined in one sentence that cites only the passage of the first.
    Merged,
}

impl ErrorKind {
    /// All kinds, in the order of reports.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// The name of the kind in reports.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests;
