//! Do the cited passages support each sentence? The offline check that the evaluation uses, at the time of asking.

use crate::{GuardrailSettings, action_log::ActionLog, action_log::short};
use support::{Claim, LexicalSupport, claims, passage, source_line};
use types::{
    Confidence, Context, GuardrailKind, ModelError, RagResponse, Support, SupportError, SupportScorer,
};

/// Flags the claims that no passage they cite supports, those that drop the hedge of what they cite, and those that
/// cite nothing; lowers the confidence. Removes nothing: the check goes by words, and a loose paraphrase can fail it. Claims
/// that cannot be compared with what they cite, as those in another language, are left alone; where the scorer fails, the
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
    let (mut flagged, mut unchecked) = (0, 0);
    for claim in &all {
        let (reason, caveat) = match judged(claim, context, scorer) {
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
            Ok(Judged::NotApplicable) => {
                unchecked += 1;
                continue;
            }
            Ok(Judged::By(found)) if supports(&found) && !found.hedge_dropped => continue,
            Ok(Judged::By(found)) if supports(&found) => {
                let text = short(&claim.text);
                let caveat = format!("The cited passage is less certain than this sentence: \"{text}\"");
                ("the passage is less certain".to_owned(), Some(caveat))
            }
            Ok(Judged::By(found)) => {
                let why = found.reasons.join("; ");
                let why = if why.is_empty() {
                    "too little in common".to_owned()
                } else {
                    why
                };
                let caveat = format!(
                    "Check this sentence, the passages it cites do not seem to support it: \"{}\" ({}).",
                    short(&claim.text),
                    short(&why)
                );
                (format!("not supported by what it cites: {why}"), Some(caveat))
            }
            Ok(Judged::Uncited) => {
                let told = log.has_caveat_for(&claim.text, response);
                let caveat = format!("No source is cited for this sentence: \"{}\"", short(&claim.text));
                ("it cites nothing".to_owned(), (!told).then_some(caveat))
            }
        };
        flagged += 1;
        if let Some(caveat) = caveat {
            log.note(
                GuardrailKind::Support,
                "flagged",
                claim.text.clone(),
                reason,
                caveat,
            );
        }
    }
    if unchecked > 0 {
        let (n, of) = (unchecked, all.len());
        log.note(
            GuardrailKind::Support,
            "flagged",
            "language",
            format!("{n} of {of} claims are in another language than what they cite"),
            format!("{n} of {of} claims were not checked: they are in another language than the passages they cite."),
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
            format!("Confidence lowered from {was} to {now}: {n} of {of} claims were flagged."),
        );
        response.confidence = most;
    }
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
