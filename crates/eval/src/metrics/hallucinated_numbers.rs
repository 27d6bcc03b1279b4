//! Numbers that the answer makes up.

use super::{Direction, Kind, Metric, Need, Range, Sample, Spec, absent};
use crate::Score;
use text::entities::EntityKind;

/// The metric.
pub(super) struct HallucinatedNumbers;

const SPEC: Spec = Spec {
    key: "hallucinated_numbers",
    title: "Hallucinated numbers",
    definition: "Share of the numbers in the answer that appear, with the same unit, in neither the context nor the question. \
         Whole numbers below ten without a unit are ignored. N/a on a refusal, and if no number remains.",
    source: "Nan et al. 2021 (entity-level factual consistency), 1 - precision against the source, for numbers",
    kind: Kind::Mean,
    range: Range::UNIT,
    direction: Direction::Lower,
    needs: &[Need::Answer, Need::Context],
    staged: true,
    by_construction: true,
};

impl Metric for HallucinatedNumbers {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        absent::share(sample, |kind| kind == EntityKind::Number, "number")
    }
}
