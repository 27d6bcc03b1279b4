//! The description of a metric of rows.

use eval::metrics::{Direction, Kind, Range};

/// A field of [`rows::AnswerRow`] that a metric reads.
#[derive(strum::IntoStaticStr, strum::Display)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The question.
    Question,
    /// The answer.
    Answer,
    /// The passages.
    Passages,
    /// The distances of the passages.
    #[strum(serialize = "passages.distance")]
    Distance,
    /// The ids of the retrieved documents, listed or those of the passages.
    Retrieved,
    /// The documents that answer.
    Expected,
    /// The sentences that answer.
    GoldQuotes,
    /// The right answer.
    Reference,
    /// The citations, listed or in the text of the answer.
    Citations,
    /// Whether a refusal is right.
    ExpectedRefusal,
}

impl Field {
    /// Its name in a row.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The description of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    /// Its name in JSON and tables.
    pub key: &'static str,
    /// Its exact definition, for people.
    pub definition: &'static str,
    /// When it is n/a, and what it is for refusals and empty answers.
    pub edge_cases: &'static str,
    /// The paper, the system or the convention that it follows.
    pub source: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// The range of its values; the upper end is infinite for counts.
    pub range: Range,
    /// Which values are good; `None` if neither is.
    pub direction: Option<Direction>,
    /// Fields that it needs, all of them.
    pub needs: &'static [Field],
    /// Fields of which it needs one; empty if `needs` are enough.
    pub needs_one_of: &'static [Field],
}

impl Spec {
    /// A share, 0 to 1, higher is better.
    pub(super) const SHARE: Self = Self {
        key: "",
        definition: "",
        edge_cases: "",
        source: "",
        kind: Kind::Mean,
        range: Range::UNIT,
        direction: Some(Direction::Higher),
        needs: &[],
        needs_one_of: &[],
    };
    /// 0 or 1, 1 is better.
    pub(super) const PASS: Self = Self {
        kind: Kind::Rate,
        ..Self::SHARE
    };
}
