//! Whether to answer was decided rightly, and how sure the system was.

use super::{Direction, Metric, Need, Spec, view::lacks};
use crate::Score;

/// Does the answer refuse exactly where a refusal is expected?
pub(super) static NO_EVIDENCE_ACCURACY: Metric = Metric::new(
    Spec {
        key: "no_evidence_accuracy",
        title: "No-evidence accuracy",
        needs: &[Need::Answer, Need::ExpectedRefusal],
        ..Spec::STAGED_PASS
    },
    |sample| Ok(f64::from(sample.refused()? == sample.expects_refusal()?)),
);

/// Are answerable questions answered?
pub(super) static COVERAGE: Metric = Metric::new(
    Spec {
        key: "coverage",
        title: "Coverage",
        needs: &[Need::Answer, Need::ExpectedRefusal],
        in_runs: true,
        ..Spec::PASS
    },
    |sample| {
        if sample.expects_refusal()? {
            return Err(Score::n_a("a refusal is expected"));
        }
        Ok(f64::from(!sample.refused()?))
    },
);

/// Are unanswerable questions refused?
pub(super) static UNANSWERABLE_ACCURACY: Metric = Metric::new(
    Spec {
        key: "unanswerable_accuracy",
        title: "Unanswerable accuracy",
        needs: &[Need::Answer, Need::ExpectedRefusal],
        in_runs: true,
        ..Spec::PASS
    },
    |sample| {
        if !sample.expects_refusal()? {
            return Err(Score::n_a("an answer is expected"));
        }
        Ok(f64::from(sample.refused()?))
    },
);

/// Is the stated probability right?
pub(super) static BRIER_SCORE: Metric = Metric::new(
    Spec {
        key: "brier_score",
        title: "Brier score",
        direction: Direction::Lower,
        needs: &[Need::Answer, Need::ExpectedRefusal, Need::Probability],
        needs_one_of: &[Need::GoldEvidence, Need::ReferenceAnswer],
        in_runs: true,
        ..Spec::SHARE
    },
    |sample| {
        sample.given()?;
        let stated = sample.sample.probability.ok_or_else(|| lacks(Need::Probability))?;
        let outcome = if sample.expects_refusal()? { 0.0 } else { sample.value_of("matched")? };
        Ok((stated - outcome).powi(2))
    },
);
