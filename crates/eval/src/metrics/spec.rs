//! The description of a metric.

use std::fmt;
use strum::VariantArray as _;

/// Which values a metric takes. It decides how the interval of its mean is computed and how means are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 0 or 1 per row: Wilson's interval, exact McNemar test.
    Rate,
    /// Any value in between: bootstrap interval, paired randomisation test.
    Mean,
}

/// The least and the greatest value that a metric can take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

impl Range {
    /// From 0 to 1.
    pub const UNIT: Self = Self { low: 0.0, high: 1.0 };

    /// Whether it contains a value.
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Both ends.
    pub fn bounds(self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// The bounds of the difference of two values.
    pub fn difference(self) -> (f64, f64) {
        (self.low - self.high, self.high - self.low)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} and {}", self.low, self.high)
    }
}

/// Which of two values is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The higher one.
    Higher,
    /// The lower one.
    Lower,
}

impl Direction {
    /// Whether a change of `delta` is for the better.
    pub fn improves(self, delta: f64) -> bool {
        match self {
            Self::Higher => delta > 0.0,
            Self::Lower => delta < 0.0,
        }
    }
}

/// What a metric reads. If something that it needs is missing, its score is n/a, with that as the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::Display, strum::VariantArray)]
pub enum Need {
    /// The text of the answer, and whether it is a refusal.
    #[strum(to_string = "the answer")]
    Answer,
    /// What the answer cites, in its list and inside its text.
    #[strum(to_string = "its citations")]
    Citations,
    /// The chunks that the generator saw.
    #[strum(to_string = "the context")]
    Context,
    /// The label that says whether a refusal is expected.
    #[strum(to_string = "the label for refusals")]
    ExpectedRefusal,
    /// The labelled passages that answer the question.
    #[strum(to_string = "gold evidence")]
    GoldEvidence,
    /// The probability that the answer states.
    #[strum(to_string = "a stated probability")]
    Probability,
    /// The labelled answer.
    #[strum(to_string = "a reference answer")]
    ReferenceAnswer,
    /// A judge's verdict on each claim of the answer.
    #[strum(to_string = "a judge")]
    Verdict,
}

impl Need {
    /// All of them.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);
}

/// The description of a metric: everything that other modules know about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    /// Its name in JSON, gates and logs.
    pub key: &'static str,
    /// Its name in tables.
    pub title: &'static str,
    /// Its exact definition, for people.
    pub definition: &'static str,
    /// The paper or the convention that it follows.
    pub source: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// The range of its values; a score outside it becomes an error.
    pub range: Range,
    /// Which values are good.
    pub direction: Direction,
    /// What it reads, each once.
    pub needs: &'static [Need],
    /// Whether it is about the response, and therefore computed before and after guardrails.
    pub staged: bool,
    /// Whether it has its best value by construction for answers that are copied verbatim.
    pub by_construction: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_follows_the_direction() {
        assert!(Direction::Higher.improves(0.1) && !Direction::Higher.improves(-0.1));
        assert!(Direction::Lower.improves(-0.1) && !Direction::Lower.improves(0.1));
        assert!(!Direction::Higher.improves(0.0) && !Direction::Lower.improves(0.0));
    }

    #[test]
    fn ranges_bound_values_and_differences() {
        let range = Range { low: -1.0, high: 3.0 };
        assert!(range.contains(-1.0) && range.contains(3.0) && !range.contains(3.1));
        assert!(!range.contains(f64::NAN));
        assert_eq!(range.difference(), (-4.0, 4.0));
        assert_eq!(Range::UNIT.to_string(), "0 and 1");
    }
}
