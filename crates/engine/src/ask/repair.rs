//! An answer is checked; what the check finds unsupported goes back to the language model once.

use super::{
    StageInput, evidence_of,
    verify::{Checked, checked},
};
use crate::{Pipeline, error::EngineError};
use guardrail::{Topic, Verdict};
use std::{collections::BTreeSet, sync::Arc};
use types::{Context, FailureKind, GenerationInput, GuardrailAction, GuardrailKind, RagResponse, Ranking};

/// What an answer is checked against.
pub(super) struct Checking<'a> {
    pub(super) asked: &'a Arc<StageInput>,
    pub(super) context: &'a Arc<Context>,
    pub(super) ranking: &'a Ranking,
    pub(super) verdict: Verdict,
    pub(super) topic: Option<&'a Topic>,
}

/// The answer after all guardrails. If they find sentences unsupported and the generator can revise its answer, it does so
/// once; the revised answer is used if fewer of its sentences are unsupported.
///
/// # Errors
/// When the model cannot be asked until a setting is changed, or a limit of cost is reached. Any other failure leaves the
/// answer as it is, with a caveat.
pub(super) async fn guarded(
    pipeline: &Pipeline,
    with: &Checking<'_>,
    raw: RagResponse,
) -> Result<Checked, EngineError> {
    let first = checked(pipeline, with, raw.clone()).await?;
    let problems = problems(&first.guarded.actions);
    if !pipeline.checks.repair || problems.is_empty() {
        return Ok(first);
    }
    let input = GenerationInput {
        question: &with.asked.question,
        context: with.context,
        ranking: with.ranking,
        statistics: &with.asked.retrieval.statistics,
        evidence: evidence_of(with.verdict),
    };
    let Some(revision) = pipeline.generator.revise(input, &raw, &problems) else {
        return Ok(first);
    };
    let (count, sentences) = (
        problems.len(),
        if problems.len() == 1 {
            "sentence"
        } else {
            "sentences"
        },
    );
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
    let second = checked(pipeline, with, revised).await?;
    let left = self::problems(&second.guarded.actions).len();
    // A revision that gives up answers nothing more, and is no correction.
    if left < count && second.guarded.response.no_evidence == first.guarded.response.no_evidence {
        let caveat = format!(
            "The language model revised its answer: {count} {sentences} had failed a check, {left} in the revised answer."
        );
        Ok(noted(second, "repaired", count, &caveat))
    } else {
        let caveat = format!("The language model did not correct {count} {sentences} that failed a check.");
        Ok(noted(first, "failed", count, &caveat))
    }
}

/// The sentences that the guardrails removed or flagged, each with the reason.
fn problems(actions: &[GuardrailAction]) -> Vec<String> {
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
    guarded.actions.push(GuardrailAction {
        guardrail: GuardrailKind::Support,
        action: action.to_owned(),
        subject: "answer".to_owned(),
        reason: format!("sentences sent back to the model: {count}"),
        sentence: false,
    });
    checked
}
