//! Is every claim of the answer supported by what it cites?

use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::Score;

/// The metric.
pub(super) struct Faithful;

const SPEC: Spec = Spec {
    key: "faithful",
    title: "Faithful",
    definition: "1 when every claim of the answer is supported by a chunk that it cites, else 0. A claim \
         without a citation is unsupported. N/a on a refusal; 0 for an answer that claims nothing.",
    source: "Gao et al. 2023 (ALCE) and Es et al. 2024 (RAGAS), faithfulness, as a decision on the whole answer",
    kind: Kind::Rate,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
    staged: true,
    by_construction: true,
};

impl Metric for Faithful {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        sample.judged.score(|judged| Score::flag(judged.faithful))
    }
}
