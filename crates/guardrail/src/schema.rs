//! The shape of the response: a cited answer, a hedged one, or a refusal, never two at once.

use crate::{GuardrailSettings, Uncited, ledger::Ledger};
use std::collections::BTreeSet;
use types::{Confidence, GuardrailKind, RagResponse};

/// The whole answer where nothing else can be said.
const REFUSAL: &str = "The corpus does not say.";

/// An answer without words is a refusal.
pub(crate) fn before(response: &mut RagResponse, ledger: &mut Ledger) {
    if response.answer.trim().is_empty() {
        let caveat = "The generator gave no text; the question counts as not answered.";
        ledger.note(
            GuardrailKind::Schema,
            "refused",
            "answer",
            "the answer is empty",
            caveat,
        );
        refuse(response);
    }
}

/// A refusal that cites verified evidence contradicts itself: it is a partial answer.
pub(crate) fn no_refusal_with_evidence(response: &mut RagResponse, ledger: &mut Ledger) {
    if response.no_evidence && !response.citations.is_empty() {
        let reason = format!(
            "no_evidence was set beside {} verified citations",
            response.citations.len()
        );
        let caveat = "The generator reported no evidence but cited some: read this as a partial answer.";
        ledger.note(GuardrailKind::Schema, "hedged", "no_evidence", reason, caveat);
        response.no_evidence = false;
        response.confidence = Confidence::Low;
    }
}

/// What is left decides the outcome and the confidence.
pub(crate) fn after(response: &mut RagResponse, settings: &GuardrailSettings, ledger: &mut Ledger) {
    // Repairs may have left no words at all.
    before(response, ledger);
    if !response.no_evidence && response.citations.is_empty() {
        let reason = "no citation could be verified";
        match settings.uncited {
            Uncited::Flag => {
                let caveat = "No citation supports this answer.";
                ledger.note(GuardrailKind::Schema, "flagged", "answer", reason, caveat);
            }
            Uncited::Refuse => {
                let caveat = "An answer was generated but no citation supported it; it is withheld.";
                ledger.note(
                    GuardrailKind::Schema,
                    "refused",
                    response.answer.clone(),
                    reason,
                    caveat,
                );
                REFUSAL.clone_into(&mut response.answer);
                refuse(response);
            }
        }
    }
    if settings.check_confidence {
        lower_confidence(response, ledger);
    }
}

fn refuse(response: &mut RagResponse) {
    if response.answer.trim().is_empty() {
        REFUSAL.clone_into(&mut response.answer);
    }
    response.citations.clear();
    response.no_evidence = true;
    response.confidence = Confidence::Low;
}

/// High confidence needs several chunks, medium one.
fn lower_confidence(response: &mut RagResponse, ledger: &mut Ledger) {
    let chunks: BTreeSet<&str> = response.citations.iter().map(|c| c.chunk_id.as_str()).collect();
    let most = match chunks.len() {
        _ if response.no_evidence => Confidence::Low,
        0 => Confidence::Low,
        1 => Confidence::Medium,
        _ => Confidence::High,
    };
    if response.confidence > most {
        let (was, n) = (response.confidence.as_str(), chunks.len());
        let reason = format!("{was} confidence with {n} cited chunks");
        let caveat = format!(
            "Confidence was lowered from {was} to {}: {n} chunks are cited.",
            most.as_str()
        );
        ledger.note(GuardrailKind::Schema, "hedged", "confidence", reason, caveat);
        response.confidence = most;
    }
}
