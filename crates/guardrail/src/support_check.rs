//! Do the cited passages support each sentence? The offline check that the evaluation uses, at the time of asking, and what
//! a language model says.

mod problem;
mod remove;

use crate::{GuardrailSettings, ModelVerdict, action_log::ActionLog, action_log::short};
use problem::{Judged, Problem, judged};
use remove::remove;
use support::{Claim, claims};
use types::{CheckedClaim, Confidence, Context, GuardrailKind, RagResponse, SupportScorer};

/// Flags the claims that no passage they cite supports, those that drop the hedge of what they cite, and those that
/// cite nothing; lowers the confidence. `verdicts` are what a language model says, by claim: claims that it doubts are flagged too.
/// Sentences are removed only below [`GuardrailSettings::remove_below`], or if scorer and model agree: the offline check goes by
/// words, and a loose paraphrase can fail it. Claims that cannot be compared with what they cite, as those in another language, are
/// left to the model; where the scorer fails, the response says that it was not checked. Returns the claims.
pub(crate) fn check(
    response: &mut RagResponse,
    context: &Context,
    settings: &GuardrailSettings,
    scorer: &dyn SupportScorer,
    verdicts: &[(String, ModelVerdict)],
    log: &mut ActionLog,
) -> Vec<CheckedClaim> {
    // Without any citation the whole answer was flagged or withheld.
    if response.no_evidence || response.citations.is_empty() {
        return Vec::new();
    }
    let all = claims(&response.answer);
    let mut checked: Vec<CheckedClaim> = Vec::with_capacity(all.len());
    let mut found: Vec<(&Claim, Problem)> = Vec::new();
    let mut unchecked = 0;
    for claim in &all {
        let said = verdicts.iter().find(|(text, _)| *text == claim.text);
        let said = said.map(|(_, verdict)| verdict);
        let judged = match judged(claim, context, scorer) {
            Ok(judged) => judged,
            Err(error) => {
                let caveat = "Whether the cited passages support the answer was not checked.";
                log.note(
                    GuardrailKind::Support,
                    "flagged",
                    scorer.id(),
                    error.to_string(),
                    caveat,
                );
                break;
            }
        };
        unchecked += usize::from(matches!(judged, Judged::NotApplicable) && said.is_none());
        let problem = Problem::of(&judged, said);
        checked.push(CheckedClaim {
            claim: claim.text.clone(),
            cited: claim.cited.clone(),
            supported: problem.as_ref().is_none_or(Problem::is_minor),
            probability: match &judged {
                Judged::By(found) => Some(found.score),
                Judged::Uncited | Judged::NotApplicable => None,
            },
            verdict: said.map(|said| said.verdict),
            reason: problem
                .as_ref()
                .map(|problem| problem.why().to_owned())
                .unwrap_or_default(),
            removed: false,
        });
        found.extend(problem.map(|problem| (claim, problem)));
    }
    let flagged = found.len();
    let removed = remove(response, &found, settings, log);
    for ((claim, problem), removed) in found.iter().zip(removed) {
        if removed {
            let own = checked.iter_mut().filter(|own| own.claim == claim.text);
            own.for_each(|own| own.removed = true);
        } else {
            flag(claim, problem, response, log);
        }
    }
    if unchecked > 0 {
        let (n, of) = (unchecked, all.len());
        log.note(
            GuardrailKind::Support,
            "flagged",
            "language",
            format!("{n} of {of} claims are in another language than what they cite"),
            format!("{n} of {of} claims were not checked: their language differs from that of the passages they cite."),
        );
    }
    lower_confidence(response, flagged, all.len(), settings, log);
    checked
}

fn lower_confidence(
    response: &mut RagResponse,
    flagged: usize,
    all: usize,
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) {
    let most = match flagged {
        0 => return,
        n if 2 * n < all => Confidence::Medium,
        _ => Confidence::Low,
    };
    if settings.check_confidence && response.confidence > most {
        let (was, now) = (response.confidence.as_str(), most.as_str());
        log.note(
            GuardrailKind::Support,
            "hedged",
            "confidence",
            format!("{was} confidence with {flagged} of {all} claims flagged"),
            format!(
                "Confidence lowered from {was} to {now}: {flagged} of {all} claims were flagged or removed."
            ),
        );
        response.confidence = most;
    }
}

fn flag(claim: &Claim, problem: &Problem, response: &RagResponse, log: &mut ActionLog) {
    let text = short(&claim.text);
    let (reason, caveat) = match problem {
        Problem::LessCertain => (
            problem.why().to_owned(),
            format!("The cited passage is less certain than this sentence: \"{text}\""),
        ),
        Problem::Unsupported { why, .. } => (
            format!("not supported by what it cites: {why}"),
            format!(
                "The cited passages do not seem to support this sentence: \"{text}\" ({}).",
                short(why)
            ),
        ),
        Problem::Doubted { why } => (
            format!("the language model that checked it finds no full support: {why}"),
            format!(
                "The language model that checked the answer finds no full support for this sentence: \"{text}\" ({}).",
                short(why)
            ),
        ),
        Problem::Uncited if log.has_caveat_for(&claim.text, response) => return,
        Problem::Uncited => (
            problem.why().to_owned(),
            format!("No source is cited for this sentence: \"{text}\""),
        ),
    };
    log.note_sentence(
        GuardrailKind::Support,
        "flagged",
        claim.text.clone(),
        reason,
        caveat,
    );
}
