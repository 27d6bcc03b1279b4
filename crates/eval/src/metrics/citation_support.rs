//! How many citations support the claim that they follow?

use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::Score;
use crate::judge::ClaimVerdict;

/// The metric.
pub(super) struct CitationSupport;

const SPEC: Spec = Spec {
    key: "citation_support",
    title: "Citation support",
    definition: "Share of the citations whose chunk, by itself, supports the claim that it is attached to. N/a on a refusal, \
         and if the judge gives no verdict for each citation; 0 for an answer without a citation.",
    source: "Gao et al. 2023 (ALCE), citation precision by entailment; the recall is Claim support",
    kind: Kind::Mean,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
    staged: true,
    by_construction: true,
};

impl Metric for CitationSupport {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        sample.judged.score(|judged| support(&judged.claims))
    }
}

fn support(claims: &[ClaimVerdict]) -> Score {
    let (mut right, mut all) = (0, 0);
    for claim in claims {
        all += claim.cited.len();
        right += match (&claim.supported_by, claim.cited.as_slice()) {
            (Some(by), _) => by.len(),
            (None, [] | [_]) => usize::from(claim.supported).min(claim.cited.len()),
            (None, _) => return Score::n_a("the judge does not tell which citation supports a claim"),
        };
    }
    if all == 0 {
        return Score::value(0.0);
    }
    Score::share(right, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Verdict;
    use crate::metrics::testing::close;

    fn claim(cited: &[&str], score: f64, by: Option<&[&str]>) -> ClaimVerdict {
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).into()).collect::<Vec<_>>();
        let verdict = ClaimVerdict::new(
            "c",
            &ids(cited),
            (score, score),
            Verdict::of(score, 0.0, 0.5),
            "",
            0.5,
        );
        match by {
            Some(by) => verdict.supported_by(ids(by)),
            None => verdict,
        }
    }

    #[test]
    fn citations_by_hand() {
        close(
            &support(&[claim(&["a", "b"], 0.9, Some(&["a"]))]),
            0.5,
            "one of two",
        );
        close(
            &support(&[claim(&["a"], 0.9, Some(&["a"])), claim(&["b"], 0.1, Some(&[]))]),
            0.5,
            "one of two claims",
        );
        close(
            &support(&[claim(&["a"], 0.9, None), claim(&[], 0.0, None)]),
            1.0,
            "uncited",
        );
        close(&support(&[claim(&["a"], 0.2, None)]), 0.0, "the only one");
        close(&support(&[claim(&[], 0.0, None)]), 0.0, "none");
        close(&support(&[]), 0.0, "no claim");
        assert!(matches!(
            support(&[claim(&["a", "b"], 0.9, None)]),
            Score::NotApplicable(_)
        ));
    }
}
