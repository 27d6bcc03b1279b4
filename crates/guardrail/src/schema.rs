//! The shape of the response: a cited answer, a hedged one, or a refusal, never two at once.

use crate::{GuardrailSettings, Uncited, action_log::ActionLog};
use std::collections::BTreeSet;
use types::{Confidence, GuardrailKind, RagResponse, RefusalReason};

/// The whole answer of a refusal without words.
const REFUSAL: &str = "No answer found in your papers.";

/// An answer without words is a refusal.
pub(crate) fn before(response: &mut RagResponse, log: &mut ActionLog) {
    if !response.answer.trim().is_empty() {
        return;
    }
    if response.no_evidence {
        REFUSAL.clone_into(&mut response.answer);
        response.citations.clear();
        return;
    }
    let detail = "the generator returned no text";
    log.act(GuardrailKind::Schema, "refused", "answer", "the answer is empty");
    refuse(response, format!("No answer: {detail}."), RefusalReason::EmptyAnswer, detail);
}

/// A refusal that cites verified evidence contradicts itself: it is a partial answer.
pub(crate) fn no_refusal_with_evidence(response: &mut RagResponse, log: &mut ActionLog) {
    if response.no_evidence && !response.citations.is_empty() {
        let reason = format!("no_evidence was set beside {} verified citations", response.citations.len());
        let caveat = "The generator reported no evidence but cited some: read this as a partial answer.";
        log.note(GuardrailKind::Schema, "hedged", "no_evidence", reason, caveat);
        response.no_evidence = false;
        response.refusal = None;
        response.confidence = Confidence::Low;
    }
}

/// What is left decides the outcome and the confidence. `given` is the number of citations that the generator gave.
pub(crate) fn after(
    response: &mut RagResponse,
    given: usize,
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) {
    if response.answer.trim().is_empty() {
        let detail = "no text is left without its invalid citation marks";
        withhold(response, detail, log);
    }
    if !response.no_evidence && response.citations.is_empty() {
        let reason = "no citation could be verified";
        match settings.uncited {
            Uncited::Flag => {
                let caveat = "No citation supports this answer.";
                log.note(GuardrailKind::Schema, "flagged", "answer", reason, caveat);
            }
            Uncited::Refuse => withhold(response, &unverified(given), log),
        }
    }
    if response.no_evidence && response.refusal.is_none() {
        let detail = "the generator found no answer in the passages";
        *response = std::mem::take(response).because(RefusalReason::NotInPassages, detail);
    }
    if settings.check_confidence {
        lower_confidence(response, log);
    }
    if settings.removal_lowers_confidence && response.confidence == Confidence::High && log.removed() {
        let reason = "high confidence, though something was removed or flagged";
        let caveat = "Confidence was lowered from high to medium because something was removed or flagged.";
        log.note(GuardrailKind::Schema, "hedged", "confidence", reason, caveat);
        response.confidence = Confidence::Medium;
    }
}

/// The papers may well answer the question: what is said is that this answer is not shown, and why.
fn withhold(response: &mut RagResponse, detail: &str, log: &mut ActionLog) {
    log.act(GuardrailKind::Schema, "refused", response.answer.clone(), detail);
    let answer = format!("An answer was generated but is withheld: {detail}.");
    refuse(response, answer, RefusalReason::Withheld, detail);
}

/// Why none of the `given` citations is left.
fn unverified(given: usize) -> String {
    match given {
        0 => "it cites nothing".to_owned(),
        1 => "its one citation could not be verified in the passages found".to_owned(),
        n => format!("none of its {n} citations could be verified in the passages found"),
    }
}

pub(crate) fn refuse(response: &mut RagResponse, answer: String, reason: RefusalReason, detail: &str) {
    response.answer = answer;
    response.citations.clear();
    response.no_evidence = true;
    response.confidence = Confidence::Low;
    *response = std::mem::take(response).because(reason, detail);
}

/// High confidence needs several chunks, medium one.
fn lower_confidence(response: &mut RagResponse, log: &mut ActionLog) {
    let chunks: BTreeSet<&str> = response.citations.iter().map(|c| c.chunk_id.as_str()).collect();
    let most = match chunks.len() {
        _ if response.no_evidence => Confidence::Low,
        0 => Confidence::Low,
        1 => Confidence::Medium,
        _ => Confidence::High,
    };
    let n = chunks.len();
    let cited = if n == 0 { "no passage" } else { "only one passage" };
    let (with, why) = (format!("{n} cited chunks"), format!("{cited} is cited"));
    log.lower(response, GuardrailKind::Schema, most, (&with, &why));
}
