//! Which combinations no other one beats on everything at once.

use crate::metrics::Direction;

/// A combination with what it achieves and what it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// The mean of the measure.
    pub quality: Option<f64>,
    /// Median milliseconds of an answer.
    pub latency_ms: Option<f64>,
    /// US dollars for all questions.
    pub cost: Option<f64>,
}

/// Latencies are rounded to steps of this ratio: times of the same work differ by some percent from run to run.
const STEP: f64 = 1.25;

/// Whether each point is on the Pareto front: no other point is at least as good in quality, latency and cost, and better in
/// one of them. Latencies are compared in steps of 25 %. A point without quality is not on it. Latency or cost is left out
/// if any point with a quality lacks it.
pub fn front(points: &[Point], better: Direction) -> Vec<bool> {
    let of = |value: fn(&Point) -> Option<f64>| {
        let known = points.iter().filter(|point| point.quality.is_some());
        known.clone().all(|point| value(point).is_some())
    };
    let (latency, cost) = (of(|point| point.latency_ms), of(|point| point.cost));
    let goods: Vec<Option<[f64; 3]>> = points
        .iter()
        .map(|point| {
            let quality = match better {
                Direction::Higher | Direction::Neither => point.quality?,
                Direction::Lower => -point.quality?,
            };
            let used = |on: bool, value: Option<f64>| if on { -value.unwrap_or_default() } else { 0.0 };
            Some([
                quality,
                used(latency, point.latency_ms.map(step)),
                used(cost, point.cost),
            ])
        })
        .collect();
    let dominates = |a: &[f64; 3], b: &[f64; 3]| {
        // Means of the same values in another order differ in the last bits.
        let pairs = || a.iter().zip(b).map(|(a, b)| a - b);
        pairs().all(|d| d >= -1e-12) && pairs().any(|d| d > 1e-12)
    };
    goods
        .iter()
        .map(|own| own.is_some_and(|own| !goods.iter().flatten().any(|other| dominates(other, &own))))
        .collect()
}

/// The step of a latency, as a number that grows with it.
fn step(milliseconds: f64) -> f64 {
    (milliseconds.max(1e-3).ln() / STEP.ln()).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(quality: f64, latency: f64, cost: f64) -> Point {
        Point {
            quality: Some(quality),
            latency_ms: Some(latency),
            cost: Some(cost),
        }
    }

    #[test]
    fn fronts_by_hand() {
        let points = [
            point(0.5, 10.0, 0.0),
            point(0.6, 20.0, 0.0),
            point(0.55, 40.0, 0.0),
            // The same step of latency, and a lower quality.
            point(0.4, 9.9, 0.0),
            Point::default(),
        ];
        assert_eq!(
            front(&points, Direction::Higher),
            [true, true, false, false, false]
        );
        assert_eq!(
            front(&points, Direction::Lower),
            [false, false, false, true, false]
        );
        // Equal points do not beat each other.
        assert_eq!(front(&[points[0], points[0]], Direction::Higher), [true, true]);
        // Without the latency of one, quality alone decides.
        let mut unknown = points;
        unknown[1].latency_ms = None;
        assert_eq!(
            front(&unknown, Direction::Higher),
            [false, true, false, false, false]
        );
    }

    proptest! {
        #[test]
        fn no_point_of_the_front_is_beaten(raw in prop::collection::vec((0.0f64..1.0, 1.0f64..500.0, 0.0f64..2.0), 1..40)) {
            let points: Vec<Point> = raw.iter().map(|(q, l, c)| point(*q, *l, *c)).collect();
            let on = front(&points, Direction::Higher);
            let clearly_beats = |a: &Point, b: &Point| {
                let value = |v: Option<f64>| v.unwrap_or_default();
                value(a.quality) > value(b.quality)
                    && value(a.latency_ms) * STEP * STEP < value(b.latency_ms)
                    && value(a.cost) < value(b.cost)
            };
            prop_assert!(on.contains(&true));
            for (own, on) in points.iter().zip(&on) {
                let beaten = points.iter().any(|other| clearly_beats(other, own));
                prop_assert!(!(*on && beaten));
            }
            // Whoever is not on it is beaten by one that is.
            let good = |p: &Point| [p.quality.unwrap_or_default(), -step(p.latency_ms.unwrap_or_default()), -p.cost.unwrap_or_default()];
            for (own, _) in points.iter().zip(&on).filter(|(_, on)| !**on) {
                let beats = |other: &Point| good(other).iter().zip(good(own)).all(|(a, b)| *a >= b - 1e-12);
                prop_assert!(points.iter().zip(&on).any(|(other, on)| *on && beats(other)));
            }
        }
    }
}
