//! The overall score: a weighted mean of the dimensions that have a score.

use super::Dimension;
use crate::Score;
use serde::{Deserialize, Serialize};
use types::{OutOfRange, SettingGroup};

/// What each dimension counts; 0 leaves it out, and it is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, SettingGroup)]
#[serde(deny_unknown_fields)]
#[settings(check = not_all_zero)]
pub struct Weights {
    /// Weight of faithfulness in the overall score of `pipeline evaluate`, the weighted mean of the dimensions that have a score
    /// in the row. 0: not judged.
    #[setting(default = 0.35, range = 0.0..=1.0)]
    pub faithfulness_weight: f64,
    /// Weight of answer relevance in the overall score of `pipeline evaluate`. 0: not judged.
    #[setting(default = 0.25, range = 0.0..=1.0)]
    pub answer_relevance_weight: f64,
    /// Weight of citation quality in the overall score of `pipeline evaluate`. 0: not judged.
    #[setting(default = 0.20, range = 0.0..=1.0)]
    pub citation_quality_weight: f64,
    /// Weight of completeness in the overall score of `pipeline evaluate`. 0: not judged.
    #[setting(default = 0.20, range = 0.0..=1.0)]
    pub completeness_weight: f64,
    /// Weight of correctness in the overall score of `pipeline evaluate`; only in rows with a reference answer. 0: not judged.
    #[setting(default = 0.30, range = 0.0..=1.0)]
    pub correctness_weight: f64,
}

/// The overall score of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Overall {
    /// Over all dimensions. An error if a dimension is one; n/a if none has a score.
    pub score: Score,
    /// The same without correctness, to compare rows that have a reference with rows that have none.
    pub without_reference: Score,
    /// The weights of the dimensions that have a score, as configured. The score is divided by their sum.
    pub weights_used: Vec<(Dimension, f64)>,
}

impl Weights {
    /// The weight of a dimension.
    pub fn of(&self, dimension: Dimension) -> f64 {
        match dimension {
            Dimension::Faithfulness => self.faithfulness_weight,
            Dimension::AnswerRelevance => self.answer_relevance_weight,
            Dimension::CitationQuality => self.citation_quality_weight,
            Dimension::Completeness => self.completeness_weight,
            Dimension::Correctness => self.correctness_weight,
        }
    }

    /// The overall score of these scores.
    pub fn overall(&self, scores: &[(Dimension, Score)]) -> Overall {
        let counted = |(dimension, score): &(Dimension, Score)| {
            (score.get().is_some() && self.of(*dimension) > 0.0).then(|| (*dimension, self.of(*dimension)))
        };
        let without: Vec<_> =
            scores.iter().filter(|(dimension, _)| *dimension != Dimension::Correctness).cloned().collect();
        Overall {
            score: self.mean(scores),
            without_reference: self.mean(&without),
            weights_used: scores.iter().filter_map(counted).collect(),
        }
    }

    fn mean(&self, scores: &[(Dimension, Score)]) -> Score {
        let weighed = || scores.iter().filter(|(dimension, _)| self.of(*dimension) > 0.0);
        let failed: Vec<&str> = weighed()
            .filter(|(_, score)| matches!(score, Score::Error(_)))
            .map(|(dimension, _)| dimension.key())
            .collect();
        if !failed.is_empty() {
            return Score::Error(format!("no score in {}", failed.join(", ")));
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (dimension, score) in weighed() {
            if let Some(value) = score.get() {
                sum += self.of(*dimension) * value;
                weights += self.of(*dimension);
            }
        }
        if weights > 0.0 { Score::value(sum / weights) } else { Score::n_a("no dimension has a score") }
    }
}

fn not_all_zero(weights: &Weights) -> Result<(), OutOfRange> {
    if Dimension::ALL.iter().all(|dimension| weights.of(*dimension) == 0.0) {
        let limit = "more than 0 if all other weights are 0";
        return Err(OutOfRange::new("faithfulness_weight", 0, limit));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(values: [Option<f64>; 5]) -> Vec<(Dimension, Score)> {
        let score = |value: Option<f64>| value.map_or_else(|| Score::n_a("none"), Score::value);
        Dimension::ALL.into_iter().zip(values.map(score)).collect()
    }

    fn close(score: &Score, want: f64) {
        assert!((score.get().expect("a score") - want).abs() < 1e-4, "{score:?} is not {want}");
    }

    #[test]
    fn the_example_of_the_reference() {
        let all =
            Weights::default().overall(&scores([Some(0.95), Some(1.0), Some(0.9), Some(0.85), Some(1.0)]));
        // (.35 × .95 + .25 × 1 + .2 × .9 + .2 × .85 + .3 × 1) / 1.3
        close(&all.score, 0.948_08);
        // Without correctness .9325; the reference prints it cut to .932.
        close(&all.without_reference, 0.932_5);
        let used: Vec<f64> = all.weights_used.iter().map(|(_, weight)| *weight).collect();
        assert_eq!(used, [0.35, 0.25, 0.20, 0.20, 0.30]);
    }

    #[test]
    fn missing_dimensions_do_not_count_and_errors_spoil_the_mean() {
        let weights = Weights::default();
        let some = weights.overall(&scores([Some(0.5), None, Some(1.0), None, None]));
        close(&some.score, (0.35 * 0.5 + 0.2) / 0.55);
        assert_eq!(some.weights_used.len(), 2);
        let none = weights.overall(&scores([None; 5]));
        assert!(matches!(none.score, Score::NotApplicable(_)) && none.weights_used.is_empty());
        let mut failed = scores([Some(1.0), Some(1.0), None, None, None]);
        failed[4].1 = Score::Error("no reply".to_owned());
        let failed = weights.overall(&failed);
        assert_eq!(failed.score, Score::Error("no score in correctness".to_owned()));
        close(&failed.without_reference, 1.0);
        let unweighed = Weights { correctness_weight: 0.0, ..weights };
        let mut scores = scores([Some(0.4), None, None, None, None]);
        scores[4].1 = Score::Error("no reply".to_owned());
        close(&unweighed.overall(&scores).score, 0.4);
    }

    #[test]
    fn weights_have_ranges() {
        assert!(Weights::default().check_ranges().is_ok());
        let wrong = Weights { completeness_weight: f64::NAN, ..Weights::default() };
        assert!(wrong.check_ranges().is_err());
        let nothing = Weights {
            faithfulness_weight: 0.0,
            answer_relevance_weight: 0.0,
            citation_quality_weight: 0.0,
            completeness_weight: 0.0,
            correctness_weight: 0.0,
        };
        assert!(nothing.check_ranges().is_err());
    }
}
