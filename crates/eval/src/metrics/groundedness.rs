//! Is every claim of the answer supported by some chunk of the context?

use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::Score;

/// The metric.
pub(super) struct Groundedness;

const SPEC: Spec = Spec {
    key: "groundedness",
    title: "Groundedness",
    definition: "1 when every claim of the answer is supported by some single chunk of the context, cited \
         or not, else 0. N/a on a refusal; 0 for an answer that claims nothing.",
    source: "Es et al. 2024 (RAGAS), faithfulness to the context, as a decision on the whole answer",
    kind: Kind::Rate,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::Context, Need::Verdict],
    staged: true,
    by_construction: true,
};

impl Metric for Groundedness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        sample.judged.score(|judged| {
            Score::flag(!judged.claims.is_empty() && judged.claims.iter().all(|claim| claim.grounded))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::{ClaimVerdict, JudgeOutput, Judged, Verdict};
    use crate::metrics::testing::{close, response, score_of};
    use types::RunRecord;

    /// Claims as (score against the cited chunks, score against any).
    fn judged(scores: &[(f64, f64)]) -> Judged {
        let claims = scores
            .iter()
            .map(|(cited, any)| {
                ClaimVerdict::new("x", &[], (*cited, *any), Verdict::of(*cited, 0.0, 0.5), "", 0.5)
            })
            .collect();
        Judged::Output(JudgeOutput::of("test", claims, 0.5))
    }

    #[test]
    fn the_metrics_of_verdicts_by_hand() {
        let record = RunRecord::default();
        let check = |scores: &[(f64, f64)], expect: (f64, f64, f64)| {
            let judged = judged(scores);
            for (key, expect) in [
                ("faithful", expect.0),
                ("claim_support", expect.1),
                ("groundedness", expect.2),
            ] {
                let score = score_of(key, &record, &response("x", &[]), None, &judged);
                close(&score, expect, &format!("{key} {scores:?}"));
            }
        };
        check(&[(0.9, 0.9), (0.5, 0.8)], (1.0, 1.0, 1.0));
        check(&[(0.9, 0.9), (0.49, 0.8)], (0.0, 0.5, 1.0));
        check(&[(0.9, 0.9), (0.0, 0.4), (0.7, 0.7), (0.2, 0.3)], (0.0, 0.5, 0.0));
        check(&[(0.0, 0.0)], (0.0, 0.0, 0.0));
        // Nothing claimed is not everything supported.
        check(&[], (0.0, 0.0, 0.0));
    }
}
