//! The judge's grade of faithfulness.

use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::Score;

/// The metric.
pub(super) struct Grade;

const SPEC: Spec = Spec {
    key: "grade",
    title: "Faithfulness grade",
    definition: "4 when every claim is supported by a chunk that it cites; 3 when one claim is not; 2 when several are not; \
         1 when more than half are not, a chunk contradicts a claim, or the answer claims nothing. N/a on a refusal.",
    source: "a convention of this project: graded faithfulness on a four-point scale",
    kind: Kind::Mean,
    range: Range { low: 1.0, high: 4.0 },
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
    staged: true,
    by_construction: true,
};

impl Metric for Grade {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        sample
            .judged
            .score(|judged| Score::value(f64::from(judged.grade)))
    }
}
