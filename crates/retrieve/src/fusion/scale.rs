//! How the scores of a list are scaled.

/// What normalising needs to know of a list of scores.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scale {
    pub(super) min: f32,
    pub(super) max: f32,
    pub(super) mean: f32,
    /// Standard deviation.
    pub(super) deviation: f32,
}

impl Scale {
    /// Of a list of scores, best first, that could have been `reach` long. Where it is shorter, the chunks after
    /// its end all score 0, and 0 is its lower end: the only chunk that holds a rare stem has the best score of
    /// its list, not the worst.
    pub(crate) fn of(mut scores: impl ExactSizeIterator<Item = f32>, reach: usize) -> Self {
        let complete = scores.len() >= reach;
        let count = scores.len().max(reach) as f64;
        let Some(max) = scores.next() else {
            return Self::default();
        };
        let (mut last, mut sum, mut squares) = (max, 0.0, 0.0);
        for score in std::iter::once(max).chain(scores) {
            last = score;
            sum += f64::from(score);
            squares += f64::from(score) * f64::from(score);
        }
        let mean = sum / count;
        Self {
            min: if complete { last } else { 0.0 },
            max,
            mean: mean as f32,
            deviation: (squares / count - mean * mean).max(0.0).sqrt() as f32,
        }
    }

    /// `score` between the ends, 0 below and 1 above them; 0 when they coincide.
    pub(super) fn apply(self, score: f32) -> f32 {
        self.apply_from(self.min, score)
    }

    /// The same with another lower end.
    pub(super) fn apply_from(self, min: f32, score: f32) -> f32 {
        if self.max > min {
            ((score - min) / (self.max - min)).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// Standard deviations above the mean; 0 when all scores are equal.
    pub(super) fn z_score(self, score: f32) -> f32 {
        if self.deviation > 0.0 {
            (score - self.mean) / self.deviation
        } else {
            0.0
        }
    }
}
