//! What is wrong with a claim: by the offline scorer, and by a language model.

use crate::ModelVerdict;
use support::{Claim, LexicalSupport, passage, source_line};
use types::{ClaimVerdict, Context, ModelError, Support, SupportError, SupportScorer};

/// What is wrong with a claim.
pub(super) enum Problem {
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
    },
    /// The cited passage is hedged, the claim is not.
    LessCertain,
    /// It cites nothing.
    Uncited,
}

impl Problem {
    /// Of what the offline scorer and the model found on a claim. The model never clears what the scorer found.
    pub(super) fn of(judged: &Judged, model: Option<&ModelVerdict>) -> Option<Self> {
        let model = model.filter(|said| said.verdict != ClaimVerdict::Supported);
        match judged {
            Judged::Uncited => Some(Self::Uncited),
            Judged::By(found) if !supports(found) => {
                let why = found.reasons.join("; ");
                Some(Self::Unsupported {
                    score: found.score,
                    why: if why.is_empty() {
                        "it shares too few words with them".to_owned()
                    } else {
                        why
                    },
                    agreed: model.is_some_and(|said| said.verdict != ClaimVerdict::Partly),
                })
            }
            Judged::By(_) | Judged::NotApplicable if model.is_some() => {
                model.map(|said| Self::Doubted { why: said.words() })
            }
            Judged::By(found) => found.hedge_dropped.then_some(Self::LessCertain),
            Judged::NotApplicable => None,
        }
    }

    /// Whether the sentence should go: support is hardly possible, or scorer and model agree that there is none.
    pub(super) fn is_hopeless(&self, remove_below: f32) -> bool {
        // 0 means that sentences are only flagged.
        matches!(self, Self::Unsupported { score, agreed, .. } if *score < remove_below || (*agreed && remove_below > 0.0))
    }

    /// Whether the claim counts as supported all the same.
    pub(super) fn is_minor(&self) -> bool {
        matches!(self, Self::LessCertain)
    }

    /// In words.
    pub(super) fn why(&self) -> &str {
        match self {
            Self::Unsupported { why, .. } | Self::Doubted { why } => why,
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
        if said.is_empty() {
            self.verdict.as_str().to_owned()
        } else {
            said.join(": ")
        }
    }
}

/// What became of a claim.
pub(super) enum Judged {
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

pub(super) fn judged(
    claim: &Claim,
    context: &Context,
    scorer: &dyn SupportScorer,
) -> Result<Judged, ModelError> {
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
