//! Is every claim of the answer supported by what it cites?

use super::{Metric, Need, Spec, View, flag};
use crate::Score;

/// The metric.
pub(super) struct FullyCited;

const SPEC: Spec = Spec {
    key: "fully_cited",
    title: "Fully cited",
    definition: "1 if every claim of the answer is supported by a single passage that it cites, else 0. A claim without a citation is \
         unsupported; citations that are only listed count for every claim.",
    edge_cases: "N/a on a refusal; 0 for an answer that claims nothing.",
    source: "Gao et al. 2023 (ALCE), as a decision on the whole answer",
    needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
    staged: true,
    by_construction: true,
    in_runs: true,
    ..Spec::PASS
};

impl Metric for FullyCited {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let judged = sample.judged()?;
        sample.cited()?;
        Ok(flag(judged.faithful))
    }
}
