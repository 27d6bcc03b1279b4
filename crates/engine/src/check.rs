//! An answer is checked: guardrails, the verdicts of a language model on its claims, and one chance to correct what fails.

use crate::{Pipeline, Trace, error::EngineError};
use guardrail::{Guarded, GuardrailSettings, ModelVerdict, Topic, Verdict};
use std::{collections::BTreeSet, sync::Arc};
use types::{
    CheckedClaim, Evidence, FailureKind, GenerationInput, GuardrailAction, GuardrailKind, RagResponse,
};

/// An answer after the guardrails.
pub(crate) struct Checked {
    /// The answer.
    pub(crate) guarded: Guarded,
    /// Whether a language model should have verified it and could not.
    pub(crate) unverified: bool,
}

/// What an answer is checked against.
pub(crate) struct Checking<'a> {
    pub(crate) pipeline: &'a Pipeline,
    pub(crate) trace: &'a Trace,
    pub(crate) verdict: Verdict,
    pub(crate) topic: Option<&'a Topic>,
}

impl Checking<'_> {
    /// The answer after all guardrails. If they find sentences unsupported and the generator can revise its answer, it does so
    /// once; the revised answer is used if fewer of its sentences are unsupported.
    ///
    /// # Errors
    /// When the model cannot be asked until a setting is changed, or a limit of cost is reached. Any other failure leaves the
    /// answer as it is, with a caveat.
    pub(crate) async fn guarded(&self, raw: RagResponse) -> Result<Checked, EngineError> {
        let Self { pipeline, trace, .. } = *self;
        let first = self.verified(raw.clone()).await?;
        let problems = problems_of(&first.guarded.actions);
        if !pipeline.settings.guardrail.repair || problems.is_empty() {
            return Ok(first);
        }
        let input = GenerationInput {
            question: &trace.question,
            context: &trace.context,
            ranking: &trace.ranking,
            statistics: &trace.retrieval.statistics,
            evidence: evidence_of(self.verdict),
        };
        let Some(revision) = pipeline.generator.revise(input, &raw, &problems) else {
            return Ok(first);
        };
        let (count, sentences) = (problems.len(), if problems.len() == 1 { "sentence" } else { "sentences" });
        let revised = match revision.await {
            Ok(generated) => generated.response,
            Err(error) if error.kind == FailureKind::Fatal => return Err(error.into()),
            Err(error) => {
                let caveat = format!(
                    "The language model was asked to correct {count} {sentences} and gave no usable answer: {error}"
                );
                return Ok(noted(first, "failed", count, &caveat));
            }
        };
        let second = self.verified(revised).await?;
        let left = problems_of(&second.guarded.actions).len();
        // A revision that gives up answers nothing more, and is no correction.
        if left < count && second.guarded.response.no_evidence == first.guarded.response.no_evidence {
            let caveat = format!(
                "The language model revised its answer: {count} {sentences} had failed a check, {left} in the revised answer."
            );
            Ok(noted(second, "repaired", count, &caveat))
        } else {
            let caveat =
                format!("The language model did not correct {count} {sentences} that failed a check.");
            Ok(noted(first, "failed", count, &caveat))
        }
    }

    /// The answer after the guardrails. If a language model verifies answers, it is asked about the claims that cite a passage, and the
    /// guardrails run again with its verdicts.
    ///
    /// # Errors
    /// When the model cannot be asked until a setting is changed, or a limit of cost is reached. Any other failure leaves the
    /// offline checks, with a caveat.
    async fn verified(&self, raw: RagResponse) -> Result<Checked, EngineError> {
        let guard = |verdicts| self.guard(raw.clone(), verdicts);
        let first = guard(Vec::new()).await;
        let done = |guarded| Checked { guarded, unverified: false };
        let cites = |claim: &CheckedClaim| !claim.cited.is_empty();
        let Some(verifier) = self.pipeline.verifier.as_ref().filter(|_| first.claims.iter().any(cites))
        else {
            return Ok(done(first));
        };
        // On the heap: this future is part of others.
        match Box::pin(verifier.verify(&first.claims, &self.trace.context)).await {
            Ok(verdicts) => {
                let mut guarded = guard(verdicts.on).await;
                guarded.response.caveats.extend(verdicts.notes);
                Ok(done(guarded))
            }
            Err(error) if error.kind() == FailureKind::Fatal => Err(error.into()),
            Err(error) => {
                let mut guarded = first;
                let caveat = format!("No language model verified the answer: {error}");
                let (kind, reason) = (GuardrailKind::Support, error.to_string());
                guarded.actions.push(GuardrailAction::new(kind, "failed", verifier.id(), reason));
                guarded.response.caveats.push(caveat);
                Ok(Checked { guarded, unverified: true })
            }
        }
    }

    /// The answer after all guardrails.
    async fn guard(&self, raw: RagResponse, verdicts: Vec<(String, ModelVerdict)>) -> Guarded {
        let Self { pipeline, trace, .. } = *self;
        let settings = GuardrailSettings {
            // A verbatim answer is supported by what it copies, and its confidence comes from the ranking.
            support_check: pipeline.settings.guardrail.verification.support_check
                && !pipeline.generator.is_verbatim(),
            check_confidence: pipeline.settings.guardrail.verification.check_confidence
                && !pipeline.generator.is_verbatim(),
            trust_verdicts: pipeline.verifier.as_ref().is_some_and(|verifier| verifier.is_trusted()),
            ..pipeline.settings.guardrail.verification
        };
        let (question, context) = (Arc::clone(&trace.question), Arc::clone(&trace.context));
        let (support, generator) = (pipeline.support(), Arc::clone(&pipeline.generator));
        let verify = move || {
            guardrail::verify(
                &question.text,
                raw,
                &context,
                generator.instructions(),
                &settings,
                &*support,
                &verdicts,
            )
        };
        let mut guarded = pipeline.pool().run(verify).await;
        if let Some(topic) = self.topic {
            let hedged = guardrail::hedge(guarded.response, topic);
            guarded.actions.extend(hedged.actions);
            guarded.response = hedged.response;
        }
        guarded
    }

    /// Adds a caveat for each text of a paper that addresses the language model.
    pub(crate) async fn warn_of_instructions(&self, guarded: &mut Guarded) {
        let context = Arc::clone(&self.trace.context);
        let caveats = self.pipeline.pool().run(move || guardrail::injection_caveats(&context)).await;
        for caveat in caveats {
            let (kind, reason) = (GuardrailKind::Injection, "a text of a paper addresses the language model");
            guarded.actions.push(GuardrailAction::new(kind, "flagged", caveat.clone(), reason));
            guarded.response.caveats.push(caveat);
        }
    }
}

/// The sentences that the guardrails removed or flagged, each with the reason.
fn problems_of(actions: &[GuardrailAction]) -> Vec<String> {
    let wrong = |action: &&GuardrailAction| {
        matches!(action.guardrail, GuardrailKind::Support | GuardrailKind::Entity)
            && matches!(action.action.as_str(), "flagged" | "stripped")
            && action.sentence
    };
    let mut named = BTreeSet::new();
    let text = |action: &GuardrailAction| format!("{} ({})", action.subject, action.reason);
    actions
        .iter()
        .filter(wrong)
        // A sentence that two checks name is one, and one that goes with another is not wrong itself.
        .filter(|action| !action.reason.starts_with("it depends on") && named.insert(action.subject.as_str()))
        .map(text)
        .collect()
}

fn noted(mut checked: Checked, action: &str, count: usize, caveat: &str) -> Checked {
    let guarded = &mut checked.guarded;
    guarded.response.caveats.push(caveat.to_owned());
    let reason = format!("sentences sent back to the model: {count}");
    guarded.actions.push(GuardrailAction::new(GuardrailKind::Support, action, "answer", reason));
    checked
}

/// What the generator is told of the topic check.
pub(crate) fn evidence_of(verdict: Verdict) -> Evidence {
    match verdict {
        Verdict::Partial => Evidence::Partial,
        Verdict::Answer | Verdict::Refuse => Evidence::Sufficient,
    }
}
