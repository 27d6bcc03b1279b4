//! One metric of one row: a number, or the reason why there is none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The outcome of one metric on one row. In JSON a number, `{"n_a": reason}` or `{"error": reason}`; a number
/// that is not finite cannot be held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Repr", into = "Repr")]
pub enum Score {
    /// A value, 0 to 1, higher is better.
    Value(f64),
    /// The metric says nothing about this row.
    NotApplicable(String),
    /// The metric should have a value and has none.
    Error(String),
}

impl Score {
    /// A value; an error when it is not finite.
    pub fn value(value: f64) -> Self {
        if value.is_finite() {
            Self::Value(value)
        } else {
            Self::Error(format!("the score came out as {value}"))
        }
    }

    /// 1 or 0.
    pub fn flag(holds: bool) -> Self {
        Self::Value(f64::from(holds))
    }

    /// Not applicable, and why.
    pub fn n_a(reason: impl Into<String>) -> Self {
        Self::NotApplicable(reason.into())
    }

    /// The value, where there is one.
    pub fn get(&self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(*value),
            _ => None,
        }
    }
}

/// The JSON shapes.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Score")]
#[serde(untagged)]
enum Repr {
    Value(f64),
    NotApplicable { n_a: String },
    Error { error: String },
}

impl From<Repr> for Score {
    fn from(repr: Repr) -> Self {
        match repr {
            Repr::Value(value) => Self::value(value),
            Repr::NotApplicable { n_a } => Self::NotApplicable(n_a),
            Repr::Error { error } => Self::Error(error),
        }
    }
}

impl From<Score> for Repr {
    fn from(score: Score) -> Self {
        match score {
            Score::Value(value) if value.is_finite() => Self::Value(value),
            Score::Value(value) => Self::Error { error: format!("the score came out as {value}") },
            Score::NotApplicable(n_a) => Self::NotApplicable { n_a },
            Score::Error(error) => Self::Error { error },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Score;

    #[test]
    fn no_score_is_ever_nan() {
        let check = |score: Score, json: &str| {
            let written = serde_json::to_string(&score).expect("serialises");
            assert_eq!(written, json);
            let again: Score = serde_json::from_str(&written).expect("loads");
            assert_eq!(serde_json::to_string(&again).expect("serialises"), json);
        };
        check(Score::value(0.25), "0.25");
        check(Score::flag(true), "1.0");
        check(Score::n_a("refusal"), r#"{"n_a":"refusal"}"#);
        check(Score::value(f64::NAN), r#"{"error":"the score came out as NaN"}"#);
        check(Score::Value(f64::NAN), r#"{"error":"the score came out as NaN"}"#);
        check(Score::value(f64::INFINITY), r#"{"error":"the score came out as inf"}"#);
    }
}
