//! How many citations support the claim that they follow?

use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct CitationSupport;

const SPEC: Spec = Spec {
    key: "citation_support",
    title: "Citation support",
    definition: "Share of the citations whose passage, by itself, supports the claim that it is attached to.",
    edge_cases: "N/a on a refusal, and if the judge gives no verdict for each citation; 0 for an answer without a citation.",
    source: "Gao et al. 2023 (ALCE), citation precision by entailment; the recall is Claim support",
    needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
    staged: true,
    by_construction: true,
    in_runs: true,
    ..Spec::SHARE
};

impl Metric for CitationSupport {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let claims = &sample.judged()?.claims;
        sample.cited()?;
        let (mut right, mut all) = (0, 0);
        for claim in claims {
            all += claim.cited.len();
            right += match (&claim.supported_by, claim.cited.as_slice()) {
                (Some(by), _) => by.len(),
                (None, [] | [_]) => usize::from(claim.supported).min(claim.cited.len()),
                (None, _) => {
                    let why = "the judge does not tell which citation supports a claim";
                    return Err(Score::n_a(why));
                }
            };
        }
        Ok(if all == 0 { 0.0 } else { right as f64 / all as f64 })
    }
}
