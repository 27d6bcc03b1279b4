//! Do the cited passages support each sentence? The offline check that the evaluation uses, at the time of asking, and what
//! a language model says.

use crate::{
    GuardrailSettings, ModelVerdict, action_log::ActionLog, action_log::short, missing::says_missing,
    removal::Sentences,
};
use evidence::support::{Claim, LexicalSupport, claims, passage, source_line};
use std::ops::Range;
use types::{
    CheckedClaim, ClaimVerdict, Confidence, Context, GuardrailKind, ModelError, RagResponse, Support,
    SupportError, SupportScorer,
};

/// Flags the claims that no passage they cite supports, those that drop the hedge of what they cite, and those that
/// cite nothing and do not say that the papers lack something; lowers the confidence. `verdicts` are what a language model says, by claim: claims that it doubts are flagged too,
/// and with [`GuardrailSettings::trust_verdicts`] those that it finds supported are not.
/// Sentences are removed only below [`GuardrailSettings::remove_below`], if scorer and model agree, or if a trusted model finds them contradicted: the offline check goes by
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
        let cleared =
            settings.trust_verdicts && said.is_some_and(|said| said.verdict == ClaimVerdict::Supported);
        let judged = match judged(claim, context, scorer) {
            Ok(judged) => judged,
            Err(error) => {
                let caveat = "Whether the cited passages support the answer was not checked.";
                log.note(GuardrailKind::Support, "flagged", scorer.id(), error.to_string(), caveat);
                break;
            }
        };
        unchecked += usize::from(matches!(judged, Judged::NotApplicable) && said.is_none());
        let problem = Problem::of(&judged, said).filter(|problem| match problem {
            // "The papers do not report ..." rests on no passage.
            Problem::Uncited => !says_missing(&claim.text),
            _ => !cleared,
        });
        checked.push(CheckedClaim {
            claim: claim.text.clone(),
            cited: claim.cited.clone(),
            supported: problem.as_ref().is_none_or(Problem::is_minor),
            probability: match &judged {
                Judged::By(found) if cleared => Some(found.score.max(CLEARED)),
                Judged::By(found) => Some(found.score),
                Judged::Uncited | Judged::NotApplicable => None,
            },
            verdict: said.map(|said| said.verdict),
            reason: problem.as_ref().map(|problem| problem.why().to_owned()),
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
            format!("{n} of {of} claims are in another language than what they cite, or in one written without spaces"),
            format!(
                "{n} of {of} claims were not checked: the offline check cannot compare them with the passages they cite (another \
                 language, or one written without spaces)."
            ),
        );
    }
    let (flagged, all) = (flagged, all.len());
    if settings.check_confidence && flagged > 0 {
        let few = 2 * flagged < all;
        let most = if few { Confidence::Medium } else { Confidence::Low };
        let with = format!("{flagged} of {all} claims flagged");
        let why = format!("{flagged} of {all} claims were flagged or removed");
        log.lower(response, GuardrailKind::Support, most, (&with, &why));
    }
    checked
}

/// Least probability of a claim that a trusted model finds supported. Not fitted.
const CLEARED: f32 = 0.95;

fn flag(claim: &Claim, problem: &Problem, response: &RagResponse, log: &mut ActionLog) {
    let text = short(&claim.text);
    let (reason, caveat) = match problem {
        Problem::LessCertain => (
            problem.why().to_owned(),
            format!("The cited passage is less certain than this sentence: \"{text}\""),
        ),
        Problem::Unsupported { why, .. } => (
            format!("not supported by what it cites: {why}"),
            format!("The cited passages do not seem to support this sentence: \"{text}\" ({}).", short(why)),
        ),
        Problem::Doubted { why, .. } => (
            format!("the language model that checked it finds no full support: {why}"),
            format!(
                "The language model that checked the answer finds no full support for this sentence: \"{text}\" ({}).",
                short(why)
            ),
        ),
        Problem::Uncited if log.has_caveat_for(&claim.text, response) => return,
        Problem::Uncited => {
            (problem.why().to_owned(), format!("No source is cited for this sentence: \"{text}\""))
        }
    };
    log.note_sentence(GuardrailKind::Support, "flagged", claim.text.clone(), reason, caveat);
}

/// Removes the sentences with a claim that hardly can be supported, and those that depend on them, where enough of the answer
/// is left, and a citation. Says for each claim whether it is gone.
fn remove(
    response: &mut RagResponse,
    found: &[(&Claim, Problem)],
    settings: &GuardrailSettings,
    log: &mut ActionLog,
) -> Vec<bool> {
    let hopeless = |problem: &Problem| problem.is_hopeless(settings);
    let nothing = vec![false; found.len()];
    if !found.iter().any(|(_, problem)| hopeless(problem)) {
        return nothing;
    }
    let all = Sentences::of(&response.answer);
    let overlap = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    let why_of = |span: &Range<usize>| {
        found.iter().find_map(|(claim, problem)| match problem {
            Problem::Unsupported { why, .. } | Problem::Doubted { why, .. }
                if hopeless(problem) && overlap(&claim.span, span) =>
            {
                Some(why)
            }
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
    let gone: Vec<&Range<usize>> =
        all.spans.iter().zip(&removed).filter(|(_, gone)| **gone).map(|(span, _)| span).collect();
    let why = |at: usize| {
        why_of(&all.spans[at]).map(|why| {
            let text = short(&all.plain[at]);
            let caveat = "Removed a sentence that the passages it cites probably do not support";
            let caveat = format!("{caveat}: \"{text}\" ({}).", short(why));
            (format!("not supported by what it cites: {why}"), caveat)
        })
    };
    all.note_removed(GuardrailKind::Support, &removed, &dropped, why, log);
    let is_gone = |claim: &Claim| gone.iter().any(|span| overlap(&claim.span, span));
    found.iter().map(|(claim, _)| is_gone(claim)).collect()
}

/// What is wrong with a claim.
enum Problem {
    /// No passage that it cites supports it.
    Unsupported {
        /// The probability of the offline scorer that one does.
        score: f32,
        /// What is missing or contradicted.
        why: String,
        /// Whether a language model says so too.
        agreed: bool,
    },
    /// The offline scorer finds support, or cannot compare it; a language model finds no support, or only for a part.
    Doubted {
        /// What the model says.
        why: String,
        /// Whether it says that a passage says otherwise.
        contradicted: bool,
    },
    /// The cited passage is hedged, the claim is not.
    LessCertain,
    /// It cites nothing.
    Uncited,
}

impl Problem {
    /// Of what the offline scorer and the model found on a claim.
    fn of(judged: &Judged, model: Option<&ModelVerdict>) -> Option<Self> {
        let model = model.filter(|said| said.verdict != ClaimVerdict::Supported);
        match judged {
            Judged::Uncited => Some(Self::Uncited),
            Judged::By(found) if !supports(found) => {
                let why = found.reasons.join("; ");
                Some(Self::Unsupported {
                    score: found.score,
                    why: if why.is_empty() { "it shares too few words with them".to_owned() } else { why },
                    agreed: model.is_some_and(|said| said.verdict != ClaimVerdict::Partly),
                })
            }
            Judged::By(_) | Judged::NotApplicable if model.is_some() => model.map(|said| Self::Doubted {
                why: said.words(),
                contradicted: said.verdict == ClaimVerdict::Contradicted,
            }),
            Judged::By(found) => found.hedge_dropped.then_some(Self::LessCertain),
            Judged::NotApplicable => None,
        }
    }

    /// Whether the sentence should go: support is hardly possible, scorer and model agree that there is none, or a model that is
    /// trusted says that a passage contradicts it.
    fn is_hopeless(&self, settings: &GuardrailSettings) -> bool {
        let least = settings.remove_below;
        match self {
            Self::Unsupported { score, agreed, .. } => *score < least || (*agreed && least > 0.0),
            // 0 means that sentences are only flagged.
            Self::Doubted { contradicted, .. } => *contradicted && settings.trust_verdicts && least > 0.0,
            Self::LessCertain | Self::Uncited => false,
        }
    }

    /// Whether the claim counts as supported all the same.
    fn is_minor(&self) -> bool {
        matches!(self, Self::LessCertain)
    }

    /// In words.
    fn why(&self) -> &str {
        match self {
            Self::Unsupported { why, .. } | Self::Doubted { why, .. } => why,
            Self::LessCertain => "the passage is less certain",
            Self::Uncited => "it cites nothing",
        }
    }
}

impl ModelVerdict {
    /// What the model says is wrong.
    fn words(&self) -> String {
        let parts = [self.fault.words(), self.reason.as_str()];
        let said: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        if said.is_empty() { self.verdict.as_str().to_owned() } else { said.join(": ") }
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
        match (scorer.support(&claim.text, &passage(&line, &cited.chunk.with_table_head())), &judged) {
            (Ok(found), Judged::By(best)) if !is_better(&found, best) => {}
            (Ok(found), _) => judged = Judged::By(found),
            (Err(SupportError::NotApplicable(_)), Judged::Uncited) => judged = Judged::NotApplicable,
            (Err(SupportError::NotApplicable(_)), _) => {}
            (Err(SupportError::Model(error)), _) => return Err(error),
        }
    }
    Ok(judged)
}
