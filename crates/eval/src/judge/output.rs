//! What every judge hands back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{ChunkId, Usage};

/// From this probability of contradiction on an unsupported claim is contradicted rather than absent.
const CONTRADICTED: f64 = 0.7;

/// The word on one claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All of it is stated.
    Supported,
    /// Part of it is stated.
    Partially,
    /// It is not stated.
    Unsupported,
    /// The opposite is stated.
    Contradicted,
}

impl Verdict {
    /// The verdict that two probabilities amount to: of support and, where that does not reach τ, of contradiction.
    pub fn of(score: f64, contradiction: f64, tau: f64) -> Self {
        if score >= tau {
            Self::Supported
        } else if contradiction >= CONTRADICTED {
            Self::Contradicted
        } else if score >= tau / 2.0 {
            Self::Partially
        } else {
            Self::Unsupported
        }
    }
}

/// One claim and the word on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimVerdict {
    /// The claim, marks removed.
    pub claim: String,
    /// What it cites.
    pub cited: Vec<ChunkId>,
    /// Probability that what counts as its basis supports it, 0 to 1.
    pub score: f64,
    /// Whether that reaches τ.
    pub supported: bool,
    /// Whether some single passage of the context, cited or not, supports it.
    pub grounded: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// What is missing, for people; empty when supported.
    pub reason: String,
    /// The cited chunks that support it alone; `None` if the judge does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supported_by: Option<Vec<ChunkId>>,
}

impl ClaimVerdict {
    /// A verdict from the support by the claim's basis and by any passage. What supports as a basis also
    /// grounds.
    pub fn new(
        claim: &str,
        cited: &[ChunkId],
        (by_basis, by_any): (f64, f64),
        verdict: Verdict,
        reason: &str,
        tau: f64,
    ) -> Self {
        let supported = by_basis >= tau;
        Self {
            claim: claim.to_owned(),
            cited: cited.to_vec(),
            score: by_basis,
            supported,
            grounded: by_basis.max(by_any) >= tau,
            verdict,
            reason: if supported { String::new() } else { reason.to_owned() },
            supported_by: None,
        }
    }
}

/// The word on a response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeOutput {
    /// Who judged.
    pub judge: String,
    /// Probability that all of it is supported: the score of its least supported claim, or what the method makes of the
    /// scores of all claims; 0 when it claims nothing. (A product would punish an answer for its length alone.)
    pub score: f64,
    /// Whether `score` reaches τ.
    pub faithful: bool,
    /// 4 all claims supported; 3 one unsupported; 2 several; 1 one contradicted, most unsupported, or
    /// nothing claimed.
    pub grade: u8,
    /// Every claim.
    pub claims: Vec<ClaimVerdict>,
    /// What a language model spent.
    #[serde(default)]
    pub usage: Usage,
}

impl JudgeOutput {
    /// The word on a response out of the words on its claims; its score is that of the least supported one.
    pub fn of(judge: &str, claims: Vec<ClaimVerdict>, tau: f64) -> Self {
        let score = claims.iter().map(|c| c.score).reduce(f64::min).unwrap_or(0.0);
        Self::with_score(judge, claims, score, tau)
    }

    /// As [`Self::of`], with a score that the method made of the scores of all claims.
    pub fn with_score(judge: &str, claims: Vec<ClaimVerdict>, score: f64, tau: f64) -> Self {
        let unsupported = claims.iter().filter(|c| !c.supported).count();
        let contradicted = claims.iter().any(|c| c.verdict == Verdict::Contradicted);
        let grade = match unsupported {
            _ if claims.is_empty() || contradicted || 2 * unsupported > claims.len() => 1,
            0 => 4,
            1 => 3,
            _ => 2,
        };
        Self {
            judge: judge.to_owned(),
            score,
            faithful: !claims.is_empty() && score >= tau,
            grade,
            claims,
            usage: Usage::default(),
        }
    }

    /// The texts of the unsupported claims.
    pub fn unsupported(&self) -> Vec<String> {
        self.claims.iter().filter(|c| !c.supported).map(|c| c.claim.clone()).collect()
    }
}

/// A probability as written: six decimals, so that a 32-bit score does not print as 0.699999988.
pub(super) fn probability(score: f32) -> f64 {
    (f64::from(score).clamp(0.0, 1.0) * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(verdicts: &[(f64, Verdict)]) -> JudgeOutput {
        let claims =
            verdicts.iter().map(|(s, v)| ClaimVerdict::new("c", &[], (*s, *s), *v, "r", 0.5)).collect();
        JudgeOutput::of("test", claims, 0.5)
    }

    #[test]
    fn grades_by_hand() {
        use Verdict::{Contradicted, Partially, Supported, Unsupported};
        let check = |verdicts: &[(f64, Verdict)], score: f64, grade: u8| {
            let got = output(verdicts);
            assert!((got.score - score).abs() < 1e-12 && got.grade == grade, "{verdicts:?}: {got:?}");
            assert_eq!(got.faithful, grade == 4, "{verdicts:?}");
            assert_eq!(got.unsupported().len(), verdicts.iter().filter(|(s, _)| *s < 0.5).count());
        };
        let yes = (0.9, Supported);
        let no = (0.1, Unsupported);
        check(&[yes, (0.5, Supported)], 0.5, 4);
        check(&[yes, (0.3, Partially)], 0.3, 3);
        check(&[yes, yes, no], 0.1, 3);
        check(&[yes, yes, no, no], 0.1, 2);
        check(&[yes, no, no], 0.1, 1);
        check(&[no], 0.1, 1);
        check(&[yes, yes, yes, (0.0, Contradicted)], 0.0, 1);
        check(&[], 0.0, 1);
    }

    #[test]
    fn probabilities_are_clean() {
        let check = |score: f32, expect: f64| assert!((probability(score) - expect).abs() < 1e-15, "{score}");
        check(0.7, 0.7);
        check(1.5, 1.0);
        check(-0.1, 0.0);
    }
}
