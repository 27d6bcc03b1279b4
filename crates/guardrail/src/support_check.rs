//! Do the cited passages support each sentence? The offline check that the evaluation uses, at the time of asking.

use crate::{GuardrailSettings, action_log::ActionLog, action_log::short, removal::Sentences};
use std::ops::Range;
use support::{Claim, LexicalSupport, claims, passage, source_line};
use types::{
    Confidence, Context, GuardrailKind, ModelError, RagResponse, Support, SupportError, SupportScorer,
};

/// Flags the claims that no passage they cite supports, those that drop the hedge of what they cite, and those that
/// cite nothing; lowers the confidence. Sentences are removed only below [`GuardrailSettings::remove_below`]: the check goes by
/// words, and a loose paraphrase can fail it. Claims that cannot be compared with what they cite, as those in another language, are left alone; where the scorer fails, the
/// response says that it was not checked.
pub(crate) fn check(
    response: &mut RagResponse,
    context: &Context,
    settings: &GuardrailSettings,
    scorer: &dyn SupportScorer,
    log: &mut ActionLog,
) {
    // Without any citation the whole answer was flagged or withheld.
    if response.no_evidence || response.citations.is_empty() {
        return;
    }
    let all = claims(&response.answer);
    let mut found: Vec<(&Claim, Problem)> = Vec::new();
    let mut unchecked = 0;
    for claim in &all {
        match judged(claim, context, scorer) {
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
            Ok(Judged::NotApplicable) => unchecked += 1,
            Ok(judged) => found.extend(problem(judged).map(|problem| (claim, problem))),
        }
    }
    let flagged = found.len();
    let removed = remove(response, &found, settings, log);
    for ((claim, problem), _) in found.iter().zip(removed).filter(|(_, removed)| !removed) {
        flag(claim, problem, response, log);
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
    let most = match flagged {
        0 => return,
        n if 2 * n < all.len() => Confidence::Medium,
        _ => Confidence::Low,
    };
    if settings.check_confidence && response.confidence > most {
        let (was, now) = (response.confidence.as_str(), most.as_str());
        let (n, of) = (flagged, all.len());
        log.note(
            GuardrailKind::Support,
            "hedged",
            "confidence",
            format!("{was} confidence with {n} of {of} claims flagged"),
            format!("Confidence lowered from {was} to {now}: {n} of {of} claims were flagged or removed."),
        );
        response.confidence = most;
    }
}

/// What is wrong with a claim.
enum Problem {
    /// No passage that it cites supports it.
    Unsupported {
        /// The probability that one does.
        score: f32,
        /// What is missing or contradicted.
        why: String,
    },
    /// The cited passage is hedged, the claim is not.
    LessCertain,
    /// It cites nothing.
    Uncited,
}

fn problem(judged: Judged) -> Option<Problem> {
    match judged {
        Judged::NotApplicable => None,
        Judged::Uncited => Some(Problem::Uncited),
        Judged::By(found) if supports(&found) => found.hedge_dropped.then_some(Problem::LessCertain),
        Judged::By(found) => {
            let why = found.reasons.join("; ");
            Some(Problem::Unsupported {
                score: found.score,
                why: if why.is_empty() {
                    "it shares too few words with them".to_owned()
                } else {
                    why
                },
            })
        }
    }
}

fn flag(claim: &Claim, problem: &Problem, response: &RagResponse, log: &mut ActionLog) {
    let text = short(&claim.text);
    let (reason, caveat) = match problem {
        Problem::LessCertain => (
            "the passage is less certain".to_owned(),
            format!("The cited passage is less certain than this sentence: \"{text}\""),
        ),
        Problem::Unsupported { why, .. } => (
            format!("not supported by what it cites: {why}"),
            format!(
                "The cited passages do not seem to support this sentence: \"{text}\" ({}).",
                short(why)
            ),
        ),
        Problem::Uncited if log.has_caveat_for(&claim.text, response) => return,
        Problem::Uncited => (
            "it cites nothing".to_owned(),
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

/// Removes the sentences with a claim that hardly can be supported, and those that depend on them, where enough of the answer
/// is left, and a citation. Says for each claim whether it is gone.
fn remove(
    response: &mut RagResponse,
    found: &[(&Claim, Problem)],
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) -> Vec<bool> {
    let hopeless = |problem: &Problem| matches!(problem, Problem::Unsupported { score, .. } if *score < settings.remove_below);
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

/// What became of a claim.
enum Judged {
    /// It cites no passage of the context.
    Uncited,
    /// It cannot be compared with any passage that it cites.
    NotApplicable,
    /// The word on it by the passage that supports it most.
    By(Support),
}

fn supports(found: &Support) -> bool {
    found.score >= LexicalSupport::THRESHOLD
}

/// Whether one passage speaks more for the claim than another: one that supports all of it, hedge included, comes first.
fn is_better(one: &Support, other: &Support) -> bool {
    let whole = |found: &Support| supports(found) && !found.hedge_dropped;
    (whole(one), one.score) > (whole(other), other.score)
}

fn judged(claim: &Claim, context: &Context, scorer: &dyn SupportScorer) -> Result<Judged, ModelError> {
    let mut judged = Judged::Uncited;
    for id in &claim.cited {
        let Some(cited) = context.get(id.as_str().trim()) else {
            continue;
        };
        let source = &cited.source;
        let line = source_line(source.title.as_deref(), &source.authors, source.year);
        match (
            scorer.support(&claim.text, &passage(&line, &cited.chunk.text)),
            &judged,
        ) {
            (Ok(found), Judged::By(best)) if !is_better(&found, best) => {}
            (Ok(found), _) => judged = Judged::By(found),
            (Err(SupportError::NotApplicable(_)), Judged::Uncited) => judged = Judged::NotApplicable,
            (Err(SupportError::NotApplicable(_)), _) => {}
            (Err(SupportError::Model(error)), _) => return Err(error),
        }
    }
    Ok(judged)
}
