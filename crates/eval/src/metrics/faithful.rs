//! Is every claim of the answer supported by what was retrieved?

use super::{Metric, Need, Spec, View, flag};
use crate::Score;
use types::words::first_of;

/// So many claims are named in an explanation.
const NAMED: usize = 3;

/// The metric.
pub(super) struct Faithful;

const SPEC: Spec = Spec {
    key: "faithful",
    title: "Faithful",
    definition: "1 if every claim of the answer is supported by at least one single passage of the retrieved context, cited or not, \
         else 0. Passages are never joined.",
    edge_cases: "N/a on a refusal, and where answer and passages are in different languages; 0 for an answer that claims nothing.",
    source: "Es et al. 2024 (RAGAS), faithfulness, as a decision on the whole answer; LitPath, groundedness",
    needs: &[Need::Answer, Need::Context, Need::Verdict],
    staged: true,
    by_construction: true,
    in_runs: true,
    ..Spec::PASS
};

impl Metric for Faithful {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let claims = &sample.judged()?.claims;
        Ok(flag(
            !claims.is_empty() && claims.iter().all(|claim| claim.grounded),
        ))
    }

    fn explanation(&self, sample: &View<'_>) -> Option<String> {
        let claims = &sample.judged().ok()?.claims;
        let missing = claims.iter().filter(|claim| !claim.grounded);
        let missing: Vec<String> = missing.map(|claim| format!("{:?}", claim.claim)).collect();
        let (all, supported) = (claims.len(), claims.len() - missing.len());
        let said = format!("a single passage supports the claim, for {supported} of {all} claims");
        Some(match missing.len() {
            0 => said,
            _ => format!("{said}; not for {}", first_of(missing.into_iter(), NAMED)),
        })
    }
}
