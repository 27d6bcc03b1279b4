//! Whether the claims of the answer are supported: by what was retrieved, or by what they cite.

use super::{Metric, Need, Range, Spec, share};
use crate::Score;
use types::words::first_of;

/// So many claims are named in an explanation.
const NAMED: usize = 3;

/// Is every claim of the answer supported by what was retrieved?
pub(super) static FAITHFUL: Metric = Metric::new(
    Spec {
        key: "faithful",
        title: "Binary faithfulness",
        needs: &[Need::Answer, Need::Context, Need::Verdict],
        ..Spec::COPIED_PASS
    },
    |sample| {
        let claims = &sample.judged()?.claims;
        Ok(f64::from(!claims.is_empty() && claims.iter().all(|claim| claim.grounded)))
    },
)
.explained(|sample| {
    let claims = &sample.judged().ok()?.claims;
    let missing = claims.iter().filter(|claim| !claim.grounded);
    let missing: Vec<String> = missing.map(|claim| format!("{:?}", claim.claim)).collect();
    let (all, supported) = (claims.len(), claims.len() - missing.len());
    let said = format!("a single passage supports the claim, for {supported} of {all} claims");
    Some(match missing.len() {
        0 => said,
        _ => format!("{said}; not for {}", first_of(missing.into_iter(), NAMED)),
    })
});

/// Do the passages support what the answer claims?
pub(super) static FAITHFULNESS: Metric = Metric::new(
    Spec { key: "faithfulness", title: "Faithfulness", needs: &[Need::Answer, Need::Context], ..Spec::SHARE },
    |sample| {
        let claims = &sample.judged()?.claims;
        if claims.is_empty() {
            return Err(Score::n_a("the answer claims nothing"));
        }
        Ok(share(claims.iter().map(|claim| claim.grounded)))
    },
)
.explained(|sample| {
    let claims = &sample.judged().ok()?.claims;
    let supported = claims.iter().filter(|claim| claim.grounded).count();
    Some(format!("single passages support {supported} of {} claims", claims.len()))
})
.finding(|sample| {
    let claims = sample.judged().map(|judged| judged.claims.as_slice()).unwrap_or_default();
    let unsupported = claims.iter().filter(|claim| !claim.grounded);
    unsupported.map(|claim| claim.claim.clone()).collect()
});

/// Is every claim of the answer supported by what it cites?
pub(super) static FULLY_CITED: Metric = Metric::new(
    Spec {
        key: "fully_cited",
        title: "Fully cited",
        needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
        ..Spec::COPIED_PASS
    },
    |sample| {
        let judged = sample.judged()?;
        sample.cited()?;
        Ok(f64::from(judged.faithful))
    },
);

/// How many claims of the answer are supported by what they cite?
pub(super) static CLAIM_SUPPORT: Metric = Metric::new(
    Spec {
        key: "claim_support",
        title: "Claim support",
        needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
        ..Spec::COPIED_SHARE
    },
    |sample| {
        let claims = &sample.judged()?.claims;
        sample.cited()?;
        Ok(share(claims.iter().map(|claim| claim.supported)))
    },
);

/// The judge's grade of faithfulness.
pub(super) static GRADE: Metric = Metric::new(
    Spec {
        key: "grade",
        title: "Faithfulness grade",
        range: Range { low: 1.0, high: 4.0 },
        needs: &[Need::Answer, Need::Citations, Need::Context, Need::Verdict],
        ..Spec::COPIED_SHARE
    },
    |sample| {
        let judged = sample.judged()?;
        sample.cited()?;
        Ok(f64::from(judged.grade))
    },
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn supported_claims_by_hand() {
        let text = "In both arms, walking lowered blood pressure by 6 mmHg. Weight did not change.";
        let passages = [("a", text)];
        check(&FAITHFULNESS, &row("q", "Walking lowered blood pressure by 6 mmHg.", &passages), 1.0);
        let half = "Walking lowered blood pressure by 6 mmHg. Walking doubled the life span of zebrafish.";
        check(&FAITHFULNESS, &row("q", half, &passages), 0.5);
        check(&FAITHFULNESS, &row("q", "Walking lowered blood pressure by 60 mmHg.", &passages), 0.0);
        check(&FAITHFULNESS, &row("q", half, &[]), 0.0);
    }

    #[test]
    fn nothing_claimed_is_not_applicable() {
        check_n_a(&FAITHFULNESS, &row("q", "", &[("a", "b")]), "claims nothing");
        check_n_a(&FAITHFULNESS, &row("q", "The papers do not report this.", &[]), "refusal");
        let mut row = row("q", "Mice ran.", &[]);
        row.passages = None;
        check_n_a(&FAITHFULNESS, &row, "`passages`");
    }
}
