//! How likely every claim of an answer is supported, and the confidence that allows.

use crate::{GuardrailSettings, action_log::ActionLog, addressed_to_model};
use evidence::{logistic, lowest_logit};
use serde::Deserialize;
use std::sync::LazyLock;
use types::{CheckedClaim, Citation, Confidence, GuardrailKind, RagResponse};

/// Fitted by `crates/evidence/fit/support/fit.py` on RAGTruth QA: 468 responses of language models, labelled by people.
const FITTED: &str = include_str!("confidence.json");

/// A logistic model of the lowest logit of the claims, of the logarithm of their number, and of how far their mean lies above
/// the lowest.
#[derive(Debug, Deserialize)]
struct Model {
    weights: [f32; 3],
    intercept: f32,
    /// Probability from which confidence may be high.
    high: f32,
    /// Probability from which it may be medium.
    medium: f32,
}

static MODEL: LazyLock<Model> =
    LazyLock::new(|| serde_json::from_str(FITTED).expect("the file is fixed and valid"));

/// Probability, 0 to 1, that the passages that the claims cite support every one of them; `None` if no claim could be compared
/// with what it cites. Claims that were removed do not count, and a claim that a language model doubts counts as unlikely.
pub fn claims_probability(claims: &[CheckedClaim]) -> Option<f32> {
    let probability = |claim: &CheckedClaim| {
        let doubted = claim.verdict.is_some() && !claim.supported;
        Some(claim.probability?.min(if doubted { DOUBTED } else { 1.0 }))
    };
    let left = claims.iter().filter(|claim| !claim.removed);
    let features = lowest_logit(left.filter_map(probability))?;
    let sum: f32 = features.iter().zip(MODEL.weights).map(|(x, w)| x * w).sum();
    Some(logistic(sum + MODEL.intercept))
}

/// Probability of a claim that the offline check finds supported and a language model does not.
const DOUBTED: f32 = 0.5;

/// Lowers the confidence to what the probability allows.
pub(crate) fn lower(
    response: &mut RagResponse,
    claims: &[CheckedClaim],
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) -> Option<f32> {
    let probability = claims_probability(claims)?;
    let most = match probability {
        p if p >= MODEL.high => Confidence::High,
        p if p >= MODEL.medium => Confidence::Medium,
        _ => Confidence::Low,
    };
    if settings.check_confidence && !response.no_evidence {
        let with = format!("a probability of {probability:.2} that all claims are supported");
        let why = format!(
            "the probability that the cited passages support every claim is estimated at {:.0} %",
            100.0 * probability
        );
        log.lower(response, GuardrailKind::Support, most, (&with, &why));
    }
    Some(probability)
}

/// Holds an answer to low confidence that quotes a sentence which speaks to a language model: it may be there to be quoted.
pub(crate) fn lower_for_instructions(response: &mut RagResponse, log: &mut ActionLog) {
    let speaks = |citation: &Citation| !addressed_to_model(&citation.relevant_quote).is_empty();
    if !response.no_evidence && response.citations.iter().any(speaks) {
        let reason = "a quote that addresses a language model";
        let why = "a quoted sentence addresses the language model and may be a prompt injection";
        log.lower(response, GuardrailKind::Support, Confidence::Low, (reason, why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(probability: Option<f32>) -> CheckedClaim {
        CheckedClaim { claim: "c".to_owned(), supported: true, probability, ..CheckedClaim::default() }
    }

    #[test]
    fn the_model_is_read_and_follows_its_claims() {
        assert!(MODEL.high > MODEL.medium && MODEL.medium > 0.0);
        let of = |claims: &[Option<f32>]| {
            let claims: Vec<CheckedClaim> = claims.iter().copied().map(claim).collect();
            claims_probability(&claims)
        };
        let sure = of(&[Some(0.99), Some(0.99)]).expect("a probability");
        let one_weak = of(&[Some(0.99), Some(0.05)]).expect("a probability");
        assert!(sure > one_weak + 0.2, "{sure} {one_weak}");
        assert_eq!((of(&[]), of(&[None])), (None, None));
        assert_eq!(of(&[Some(0.7), None]), of(&[Some(0.7)]));
        assert!(of(&[Some(0.0)]).is_some_and(f32::is_finite) && of(&[Some(1.0)]).is_some_and(f32::is_finite));
    }

    #[test]
    fn removed_claims_do_not_count_and_doubted_ones_count_less() {
        let weak = CheckedClaim { removed: true, ..claim(Some(0.05)) };
        let alone = claims_probability(&[claim(Some(0.95))]);
        assert_eq!(claims_probability(&[claim(Some(0.95)), weak]), alone);
        let doubted = CheckedClaim {
            supported: false,
            verdict: Some(types::ClaimVerdict::Unsupported),
            ..claim(Some(0.95))
        };
        assert!(claims_probability(&[doubted]) < alone);
    }
}
