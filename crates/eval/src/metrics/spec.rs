//! The description of a metric.

use std::{collections::HashMap, fmt, sync::LazyLock};

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
    /// Neither: the metric describes.
    Neither,
}

impl Direction {
    /// Whether a change of `delta` is for the better.
    pub fn improves(self, delta: f64) -> bool {
        match self {
            Self::Higher => delta > 0.0,
            Self::Lower => delta < 0.0,
            Self::Neither => false,
        }
    }
}

/// A field of a [`crate::Sample`], or a verdict on it, that a metric reads. A score that lacks one is n/a and names it.
#[derive(strum::IntoStaticStr, strum::Display)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// The question.
    Question,
    /// The answer, and whether it is a refusal.
    Answer,
    /// What the answer cites, in its list and inside its text.
    Citations,
    /// The passages that the answer was written from.
    #[strum(serialize = "passages")]
    Context,
    /// The distances of the passages.
    #[strum(serialize = "passages.distance")]
    Distance,
    /// The ids of the retrieved documents, listed or those of the passages.
    Retrieved,
    /// The documents that answer.
    Expected,
    /// The sentences that answer.
    #[strum(serialize = "gold_quotes")]
    GoldEvidence,
    /// The right answer.
    #[strum(serialize = "reference")]
    ReferenceAnswer,
    /// Whether a refusal is right.
    ExpectedRefusal,
    /// The probability that the answer states.
    Probability,
    /// A judge's verdict on each claim of the answer.
    #[strum(serialize = "judge")]
    Verdict,
}

impl Need {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The description of a metric: everything that other modules know about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    /// Its name in JSON, gates and logs.
    pub key: &'static str,
    /// Its name in tables.
    pub title: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// The range of its values; a score outside it becomes an error. The upper end is infinite for counts.
    pub range: Range,
    /// Which values are good.
    pub direction: Direction,
    /// What it reads, each once.
    pub needs: &'static [Need],
    /// What it needs one of; empty if `needs` are enough.
    pub needs_one_of: &'static [Need],
    /// Whether `eval` computes it for every run; `score` computes all.
    pub in_runs: bool,
    /// Whether it is about the response, so that runs compute it before guardrails too.
    pub staged: bool,
    /// Whether it has its best value by construction for answers that are copied verbatim.
    pub by_construction: bool,
}

impl Spec {
    /// A share, 0 to 1, higher is better.
    pub(super) const SHARE: Self = Self {
        key: "",
        title: "",
        kind: Kind::Mean,
        range: Range::UNIT,
        direction: Direction::Higher,
        needs: &[],
        needs_one_of: &[],
        in_runs: false,
        staged: false,
        by_construction: false,
    };
    /// 0 or 1, 1 is better.
    pub(super) const PASS: Self = Self { kind: Kind::Rate, ..Self::SHARE };
    /// A share of the response that runs compute too.
    pub(super) const STAGED_SHARE: Self = Self { in_runs: true, staged: true, ..Self::SHARE };
    /// 0 or 1 of the response that runs compute too.
    pub(super) const STAGED_PASS: Self = Self { in_runs: true, staged: true, ..Self::PASS };
    /// A share of the response that answers copied verbatim have by construction.
    pub(super) const COPIED_SHARE: Self = Self { by_construction: true, ..Self::STAGED_SHARE };
    /// 0 or 1 of the response that answers copied verbatim have by construction.
    pub(super) const COPIED_PASS: Self = Self { by_construction: true, ..Self::STAGED_PASS };

    /// For people: its exact definition; when it is n/a, and what it is for refusals and empty answers; and the paper, the system or
    /// the convention that it follows. The table in `docs/metrics.md` is the place of these texts.
    pub fn texts(&self) -> &'static [String; 3] {
        static TEXTS: LazyLock<HashMap<&str, [String; 3]>> = LazyLock::new(|| {
            let rows = include_str!("../../../../docs/metrics.md").lines().filter_map(|line| {
                let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
                let [key, _, _, _, _, definition, edge_cases, source] = cells[..] else { return None };
                Some((key, [definition, edge_cases, source].map(|text| text.replace('\\', ""))))
            });
            rows.collect()
        });
        &TEXTS[self.key]
    }
}
