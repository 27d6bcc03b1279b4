//! An answer after the guardrails, with the verdicts of a language model on its claims.

use super::repair::Checking;
use crate::{Pipeline, error::EngineError};
use guardrail::Guarded;
use std::sync::Arc;
use types::{CheckedClaim, FailureKind, GuardrailAction, GuardrailKind, RagResponse};

/// An answer after the guardrails.
pub(super) struct Checked {
    /// The answer.
    pub(super) guarded: Guarded,
    /// Whether a language model should have verified it and could not.
    pub(super) unverified: bool,
}

/// The answer after the guardrails. If a language model verifies answers, it is asked about the claims that cite a passage, and the
/// guardrails run again with its verdicts.
///
/// # Errors
/// When the model cannot be asked until a setting is changed, or a limit of cost is reached. Any other failure leaves the
/// offline checks, with a caveat.
pub(super) async fn checked(
    pipeline: &Pipeline,
    with: &Checking<'_>,
    raw: RagResponse,
) -> Result<Checked, EngineError> {
    let guard = |verdicts| pipeline.guard(with.asked, with.context, raw.clone(), with.topic, verdicts);
    let first = guard(Vec::new()).await;
    let done = |guarded| Checked {
        guarded,
        unverified: false,
    };
    let cites = |claim: &CheckedClaim| !claim.cited.is_empty();
    let Some(verifier) = pipeline
        .verifier
        .as_ref()
        .filter(|_| first.claims.iter().any(cites))
    else {
        return Ok(done(first));
    };
    // On the heap: this future is part of others.
    match Box::pin(verifier.verify(&first.claims, with.context)).await {
        Ok(verdicts) => {
            let mut guarded = guard(verdicts.on).await;
            guarded.response.caveats.extend(verdicts.notes);
            Ok(done(guarded))
        }
        Err(error) if error.kind() == FailureKind::Fatal => Err(error.into()),
        Err(error) => {
            let mut guarded = first;
            let caveat = format!("No language model verified the answer: {error}");
            guarded.actions.push(GuardrailAction {
                guardrail: GuardrailKind::Support,
                action: "failed".to_owned(),
                subject: verifier.id().to_owned(),
                reason: error.to_string(),
                sentence: false,
            });
            guarded.response.caveats.push(caveat);
            Ok(Checked {
                guarded,
                unverified: true,
            })
        }
    }
}

/// The verifier of the settings, if one is on.
pub(crate) type SharedVerifier = Option<Arc<guardrail::Verifier>>;
