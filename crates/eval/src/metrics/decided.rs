//! Whether to answer was decided rightly, and how sure the system was.

use super::{Direction, Metric, Need, Spec, flag, view::lacks};
use crate::Score;

/// Does the answer refuse exactly where a refusal is expected?
pub(super) static NO_EVIDENCE_ACCURACY: Metric = Metric::new(
    Spec {
        key: "no_evidence_accuracy",
        title: "No-evidence accuracy",
        definition: "1 if the answer refuses exactly where a refusal is expected, else 0.",
        edge_cases: "N/a without the label.",
        source: "Rajpurkar et al. 2018 (SQuAD 2.0), accuracy of deciding whether a question has an answer",
        needs: &[Need::Answer, Need::ExpectedRefusal],
        staged: true,
        in_runs: true,
        ..Spec::PASS
    },
    |sample| Ok(flag(sample.refused()? == sample.expects_refusal()?)),
);

/// Are answerable questions answered?
pub(super) static COVERAGE: Metric = Metric::new(
    Spec {
        key: "coverage",
        title: "Coverage",
        definition: "Share of the answerable questions that were answered, rightly or not.",
        edge_cases: "N/a where a refusal is expected, and without the label.",
        source: "Rajpurkar et al. 2018 (SQuAD 2.0), the share of answerable questions that are answered",
        needs: &[Need::Answer, Need::ExpectedRefusal],
        in_runs: true,
        ..Spec::PASS
    },
    |sample| {
        if sample.expects_refusal()? {
            return Err(Score::n_a("a refusal is expected"));
        }
        Ok(flag(!sample.refused()?))
    },
);

/// Are unanswerable questions refused?
pub(super) static UNANSWERABLE_ACCURACY: Metric = Metric::new(
    Spec {
        key: "unanswerable_accuracy",
        title: "Unanswerable accuracy",
        definition: "Share of the unanswerable questions that were refused. A question tagged `leading` or `false_premise` without the label \
         counts as unanswerable.",
        edge_cases: "N/a where an answer is expected, and without the label; an empty answer is no refusal.",
        source: "Rajpurkar et al. 2018 (SQuAD 2.0), the share of unanswerable questions that are left unanswered; ADR-013, out-of-scope handling",
        needs: &[Need::Answer, Need::ExpectedRefusal],
        in_runs: true,
        ..Spec::PASS
    },
    |sample| {
        if !sample.expects_refusal()? {
            return Err(Score::n_a("an answer is expected"));
        }
        Ok(flag(sample.refused()?))
    },
);

/// Is the stated probability right?
pub(super) static BRIER_SCORE: Metric = Metric::new(
    Spec {
        key: "brier_score",
        title: "Brier score",
        definition: "(p - outcome)², where p is the stated probability, and the outcome 1 if the answer is right by its content, as `matched` \
         decides, and 0 if it is not or if a refusal is expected.",
        edge_cases: "N/a on a refusal, without a stated probability, and where nothing tells whether the answer is right.",
        source: "Brier 1950, the Brier score of a single forecast",
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
