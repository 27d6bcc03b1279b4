//! The judge's grade of faithfulness.

use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::Score;

/// The metric.
pub(super) struct Grade;

const SPEC: Spec = Spec {
    key: "grade",
    title: "Faithfulness grade",
    definition: "The lowest that applies: 1 if more than half of the claims are unsupported, a claim is contradicted, or the \
         answer claims nothing; 2 if two or more claims are unsupported; 3 if one is; 4 if none is. A claim is judged by \
         the chunks that it cites. N/a on a refusal.",
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
