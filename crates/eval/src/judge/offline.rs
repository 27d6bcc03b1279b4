//! The judge that needs no language model.

use super::output::probability;
use super::{Basis, ClaimVerdict, DEFAULT_TAU, Judge, JudgeError, JudgeInput, JudgeOutput, Verdict};
use std::sync::Arc;
use types::{BoxFuture, Support, SupportError, SupportScorer};

/// Judges each claim against each passage with a [`SupportScorer`].
#[derive(Clone)]
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
    for claim in &input.claims {
        let (mut by_cited, mut by_any) = (Best::default(), Best::default());
        let mut supported_by = Vec::new();
        let mut incomparable = None;
        let (cited, others): (Vec<_>, Vec<_>) = input
            .context
            .iter()
            .zip(&passages)
            .partition(|(passage, _)| claim.cited.iter().any(|id| id.as_str() == passage.id));
        let cited = cited.into_iter().map(|(passage, whole)| (Some(passage), whole));
        let others = others.into_iter().map(|(_, whole)| (None, whole));
        for (cited, whole) in cited.chain(others) {
            let (id, cited) = (cited.map(|passage| passage.id.as_str()), cited.is_some());
            // Other passages decide only whether the claim is grounded.
            if !cited && input.basis == Basis::Cited && by_any.score >= tau {
                break;
            }
            match checked(scorer, &claim.text, whole) {
                Ok(found) => {
                    by_any.add(&found);
                    if let Some(id) = id {
                        by_cited.add(&found);
                        if probability(found.score) >= tau {
                            supported_by.push(id.into());
                        }
                    }
                }
                Err(JudgeError::NotApplicable(why)) if cited || input.basis == Basis::BestPassage => {
                    incomparable = Some(why);
                }
                Err(JudgeError::NotApplicable(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let (basis, reason) = match input.basis {
            Basis::BestPassage => (&by_any, "there is no context".to_owned()),
            Basis::Cited if claim.cited.is_empty() => (&by_cited, "no citation".to_owned()),
            Basis::Cited => (&by_cited, unseen(claim)),
        };
        if let (None, Some(why)) = (&basis.reason, incomparable) {
            return Err(JudgeError::NotApplicable(why));
        }
        // Where nothing supports a claim, any passage may say the opposite.
        let grounded = by_any.score >= tau;
        let contradiction = if grounded { basis.contradiction } else { by_any.contradiction };
        let verdict = ClaimVerdict::new(
            &claim.text,
            &claim.cited,
            (basis.score, by_any.score),
            Verdict::of(basis.score, contradiction, tau),
            basis.reason.as_deref().unwrap_or(&reason),
            tau,
        );
        let supported_by = (input.basis == Basis::Cited).then_some(supported_by);
        claims.push(ClaimVerdict { supported_by, ..verdict });
    }
    let scores: Vec<f32> = claims.iter().map(|claim| claim.score as f32).collect();
    let score = probability(scorer.response(&scores));
    Ok(JudgeOutput::with_score(scorer.id(), claims, score, tau))
}

/// The best of several passages for one claim.
#[derive(Default)]
struct Best {
    score: f64,
    /// The strongest contradiction by any of them.
    contradiction: f64,
    /// What the best one lacks; `None` before the first.
    reason: Option<String>,
}

impl Best {
    fn add(&mut self, found: &Support) {
        let score = probability(found.score);
        self.contradiction = self.contradiction.max(probability(found.contradiction));
        if score > self.score || self.reason.is_none() {
            self.score = score.max(self.score);
            self.reason = Some(found.reasons.join("; "));
        }
    }
}

/// The word of the scorer, if it is a number.
fn checked(scorer: &dyn SupportScorer, claim: &str, passage: &str) -> Result<Support, JudgeError> {
    let failed = |reason: String| JudgeError::Failed { judge: scorer.id().to_owned(), reason };
    match scorer.support(claim, passage) {
        Ok(found) if found.score.is_finite() && found.contradiction.is_finite() => Ok(found),
        Ok(found) => Err(failed(format!(
            "support came out as {} for {claim:?}",
            if found.score.is_finite() { found.contradiction } else { found.score }
        ))),
        Err(SupportError::NotApplicable(why)) => Err(JudgeError::NotApplicable(why)),
        Err(SupportError::Model(error)) => Err(failed(error.to_string())),
    }
}

fn unseen(claim: &evidence::support::Claim) -> String {
    let ids: Vec<&str> = claim.cited.iter().map(types::ChunkId::as_str).collect();
    format!("cites {}, which the context does not hold", ids.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Passage;
    use std::task::Poll;

    /// Supports a claim whose words all occur in the passage; otherwise by their share, halved.
    struct Words;

    impl SupportScorer for Words {
        fn id(&self) -> &'static str {
            "words"
        }
        fn support(&self, claim: &str, passage: &str) -> Result<Support, SupportError> {
            if claim.contains("broken") {
                return Ok(Support {
                    score: f32::NAN,
                    contradiction: 0.0,
                    hedge_dropped: false,
                    reasons: Vec::new(),
                });
            }
            if claim.contains("foreign") {
                return Err(SupportError::NotApplicable("another language".to_owned()));
            }
            let passage = passage.to_lowercase();
            let words: Vec<String> =
                claim.to_lowercase().split(' ').map(|w| w.trim_matches('.').to_owned()).collect();
            let missing: Vec<String> =
                words.iter().filter(|w| !passage.contains(w.as_str())).cloned().collect();
            let share = 1.0 - missing.len() as f32 / words.len() as f32;
            let score = if missing.is_empty() { 1.0 } else { share / 2.0 };
            Ok(Support {
                score,
                contradiction: f32::from(u8::from(claim.contains("never"))),
                hedge_dropped: false,
                reasons: missing,
            })
        }
    }

    fn input(response: &str, basis: Basis) -> JudgeInput {
        let passage = |id: &str, text: &str| Passage {
            id: id.into(),
            source: "Tandrik (2021)".into(),
            text: text.into(),
        };
        let context = vec![
            passage("a__body__000", "Cats sleep all day."),
            passage("b__body__000", "Dogs bark at night."),
        ];
        JudgeInput::new("q".into(), context, response.into(), basis)
    }

    async fn judged(response: &str, basis: Basis) -> Result<JudgeOutput, JudgeError> {
        OfflineJudge::new(Arc::new(Words)).judge(&input(response, basis)).await
    }

    #[tokio::test]
    async fn support_is_judged_against_what_is_cited() {
        let check = async |response: &str, supported: &[bool], grounded: &[bool]| {
            let got = judged(response, Basis::Cited).await.expect("judges");
            assert_eq!(got.claims.iter().map(|c| c.supported).collect::<Vec<_>>(), supported, "{got:?}");
            assert_eq!(got.claims.iter().map(|c| c.grounded).collect::<Vec<_>>(), grounded, "{got:?}");
            assert!(got.claims.iter().all(|c| c.supported == c.reason.is_empty()), "{got:?}");
        };
        check("Cats sleep all day (b, b__body__000).", &[false], &[true]).await;
        check("Cats sleep all day (a, a__body__000).", &[true], &[true]).await;
        check("Cats sleep all day (b, b__body__000) (a, a__body__000).", &[true], &[true]).await;
        check("Cats sleep all day.", &[false], &[true]).await;
        check("Cats sleep all day (z, z__body__000).", &[false], &[true]).await;
        // What no single passage states is not grounded, though all its words occur somewhere.
        check("Cats bark at night (a, a__body__000) (b, b__body__000).", &[false], &[false]).await;
        check(
            "Cats sleep all day (a, a__body__000). Tandrik barks (a, a__body__000).",
            &[true, false],
            &[true, false],
        )
        .await;
        check("Tandrik 2021 cats sleep all day (a, a__body__000).", &[true], &[true]).await;
        check("", &[], &[]).await;
    }

    #[tokio::test]
    async fn without_citations_the_best_passage_counts() {
        let got = judged("Dogs bark at night.", Basis::BestPassage).await.expect("judges");
        assert!(got.faithful && got.grade == 4, "{got:?}");
        let got = judged("Dogs bark all day.", Basis::BestPassage).await.expect("judges");
        assert!(!got.faithful && got.grade == 1, "{got:?}");
        let got = judged("Do dogs bark at night? Yes.", Basis::BestPassage).await.expect("judges");
        assert_eq!((got.claims.len(), got.claims[0].claim.as_str()), (1, "Do dogs bark at night? Yes."));
        let got = judged("Do dogs bark at night? Yes.", Basis::Cited).await.expect("judges");
        assert!(got.claims.is_empty(), "{got:?}");
    }

    #[tokio::test]
    async fn a_broken_scorer_is_an_error_not_a_verdict() {
        let got = judged("This is broken (a, a__body__000).", Basis::Cited).await;
        assert!(matches!(got, Err(JudgeError::Failed { .. })), "{got:?}");
    }

    #[tokio::test]
    async fn a_contradicted_claim_is_told_from_an_absent_one() {
        let verdict = async |response: &str| {
            let got = judged(response, Basis::BestPassage).await.expect("judges");
            got.claims[0].verdict
        };
        assert_eq!(verdict("Dogs never bark.").await, Verdict::Contradicted);
        assert_eq!(verdict("Owls hoot.").await, Verdict::Unsupported);
        assert_eq!(verdict("Dogs bark.").await, Verdict::Supported);
    }

    #[tokio::test]
    async fn what_cannot_be_compared_is_not_applicable() {
        let got = judged("A foreign claim (a, a__body__000).", Basis::Cited).await;
        assert!(matches!(got, Err(JudgeError::NotApplicable(_))), "{got:?}");
        // Without a citation there is nothing to compare.
        let got = judged("A foreign claim.", Basis::Cited).await.expect("judges");
        assert!(!got.faithful);
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
