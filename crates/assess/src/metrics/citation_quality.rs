//! Are the citations right, and does every claim have one?

use super::{Field, Metric, Sample, Spec};
use eval::Score;

/// The metric.
pub(super) struct CitationQuality;

const SPEC: Spec = Spec {
    key: "citation_quality",
    definition: "F1 of precision and recall. Precision: the share of right citations, as in citation_verification_rate. \
         Recall: the share of the claims that a passage which they cite supports; citations that are only listed count for \
         every claim.",
    edge_cases: "N/a on a refusal, for an answer without a claim, and if nothing tells what is cited; 0 for an answer that \
         lists no citation.",
    source: "Gao et al. 2023 (ALCE), citation precision and recall; citation quality of the five-dimension judge",
    needs: &[Field::Answer, Field::Passages, Field::Citations],
    ..Spec::SHARE
};

impl Metric for CitationQuality {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &Sample<'_>) -> Result<f64, Score> {
        sample.passages()?;
        let precision = super::citation_verification_rate::CitationVerificationRate.value(sample)?;
        let judged = sample.judged()?;
        let supported = judged.iter().filter(|claim| claim.by_cited).count();
        let recall = supported as f64 / judged.len() as f64;
        let sum = precision + recall;
        Ok(if sum > 0.0 {
            2.0 * precision * recall / sum
        } else {
            0.0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn precision_and_recall_by_hand() {
        let passages = [
            ("a.pdf", "In both arms, walking lowered blood pressure by 6 mmHg."),
            ("b.pdf", "Body weight did not change in any group."),
        ];
        let quality = |answer: &str, want: f64| check(&CitationQuality, &row("q", answer, &passages), want);
        quality(
            "Walking lowered blood pressure [a.pdf]. Body weight did not change [b.pdf].",
            1.0,
        );
        // The second claim has no citation: precision 1, recall 1/2.
        quality(
            "Walking lowered blood pressure [a.pdf]. Body weight did not change.",
            2.0 / 3.0,
        );
        // Exchanged: both documents were retrieved, and neither supports its claim.
        quality(
            "Walking lowered blood pressure [b.pdf]. Body weight did not change [a.pdf].",
            0.0,
        );
        quality("Walking lowered blood pressure [c.pdf].", 0.0);
        check_n_a(
            &CitationQuality,
            &row("q", "Walking helps.", &passages),
            "`citations`",
        );
    }
}
