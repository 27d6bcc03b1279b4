//! Is the stated probability right?

use super::gold::{passages, recall, shown};
use super::{Direction, Kind, Metric, Need, REFUSAL, Range, Sample, Spec};
use crate::Score;

/// The metric.
pub(super) struct ConfidenceError;

const SPEC: Spec = Spec {
    key: "confidence_error",
    title: "Confidence error",
    definition: "(p - outcome)², where p is the stated probability. The outcome is 1 if the answer shows gold evidence, and 0 \
         if it does not or if a refusal is expected. N/a on a refusal, without a stated probability, and without \
         labels.",
    source: "Brier 1950, the Brier score of a single forecast",
    kind: Kind::Mean,
    range: Range::UNIT,
    direction: Direction::Lower,
    needs: &[
        Need::Answer,
        Need::Citations,
        Need::ExpectedRefusal,
        Need::GoldEvidence,
        Need::Probability,
    ],
    staged: true,
    by_construction: false,
};

impl Metric for ConfidenceError {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        if sample.response.no_evidence {
            return Score::n_a(REFUSAL);
        }
        let Some(stated) = sample.response.probability else {
            return Score::n_a("the answer states no probability");
        };
        match right(sample) {
            Ok(right) => Score::value((f64::from(stated) - f64::from(u8::from(right))).powi(2)),
            Err(score) => score,
        }
    }
}

/// Whether the answer shows labelled evidence; the score where that cannot be told.
fn right(sample: &Sample<'_>) -> Result<bool, Score> {
    if sample.query.is_some_and(|query| query.expected_no_evidence) {
        return Ok(false);
    }
    let passages = passages(sample.response);
    match recall(sample.query, |gold| Some(shown(&passages, gold))) {
        Score::Value(found) => Ok(found > 0.0),
        score => Err(score),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judged;
    use crate::metrics::testing::{cite, close, query_with_gold, refusal, response, score_of};
    use types::{ResponseRecord, RunRecord};

    const GOLD: &str = "Walking raised VO2max by 12 % in forty older adults over one year.";

    #[test]
    fn errors_by_hand() {
        let judged = Judged::NotApplicable("not asked".to_owned());
        let mut query = query_with_gold(&[("a", GOLD), ("b", "Mice lived longer.")]);
        let stated = |quote: &str, probability: f32| ResponseRecord {
            probability: Some(probability),
            ..response("Short (a, a__body__000).", &[cite("a__body__000", quote)])
        };
        let score = |response: &ResponseRecord, query: Option<&crate::Query>| {
            score_of(
                "confidence_error",
                &RunRecord::default(),
                response,
                query,
                &judged,
            )
        };
        close(&score(&stated(GOLD, 0.75), Some(&query)), 0.0625, "right");
        close(&score(&stated("Rats ran.", 0.75), Some(&query)), 0.5625, "wrong");
        for (response, query) in [
            (refusal(), Some(&query)),
            (response("x", &[]), Some(&query)),
            (stated(GOLD, 0.75), None),
        ] {
            let score = score(&response, query);
            assert!(matches!(score, Score::NotApplicable(_)), "{score:?}");
        }
        query.expected_no_evidence = true;
        close(
            &score(&stated(GOLD, 0.5), Some(&query)),
            0.25,
            "a refusal was right",
        );
    }
}
