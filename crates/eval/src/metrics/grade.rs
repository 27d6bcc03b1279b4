//! The judge's grade of faithfulness.

use super::{Metric, Need, Range, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct Grade;

const SPEC: Spec = Spec {
    key: "grade",
    title: "Faithfulness grade",
    definition: "The lowest that applies: 1 if more than half of the claims are unsupported, a claim is contradicted, or the \
         answer claims nothing; 2 if two or more claims are unsupported; 3 if one is; 4 if none is. A claim is judged by \
         the passages that it cites.",
    edge_cases: "N/a on a refusal.",
    source: "a convention of this project: graded faithfulness on a four-point scale",
    range: Range { low: 1.0, high: 4.0 },
    needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
    staged: true,
    by_construction: true,
    in_runs: true,
    ..Spec::SHARE
};

impl Metric for Grade {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let judged = sample.judged()?;
        sample.cited()?;
        Ok(f64::from(judged.grade))
    }
}
