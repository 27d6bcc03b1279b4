//! Every number with a unit, symbol and name of the answer stands in the context, and every address in what is cited.

mod grounds;

use crate::{
    GuardrailSettings,
    action_log::{ActionLog, short},
    foreign::Foreign,
    removal::Sentences,
};
use grounds::Grounds;
use std::ops::Range;
use types::{Confidence, Context, GuardrailKind, RagResponse};

/// Strips the sentences that name what the context does not hold, with those that depend on them, where enough
/// of the answer is left; flags them where it does not, and cuts out what is foreign. Of refusals, which name what is missing,
/// only that is checked.
pub(crate) fn check(
    query: &str,
    response: &mut RagResponse,
    context: &Context,
    foreign: &Foreign,
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) {
    let all = Sentences::of(&response.answer);
    let foreign_names = foreign.find(&response.answer);
    let mut grounds = Grounds::new(query, context);
    let of_sentence = |(text, own): (&String, &Range<usize>)| {
        let mut names = if response.no_evidence { Vec::new() } else { grounds.ungrounded(text) };
        for (_, what) in foreign_names.iter().filter(|(span, _)| span.start < own.end && own.start < span.end)
        {
            if !names.iter().any(|name| name == what) {
                names.push((*what).to_owned());
            }
        }
        names
    };
    let ungrounded: Vec<Vec<String>> = all.plain.iter().zip(&all.spans).map(of_sentence).collect();
    if ungrounded.iter().all(Vec::is_empty) {
        return;
    }
    let own: Vec<bool> = ungrounded.iter().map(|names| !names.is_empty()).collect();
    let removed = all.with_dependents(&response.answer, &own);
    if all.survive(&removed, settings.min_survival) {
        strip(response, &all, &ungrounded, &removed, log);
    } else {
        flag(response, &all.plain, &ungrounded, settings, log);
        response.answer = foreign.cut(&response.answer);
    }
}

fn strip(
    response: &mut RagResponse,
    all: &Sentences,
    ungrounded: &[Vec<String>],
    removed: &[bool],
    log: &mut ActionLog,
) {
    let why = |at: usize| {
        let names = ungrounded[at].join(", ");
        let caveat = format!("A sentence was removed; not found in the context: {}.", short(&names));
        (!names.is_empty()).then(|| (format!("not in the context: {names}"), caveat))
    };
    let dropped = all.remove(response, removed);
    all.note_removed(GuardrailKind::Entity, removed, &dropped, why, log);
}

fn flag(
    response: &mut RagResponse,
    plain: &[String],
    ungrounded: &[Vec<String>],
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) {
    for (text, names) in plain.iter().zip(ungrounded).filter(|(_, names)| !names.is_empty()) {
        let names = names.join(", ");
        let reason =
            format!("not in the context: {names}; too little of the answer would survive without it");
        let caveat = format!("Not found in the context: {}.", short(&names));
        log.note_sentence(GuardrailKind::Entity, "flagged", text.clone(), reason, caveat);
    }
    if settings.check_confidence {
        response.confidence = Confidence::Low;
    }
}
