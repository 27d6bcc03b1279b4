//! How far are the passages from the question?

use super::view::lacks;
use super::{Metric, Need, Spec, View};
use crate::Score;
use crate::metrics::{Direction, Range};

/// The metric.
pub(super) struct AverageDistance;

const SPEC: Spec = Spec {
    key: "average_distance",
    title: "Average distance",
    definition: "Mean of the distances of the retrieved passages: squared L2 between unit vectors, which is 2 - 2 × cosine.",
    edge_cases: "N/a unless every passage states a distance: it is not computed here, since it belongs to the embedding model \
         of the system. The target below 1.0 (a cosine above 0.5) belongs to all-mpnet-base-v2.",
    source: "LitPath, average distance score",
    range: Range { low: 0.0, high: 4.0 },
    direction: Direction::Lower,
    needs: &[Need::Distance],
    in_runs: true,
    ..Spec::SHARE
};

impl Metric for AverageDistance {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let returned = sample.sample.returned.as_deref();
        let passages = returned.map_or_else(|| sample.passages(), Ok)?;
        if passages.is_empty() {
            return Err(Score::n_a("no passage was retrieved"));
        }
        let distances: Option<Vec<f64>> = passages.iter().map(|passage| passage.distance).collect();
        let distances = distances.ok_or_else(|| lacks(Need::Distance))?;
        Ok(distances.iter().sum::<f64>() / distances.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row, score_of};

    #[test]
    fn mean_of_stated_distances() {
        let mut row = row("q", "x", &[("a", "y"), ("b", "z")]);
        check_n_a(&AverageDistance, &row, "distance");
        let mut set = |distances: [Option<f64>; 2]| {
            let passages = row.passages.as_mut().expect("passages").iter_mut();
            passages
                .zip(distances)
                .for_each(|(passage, distance)| passage.distance = distance);
            row.clone()
        };
        // Cosines of 0.75 and 0.5.
        check(&AverageDistance, &set([Some(0.5), Some(1.0)]), 0.75);
        check_n_a(&AverageDistance, &set([Some(0.5), None]), "distance");
        let outside = score_of(&AverageDistance, &set([Some(9.0), Some(9.0)]));
        assert!(matches!(outside, Score::Error(_)), "{outside:?}");
    }
}
