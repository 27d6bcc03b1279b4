//! Removes the sentences whose claims hardly can be supported.

use super::problem::Problem;
use crate::{GuardrailSettings, action_log::ActionLog, action_log::short, removal::Sentences};
use std::ops::Range;
use support::Claim;
use types::{GuardrailKind, RagResponse};

/// Removes the sentences with a claim that hardly can be supported, and those that depend on them, where enough of the answer
/// is left, and a citation. Says for each claim whether it is gone.
pub(super) fn remove(
    response: &mut RagResponse,
    found: &[(&Claim, Problem)],
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) -> Vec<bool> {
    let hopeless = |problem: &Problem| problem.is_hopeless(settings.remove_below);
    let nothing = vec![false; found.len()];
    if !found.iter().any(|(_, problem)| hopeless(problem)) {
        return nothing;
    }
    let all = Sentences::of(&response.answer);
    let overlap = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    let why_of = |span: &Range<usize>| {
        found.iter().find_map(|(claim, problem)| match problem {
            Problem::Unsupported { why, .. } if hopeless(problem) && overlap(&claim.span, span) => Some(why),
            _ => None,
        })
    };
    let own: Vec<bool> = all.spans.iter().map(|span| why_of(span).is_some()).collect();
    let removed = all.with_dependents(&response.answer, &own);
    if !all.survive(&removed, settings.min_survival) {
        return nothing;
    }
    let mut left = response.clone();
    let dropped = all.remove(&mut left, &removed);
    if left.citations.is_empty() {
        return nothing;
    }
    *response = left;
    let gone: Vec<&Range<usize>> = all
        .spans
        .iter()
        .zip(&removed)
        .filter(|(_, gone)| **gone)
        .map(|(span, _)| span)
        .collect();
    for ((span, text), _) in all
        .spans
        .iter()
        .zip(&all.plain)
        .zip(&removed)
        .filter(|(_, gone)| **gone)
    {
        let (reason, caveat) = match why_of(span) {
            Some(why) => (
                format!("not supported by what it cites: {why}"),
                format!(
                    "Removed a sentence that the passages it cites probably do not support: \"{}\" ({}).",
                    short(text),
                    short(why)
                ),
            ),
            None => (
                "it depends on a sentence that was removed".to_owned(),
                "A sentence that depends on a removed one was removed too.".to_owned(),
            ),
        };
        log.note_sentence(GuardrailKind::Support, "stripped", text.clone(), reason, caveat);
    }
    let is_gone = found
        .iter()
        .map(|(claim, _)| gone.iter().any(|span| overlap(&claim.span, span)))
        .collect();
    for citation in dropped {
        let id = citation.chunk_id.to_string();
        let caveat = format!("The citation of {id} was removed with its sentence.");
        log.note(
            GuardrailKind::Support,
            "dropped",
            id,
            "only a stripped sentence cited it",
            caveat,
        );
    }
    is_gone
}
