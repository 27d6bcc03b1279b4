//! What a system would get wrong if it answered only what it is most sure of.

use crate::{Row, Stated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answers with at least this stated probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RiskPoint {
    /// The lowest stated probability of the answers that count here, 0 to 1.
    pub probability: f64,
    /// Answers that count.
    pub answers: usize,
    /// Those of them that are wrong.
    pub wrong: usize,
}

/// The risk-coverage curve of one mode (El-Yaniv and Wiener 2010): answers in the order of their stated probability,
/// highest first; answers of equal probability come together. An answer is right as in [`Stated::of_row`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RiskCoverage {
    /// Labelled questions: coverage is the share of them that is answered.
    pub questions: usize,
    /// Answers that state no probability, or of which nothing tells whether they are right; they are not on the curve.
    pub left_out: usize,
    /// From the most certain answers to all of them.
    pub points: Vec<RiskPoint>,
}

impl RiskCoverage {
    /// Orders the answers of the rows of one mode.
    pub fn new(rows: &[&Row]) -> Self {
        let mut out = Self::default();
        let mut answers: Vec<(f64, bool)> = Vec::new();
        for row in rows {
            out.questions += usize::from(row.expected_no_evidence.is_some());
            let stated = Stated::of_row(row).and_then(|stated| Some((stated.probability?, stated.right)));
            match stated {
                Some((probability, right)) if probability.is_finite() => answers.push((probability, right)),
                _ => out.left_out += usize::from(row.no_evidence == Some(false)),
            }
        }
        answers.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut wrong = 0;
        for (at, (probability, right)) in answers.iter().enumerate() {
            wrong += usize::from(!right);
            let point = RiskPoint {
                probability: *probability,
                answers: at + 1,
                wrong,
            };
            match out.points.last_mut() {
                Some(last) if last.probability.total_cmp(probability).is_eq() => *last = point,
                _ => out.points.push(point),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Score;

    #[test]
    fn the_curve_by_hand() {
        let row = |probability: Option<f64>, right: Option<bool>, expected: Option<bool>| {
            let mut row = Row {
                no_evidence: Some(false),
                expected_no_evidence: expected,
                probability,
                ..Row::default()
            };
            let correct = right.map_or_else(|| Score::n_a("no reference"), Score::flag);
            row.scores.insert("correct", correct);
            row
        };
        let refused = Row {
            no_evidence: Some(true),
            expected_no_evidence: Some(true),
            ..Row::default()
        };
        let rows = [
            row(Some(0.5), Some(false), Some(false)),
            row(Some(0.9), Some(true), Some(false)),
            row(Some(0.5), Some(true), Some(false)),
            // An answer to a question without an answer is wrong.
            row(Some(0.2), None, Some(true)),
            row(None, Some(true), Some(false)),
            row(Some(0.7), None, Some(false)),
            refused,
        ];
        let curve = RiskCoverage::new(&rows.iter().collect::<Vec<_>>());
        assert_eq!((curve.questions, curve.left_out), (7, 2));
        let points: Vec<(f64, usize, usize)> = curve
            .points
            .iter()
            .map(|p| (p.probability, p.answers, p.wrong))
            .collect();
        assert_eq!(points, [(0.9, 1, 0), (0.5, 3, 1), (0.2, 4, 2)]);
        assert!(RiskCoverage::new(&[]).points.is_empty());
    }
}
