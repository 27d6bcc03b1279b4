//! The overall score: a weighted mean of the dimensions that have a score.

use super::Dimension;
use crate::Score;
pub use types::EvaluateWeights as Weights;

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

impl Dimension {
    /// What it counts.
    pub fn weight(self, weights: &Weights) -> f64 {
        match self {
            Self::Faithfulness => weights.faithfulness_weight,
            Self::AnswerRelevance => weights.answer_relevance_weight,
            Self::CitationQuality => weights.citation_quality_weight,
            Self::Completeness => weights.completeness_weight,
            Self::Correctness => weights.correctness_weight,
        }
    }
}

impl Overall {
    /// The overall score of these scores.
    pub fn of(weights: &Weights, scores: &[(Dimension, Score)]) -> Self {
        let counted = |(dimension, score): &(Dimension, Score)| {
            let weight = dimension.weight(weights);
            (score.get().is_some() && weight > 0.0).then_some((*dimension, weight))
        };
        let without: Vec<_> =
            scores.iter().filter(|(dimension, _)| *dimension != Dimension::Correctness).cloned().collect();
        Self {
            score: mean(weights, scores),
            without_reference: mean(weights, &without),
            weights_used: scores.iter().filter_map(counted).collect(),
        }
    }
}

fn mean(weights: &Weights, scores: &[(Dimension, Score)]) -> Score {
    let weighed = || scores.iter().filter(|(dimension, _)| dimension.weight(weights) > 0.0);
    let failed = weighed().filter(|(_, score)| matches!(score, Score::Error(_)));
    let failed: Vec<&str> = failed.map(|(dimension, _)| dimension.key()).collect();
    if !failed.is_empty() {
        return Score::Error(format!("no score in {}", failed.join(", ")));
    }
    let (mut sum, mut all) = (0.0, 0.0);
    for (dimension, score) in weighed() {
        if let Some(value) = score.get() {
            sum += dimension.weight(weights) * value;
            all += dimension.weight(weights);
        }
    }
    if all > 0.0 { Score::value(sum / all) } else { Score::n_a("no dimension has a score") }
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
        let all = scores([Some(0.95), Some(1.0), Some(0.9), Some(0.85), Some(1.0)]);
        let all = Overall::of(&Weights::default(), &all);
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
        let some = Overall::of(&weights, &scores([Some(0.5), None, Some(1.0), None, None]));
        close(&some.score, (0.35 * 0.5 + 0.2) / 0.55);
        assert_eq!(some.weights_used.len(), 2);
        let none = Overall::of(&weights, &scores([None; 5]));
        assert!(matches!(none.score, Score::NotApplicable(_)) && none.weights_used.is_empty());
        let mut failed = scores([Some(1.0), Some(1.0), None, None, None]);
        failed[4].1 = Score::Error("no reply".to_owned());
        let failed = Overall::of(&weights, &failed);
        assert_eq!(failed.score, Score::Error("no score in correctness".to_owned()));
        close(&failed.without_reference, 1.0);
        let unweighed = Weights { correctness_weight: 0.0, ..weights };
        let mut scores = scores([Some(0.4), None, None, None, None]);
        scores[4].1 = Score::Error("no reply".to_owned());
        close(&Overall::of(&unweighed, &scores).score, 0.4);
    }
}
