//! Are the citations right, and does every claim have one?

use super::{Metric, Need, Spec, View, share};
use crate::Score;

/// The metric.
pub(super) struct CitationQuality;

const SPEC: Spec = Spec {
    key: "citation_quality",
    title: "Citation quality",
    definition: "F1 of precision and recall. Precision: the share of right citations, as in citation_verification_rate. \
         Recall: the share of the claims that a passage which they cite supports; citations that are only listed count for \
         every claim.",
    edge_cases: "N/a on a refusal, for an answer without a claim, and if nothing tells what is cited; 0 for an answer that \
         lists no citation.",
    source: "Gao et al. 2023 (ALCE), citation precision and recall; citation quality of the five-dimension judge",
    needs: &[Need::Answer, Need::Context, Need::Citations],
    ..Spec::SHARE
};

impl Metric for CitationQuality {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        sample.passages()?;
        let precision = sample.value_of("citation_verification_rate")?;
        let claims = &sample.judged()?.claims;
        if claims.is_empty() {
            return Err(Score::n_a("the answer claims nothing"));
        }
        let recall = share(claims.iter().map(|claim| claim.supported));
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
