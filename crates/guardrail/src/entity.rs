//! Every number with a unit, symbol and name of the answer stands in the context.

mod absence;
mod dependents;
mod grounds;

use crate::{
    GuardrailSettings,
    action_log::{ActionLog, short},
    inline::marked_chunks,
    sentences::{rejoin, sentences},
};
use grounds::Grounds;
use std::ops::Range;
use support::strip_marks;
use text::word_count;
use types::{Confidence, Context, GuardrailKind, RagResponse};

/// Strips the sentences that name what the context does not hold, with those that depend on them, where enough
/// of the answer is left; flags them where it does not. Refusals pass: they name what is missing.
pub(crate) fn check(
    query: &str,
    response: &mut RagResponse,
    context: &Context,
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) {
    if response.no_evidence {
        return;
    }
    let spans = sentences(&response.answer);
    let plain: Vec<String> = spans
        .iter()
        .map(|s| strip_marks(&response.answer[s.clone()]).trim().to_owned())
        .collect();
    let mut grounds = Grounds::new(query, context);
    let ungrounded: Vec<Vec<String>> = plain.iter().map(|s| grounds.ungrounded(s)).collect();
    if ungrounded.iter().all(Vec::is_empty) {
        return;
    }
    let own: Vec<bool> = ungrounded.iter().map(|names| !names.is_empty()).collect();
    let removed = dependents::with_dependents(&response.answer, &spans, &plain, &own);
    if survives(&plain, &removed, settings.min_survival) {
        strip(response, &spans, &plain, &ungrounded, &removed, log);
    } else {
        flag(response, &plain, &ungrounded, settings, log);
    }
}

/// Whether enough words of the answer are left.
fn survives(plain: &[String], removed: &[bool], min_survival: f32) -> bool {
    let words = |wanted: bool| {
        let counted = plain
            .iter()
            .zip(removed)
            .filter(|(_, removed)| wanted || !**removed);
        counted.map(|(s, _)| word_count(s)).sum::<usize>()
    };
    let (left, all) = (words(false), words(true));
    left > 0 && left as f32 >= min_survival * all as f32
}

fn strip(
    response: &mut RagResponse,
    spans: &[Range<usize>],
    plain: &[String],
    ungrounded: &[Vec<String>],
    removed: &[bool],
    log: &mut ActionLog,
) {
    for ((text, names), _) in plain
        .iter()
        .zip(ungrounded)
        .zip(removed)
        .filter(|(_, removed)| **removed)
    {
        let (reason, caveat) = if names.is_empty() {
            (
                "it depends on a sentence that was removed".to_owned(),
                "A sentence that depends on a removed one was removed too.".to_owned(),
            )
        } else {
            let names = names.join(", ");
            let caveat = format!(
                "A sentence was removed; not found in the context: {}.",
                short(&names)
            );
            (format!("not in the context: {names}"), caveat)
        };
        log.note(GuardrailKind::Entity, "stripped", text.clone(), reason, caveat);
    }
    let before = marked_chunks(&response.answer);
    let keep: Vec<bool> = removed.iter().map(|g| !g).collect();
    response.answer = rejoin(&response.answer, spans, &keep);
    let after = marked_chunks(&response.answer);
    let lost = |id: &str| before.contains(id) && !after.contains(id);
    let (left, dropped) = response
        .citations
        .drain(..)
        .partition(|c| !lost(c.chunk_id.as_str()));
    response.citations = left;
    let dropped: Vec<types::Citation> = dropped;
    for citation in dropped {
        let id = citation.chunk_id.to_string();
        let caveat = format!("The citation of {id} was removed with its sentence.");
        log.note(
            GuardrailKind::Entity,
            "dropped",
            id,
            "only a stripped sentence cited it",
            caveat,
        );
    }
}

fn flag(
    response: &mut RagResponse,
    plain: &[String],
    ungrounded: &[Vec<String>],
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) {
    for (text, names) in plain
        .iter()
        .zip(ungrounded)
        .filter(|(_, names)| !names.is_empty())
    {
        let names = names.join(", ");
        let reason =
            format!("not in the context: {names}; too little of the answer would survive without it");
        let caveat = format!("Not found in the context: {}.", short(&names));
        log.note(GuardrailKind::Entity, "flagged", text.clone(), reason, caveat);
    }
    if settings.check_confidence {
        response.confidence = Confidence::Low;
    }
}
