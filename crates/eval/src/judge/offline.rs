//! The judge that needs no language model.

use super::output::probability;
use super::{Basis, ClaimVerdict, DEFAULT_TAU, Judge, JudgeError, JudgeInput, JudgeOutput, Verdict};
use std::sync::Arc;
use types::{BoxFuture, SupportScorer};

/// Judges each claim against each passage with a [`SupportScorer`].
pub struct OfflineJudge {
    scorer: Arc<dyn SupportScorer>,
    tau: f64,
}

impl OfflineJudge {
    /// A judge with the default τ.
    pub fn new(scorer: Arc<dyn SupportScorer>) -> Self {
        Self::with_tau(scorer, DEFAULT_TAU)
    }

    /// A judge with a τ of its own, 0 to 1.
    pub fn with_tau(scorer: Arc<dyn SupportScorer>, tau: f64) -> Self {
        Self { scorer, tau }
    }
}

impl Judge for OfflineJudge {
    fn id(&self) -> String {
        self.scorer.id().to_owned()
    }

    fn judge<'a>(&'a self, input: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>> {
        Box::pin(async move { verdicts(self.scorer.as_ref(), input, self.tau) })
    }
}

fn verdicts(scorer: &dyn SupportScorer, input: &JudgeInput, tau: f64) -> Result<JudgeOutput, JudgeError> {
    let passages: Vec<String> = input.context.iter().map(super::Passage::whole).collect();
    let mut claims = Vec::new();
    for claim in support::claims(&input.response) {
        let (mut by_cited, mut by_any) = (0.0f64, 0.0f64);
        let (mut reason, mut reason_any) = (None::<String>, None::<String>);
        for (passage, whole) in input.context.iter().zip(&passages) {
            let found = scorer.support(&claim.text, whole);
            if !found.score.is_finite() {
                let reason = format!("support came out as {} for {:?}", found.score, claim.text);
                return Err(JudgeError::Failed {
                    judge: scorer.id().to_owned(),
                    reason,
                });
            }
            let score = probability(found.score);
            let said = || found.reasons.join("; ");
            if score > by_any || reason_any.is_none() {
                (by_any, reason_any) = (score.max(by_any), Some(said()));
            }
            let cited = claim.cited.iter().any(|id| id.as_str() == passage.id);
            if cited && (score > by_cited || reason.is_none()) {
                (by_cited, reason) = (score.max(by_cited), Some(said()));
            }
        }
        let (score, reason) = match input.basis {
            Basis::BestPassage => (
                by_any,
                reason_any.unwrap_or_else(|| "there is no context".to_owned()),
            ),
            Basis::Cited if claim.cited.is_empty() => (0.0, "no citation".to_owned()),
            Basis::Cited => (by_cited, reason.unwrap_or_else(|| unseen(&claim))),
        };
        let verdict = Verdict::of(score, tau);
        claims.push(ClaimVerdict::new(
            &claim.text,
            &claim.cited,
            (score, by_any),
            verdict,
            &reason,
            tau,
        ));
    }
    Ok(JudgeOutput::of(scorer.id(), claims, tau))
}

fn unseen(claim: &support::Claim) -> String {
    let ids: Vec<&str> = claim.cited.iter().map(types::ChunkId::as_str).collect();
    format!("cites {}, which the context does not hold", ids.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Passage;
    use std::task::Poll;
    use types::Support;

    /// Supports a claim whose words all occur in the passage; otherwise by their share, halved.
    struct Words;

    impl SupportScorer for Words {
        fn id(&self) -> &'static str {
            "words"
        }
        fn support(&self, claim: &str, passage: &str) -> Support {
            if claim.contains("broken") {
                return Support {
                    score: f32::NAN,
                    reasons: Vec::new(),
                };
            }
            let passage = passage.to_lowercase();
            let words: Vec<String> = claim
                .to_lowercase()
                .split(' ')
                .map(|w| w.trim_matches('.').to_owned())
                .collect();
            let missing: Vec<String> = words
                .iter()
                .filter(|w| !passage.contains(w.as_str()))
                .cloned()
                .collect();
            let share = 1.0 - missing.len() as f32 / words.len() as f32;
            let score = if missing.is_empty() { 1.0 } else { share / 2.0 };
            Support {
                score,
                reasons: missing,
            }
        }
    }

    fn input(response: &str, basis: Basis) -> JudgeInput {
        let passage = |id: &str, text: &str| Passage {
            id: id.into(),
            source: "Tandrik (2021)".into(),
            text: text.into(),
        };
        JudgeInput {
            question: "q".into(),
            context: vec![
                passage("a__body__000", "Cats sleep all day."),
                passage("b__body__000", "Dogs bark at night."),
            ],
            response: response.into(),
            basis,
        }
    }

    async fn judged(response: &str, basis: Basis) -> Result<JudgeOutput, JudgeError> {
        OfflineJudge::new(Arc::new(Words))
            .judge(&input(response, basis))
            .await
    }

    #[tokio::test]
    async fn support_is_judged_against_what_is_cited() {
        let check = async |response: &str, supported: &[bool], grounded: &[bool]| {
            let got = judged(response, Basis::Cited).await.expect("judges");
            assert_eq!(
                got.claims.iter().map(|c| c.supported).collect::<Vec<_>>(),
                supported,
                "{got:?}"
            );
            assert_eq!(
                got.claims.iter().map(|c| c.grounded).collect::<Vec<_>>(),
                grounded,
                "{got:?}"
            );
            assert!(
                got.claims.iter().all(|c| c.supported == c.reason.is_empty()),
                "{got:?}"
            );
        };
        check("Cats sleep all day (b, b__body__000).", &[false], &[true]).await;
        check("Cats sleep all day (a, a__body__000).", &[true], &[true]).await;
        check(
            "Cats sleep all day (b, b__body__000) (a, a__body__000).",
            &[true],
            &[true],
        )
        .await;
        check("Cats sleep all day.", &[false], &[true]).await;
        check("Cats sleep all day (z, z__body__000).", &[false], &[true]).await;
        // What no single passage states is not grounded, though all its words occur somewhere.
        check(
            "Cats bark at night (a, a__body__000) (b, b__body__000).",
            &[false],
            &[false],
        )
        .await;
        check(
            "Cats sleep all day (a, a__body__000). Tandrik barks (a, a__body__000).",
            &[true, false],
            &[true, false],
        )
        .await;
        check(
            "Tandrik 2021 cats sleep all day (a, a__body__000).",
            &[true],
            &[true],
        )
        .await;
        check("", &[], &[]).await;
    }

    #[tokio::test]
    async fn without_citations_the_best_passage_counts() {
        let got = judged("Dogs bark at night.", Basis::BestPassage)
            .await
            .expect("judges");
        assert!(got.faithful && got.grade == 4, "{got:?}");
        let got = judged("Dogs bark all day.", Basis::BestPassage)
            .await
            .expect("judges");
        assert!(!got.faithful && got.grade == 1, "{got:?}");
    }

    #[tokio::test]
    async fn a_broken_scorer_is_an_error_not_a_verdict() {
        let got = judged("This is broken (a, a__body__000).", Basis::Cited).await;
        assert!(matches!(got, Err(JudgeError::Failed { .. })), "{got:?}");
    }

    #[test]
    fn works_outside_a_runtime() {
        let judge = OfflineJudge::new(Arc::new(Words));
        let input = input("Cats sleep all day (a, a__body__000).", Basis::Cited);
        let mut waiting = judge.judge(&input);
        let mut nobody = std::task::Context::from_waker(std::task::Waker::noop());
        match waiting.as_mut().poll(&mut nobody) {
            Poll::Ready(got) => assert!(got.is_ok_and(|output| output.faithful)),
            Poll::Pending => panic!("there is nothing to wait for"),
        }
    }
}
