//! How many claims of the answer are supported by what they cite?

use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::Score;

/// The metric.
pub(super) struct ClaimSupport;

const SPEC: Spec = Spec {
    key: "claim_support",
    title: "Claim support",
    definition: "Claims supported by a chunk that they cite, over all claims of the answer. N/a on a \
         refusal; 0 for an answer that claims nothing.",
    source: "Gao et al. 2023 (ALCE), citation recall, by claim",
    kind: Kind::Mean,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
    staged: true,
    by_construction: true,
};

impl Metric for ClaimSupport {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        sample.judged.score(|judged| {
            if judged.claims.is_empty() {
                return Score::value(0.0);
            }
            let supported = judged.claims.iter().filter(|claim| claim.supported).count();
            Score::share(supported, judged.claims.len())
        })
    }
}
