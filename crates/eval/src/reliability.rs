//! Compares stated confidence with how often answers are right.

use crate::Row;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An answer with the confidence that it stated, and whether it was right.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// `high`, `medium` or `low`.
    pub level: String,
    /// The stated probability, if any.
    pub probability: Option<f64>,
    /// Whether the answer is right.
    pub right: bool,
}

impl Stated {
    /// What a row states. An answer is right by its content, as the metric `matched` has it, and wrong where a refusal was
    /// expected. `None` for refusals, and where nothing tells what is right.
    pub fn of_row(row: &Row) -> Option<Self> {
        if row.no_evidence != Some(false) {
            return None;
        }
        let right = match row.expected_no_evidence {
            Some(true) => false,
            _ => row.value("matched")? > 0.5,
        };
        Some(Self { level: row.confidence.clone(), probability: row.probability, right })
    }
}

/// Answers of one level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "ReliabilityBin")]
pub struct Bin {
    /// The level, or the range of probabilities.
    pub name: String,
    /// Answers.
    pub answers: usize,
    /// Those that were right.
    pub right: usize,
    /// Mean stated probability, 0 to 1; `None` if none was stated.
    pub stated: Option<f64>,
}

/// Answers by stated confidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Reliability {
    /// `high`, `medium`, `low`, as far as they occur.
    pub levels: Vec<Bin>,
    /// Tenths of the stated probability, as far as they occur.
    pub tenths: Vec<Bin>,
    /// Share of the right answers that are of level `high`; `None` without right answers.
    pub high_of_right: Option<f64>,
}

impl Reliability {
    /// Counts the answers of each level and of each tenth.
    pub fn new(answers: &[Stated]) -> Self {
        let bin = |name: String, belongs: &dyn Fn(&Stated) -> bool| {
            let own: Vec<&Stated> = answers.iter().filter(|answer| belongs(answer)).collect();
            let stated: Vec<f64> = own.iter().filter_map(|answer| answer.probability).collect();
            Bin {
                name,
                answers: own.len(),
                right: own.iter().filter(|answer| answer.right).count(),
                stated: (!stated.is_empty()).then(|| stated.iter().sum::<f64>() / stated.len() as f64),
            }
        };
        let level = |level: &str| bin(level.to_owned(), &|answer| answer.level == level);
        let tenth = |tenth: usize| {
            let of = |p: f64| ((p * 10.0) as usize).min(9) == tenth;
            let name = format!("{:.1} to {:.1}", tenth as f64 / 10.0, (tenth + 1) as f64 / 10.0);
            bin(name, &|answer| answer.probability.is_some_and(of))
        };
        let occurs = |bin: &Bin| bin.answers > 0;
        let right = answers.iter().filter(|answer| answer.right).count();
        let levels: Vec<Bin> = ["high", "medium", "low"].map(level).into_iter().filter(occurs).collect();
        let high = levels.iter().find(|bin| bin.name == "high").map_or(0, |bin| bin.right);
        Self {
            levels,
            tenths: (0..10).map(tenth).filter(occurs).collect(),
            high_of_right: (right > 0).then(|| high as f64 / right as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Score;

    #[test]
    fn answers_are_counted_by_level_and_probability() {
        let stated = |level: &str, probability: f64, right: bool| Stated {
            level: level.to_owned(),
            probability: Some(probability),
            right,
        };
        let found = Reliability::new(&[
            stated("high", 1.0, true),
            stated("high", 0.95, false),
            stated("low", 0.2, true),
        ]);
        let levels: Vec<(&str, usize, usize)> =
            found.levels.iter().map(|bin| (bin.name.as_str(), bin.answers, bin.right)).collect();
        assert_eq!(levels, [("high", 2, 1), ("low", 1, 1)]);
        let tenths: Vec<&str> = found.tenths.iter().map(|bin| bin.name.as_str()).collect();
        assert_eq!(tenths, ["0.2 to 0.3", "0.9 to 1.0"]);
        assert_eq!(found.high_of_right, Some(0.5));
        assert_eq!(found.levels.iter().map(|bin| bin.stated).collect::<Vec<_>>(), [Some(0.975), Some(0.2)]);
        assert_eq!(Reliability::new(&[]).high_of_right, None);
    }

    #[test]
    fn rows_without_a_label_or_an_answer_state_nothing() {
        let row = |refused: bool, expected: Option<bool>, correct: Option<f64>| {
            let mut row = Row {
                no_evidence: Some(refused),
                expected_no_evidence: expected,
                confidence: "high".to_owned(),
                ..Row::default()
            };
            let score = correct.map_or_else(|| Score::n_a("no reference"), Score::value);
            row.scores.insert("matched".to_owned(), score);
            Stated::of_row(&row).map(|stated| stated.right)
        };
        assert_eq!(row(false, Some(false), Some(1.0)), Some(true));
        assert_eq!(row(false, Some(false), Some(0.0)), Some(false));
        assert_eq!(row(false, Some(true), None), Some(false));
        assert_eq!(row(false, Some(false), None), None);
        assert_eq!(row(true, Some(false), Some(0.0)), None);
    }
}
