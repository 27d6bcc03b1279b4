//! What the judge's verdicts say of a response.

use crate::Score;
use crate::judge::JudgeOutput;

/// 1 when every claim is supported by a chunk that it cites.
pub fn faithful(judged: &JudgeOutput) -> Score {
    Score::flag(judged.faithful)
}

/// Share of the claims supported by a chunk that they cite; 0 for a response that claims nothing.
pub fn claim_support(judged: &JudgeOutput) -> Score {
    if judged.claims.is_empty() {
        return Score::value(0.0);
    }
    Score::share(
        judged.claims.iter().filter(|c| c.supported).count(),
        judged.claims.len(),
    )
}

/// 1 when every claim is supported by some chunk of the context; 0 for a response that claims nothing.
pub fn groundedness(judged: &JudgeOutput) -> Score {
    Score::flag(!judged.claims.is_empty() && judged.claims.iter().all(|c| c.grounded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{ClaimVerdict, Verdict};
    use crate::metrics::testing::close;

    /// Claims as (score against the cited chunks, score against any).
    fn judged(scores: &[(f64, f64)]) -> JudgeOutput {
        let claims = scores
            .iter()
            .map(|(cited, any)| {
                ClaimVerdict::new("x", &[], (*cited, *any), Verdict::of(*cited, 0.5), "", 0.5)
            })
            .collect();
        JudgeOutput::of("test", claims, 0.5)
    }

    #[test]
    fn by_hand() {
        let check = |scores: &[(f64, f64)], expect: (f64, f64, f64)| {
            let judged = judged(scores);
            close(&faithful(&judged), expect.0, &format!("faithful {scores:?}"));
            close(
                &claim_support(&judged),
                expect.1,
                &format!("claim_support {scores:?}"),
            );
            close(
                &groundedness(&judged),
                expect.2,
                &format!("groundedness {scores:?}"),
            );
        };
        check(&[(0.9, 0.9), (0.5, 0.8)], (1.0, 1.0, 1.0));
        check(&[(0.9, 0.9), (0.49, 0.8)], (0.0, 0.5, 1.0));
        check(&[(0.9, 0.9), (0.0, 0.4), (0.7, 0.7), (0.2, 0.3)], (0.0, 0.5, 0.0));
        check(&[(0.0, 0.0)], (0.0, 0.0, 0.0));
        // Nothing claimed is not everything supported.
        check(&[], (0.0, 0.0, 0.0));
    }
}
