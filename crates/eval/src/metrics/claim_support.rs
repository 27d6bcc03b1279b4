//! How many claims of the answer are supported by what they cite?

use super::{Metric, Need, Spec, View, share};
use crate::Score;

/// The metric.
pub(super) struct ClaimSupport;

const SPEC: Spec = Spec {
    key: "claim_support",
    title: "Claim support",
    definition: "Claims supported by a passage that they cite, over all claims of the answer.",
    edge_cases: "N/a on a refusal; 0 for an answer that claims nothing.",
    source: "Gao et al. 2023 (ALCE), citation recall, by claim",
    needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
    staged: true,
    by_construction: true,
    in_runs: true,
    ..Spec::SHARE
};

impl Metric for ClaimSupport {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let claims = &sample.judged()?.claims;
        sample.cited()?;
        Ok(share(claims.iter().map(|claim| claim.supported)))
    }
}
