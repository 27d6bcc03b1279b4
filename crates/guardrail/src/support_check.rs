//! Do the cited passages support each sentence? The offline check that the evaluation uses, at the time of asking.

use crate::{GuardrailSettings, action_log::ActionLog, action_log::short};
use support::{LexicalSupport, claims, passage, source_line};
use types::{Confidence, Context, GuardrailKind, RagResponse, Support, SupportError, SupportScorer};

/// Flags the claims that no passage they cite supports, and those that cite none; lowers the confidence. Removes nothing:
/// the check goes by words, and a loose paraphrase can fail it. Claims that cannot be compared with what they cite, as
/// those in another language, are left alone; where the scorer fails, the response says that it was not checked.
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
    let mut unsupported = 0;
    for claim in &all {
        let cited = claim
            .cited
            .iter()
            .filter_map(|id| context.get(id.as_str().trim()));
        let mut best: Option<Support> = None;
        let mut incomparable = false;
        for c in cited {
            let source = &c.source;
            let line = source_line(source.title.as_deref(), &source.authors, source.year);
            match scorer.support(&claim.text, &passage(&line, &c.chunk.text)) {
                Ok(found) if best.as_ref().is_none_or(|b| found.score > b.score) => best = Some(found),
                Ok(_) => {}
                Err(SupportError::NotApplicable(_)) => incomparable = true,
                Err(SupportError::Model(error)) => {
                    let caveat = "Whether the cited passages support the answer was not checked.".to_owned();
                    log.note(
                        GuardrailKind::Support,
                        "flagged",
                        scorer.id().to_owned(),
                        error.to_string(),
                        caveat,
                    );
                    return;
                }
            }
        }
        if best.is_none() && incomparable {
            continue;
        }
        let (reason, caveat) = match best {
            Some(found) if found.score >= LexicalSupport::THRESHOLD => continue,
            Some(found) => {
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
            None if log.has_caveat_for(&claim.text, response) => (String::from("it cites nothing"), None),
            None => {
                let caveat = format!("No source is cited for this sentence: \"{}\"", short(&claim.text));
                ("it cites nothing".to_owned(), Some(caveat))
            }
        };
        unsupported += 1;
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
    let most = match unsupported {
        0 => return,
        n if 2 * n < all.len() => Confidence::Medium,
        _ => Confidence::Low,
    };
    if settings.check_confidence && response.confidence > most {
        let (was, now) = (response.confidence.as_str(), most.as_str());
        let (n, of) = (unsupported, all.len());
        log.note(
            GuardrailKind::Support,
            "hedged",
            "confidence",
            format!("{was} confidence with {n} of {of} sentences unsupported"),
            format!("Confidence lowered from {was} to {now}: {n} of {of} sentences lack support."),
        );
        response.confidence = most;
    }
}
