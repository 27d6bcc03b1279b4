//! The support of claims, by the passages and by each other.

use super::Tools;
use super::citations::{Reading, resolve};
use eval::Score;
use rows::{AnswerRow, Passage};
use support::CONTRADICTED;
pub(super) use support::{Said, statements};
use types::{Support, SupportError};

/// A claim of the answer and its support.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged {
    /// The claim.
    pub(super) claim: String,
    /// Whether a single passage supports it.
    pub(super) supported: bool,
    /// Whether a passage that it cites supports it.
    pub(super) by_cited: bool,
    /// Whether it is unsupported and a passage says the opposite.
    pub(super) contradicted: bool,
}

/// Judges each claim of an answer against each passage.
pub(super) fn judge(
    reading: &Reading,
    passages: &[Passage],
    row: &AnswerRow,
    tools: Tools<'_>,
) -> Result<Vec<Judged>, Score> {
    let all = row.passages.as_deref().unwrap_or(passages);
    let one = |claim: &support::Claim| {
        let cited: Vec<&Passage> = reading
            .cited_by(claim)
            .into_iter()
            .flat_map(|cited| resolve(cited, all))
            .collect();
        let by_cited = best(&claim.text, cited.iter().map(|p| p.text.as_str()), tools)?;
        let supported = |found: &Option<Best>| found.is_some_and(|f| f.score >= tools.limits.support);
        if supported(&by_cited) {
            return Ok(Judged {
                claim: claim.text.clone(),
                supported: true,
                by_cited: true,
                contradicted: false,
            });
        }
        let by_any = best(&claim.text, passages.iter().map(|p| p.text.as_str()), tools)?;
        Ok(Judged {
            claim: claim.text.clone(),
            supported: supported(&by_any),
            by_cited: false,
            contradicted: !supported(&by_any) && by_any.is_some_and(|f| f.contradiction >= CONTRADICTED),
        })
    };
    reading.claims.iter().map(one).collect()
}

#[derive(Clone, Copy)]
struct Best {
    score: f64,
    contradiction: f64,
}

/// The best support by any of the texts, and the strongest contradiction; `None` without a text.
fn best<'t>(
    claim: &str,
    texts: impl Iterator<Item = &'t str>,
    tools: Tools<'_>,
) -> Result<Option<Best>, Score> {
    let mut out: Option<Best> = None;
    let mut incomparable = None;
    for text in texts {
        match support_of(claim, text, tools)? {
            Ok(found) => {
                let (score, contradiction) = (f64::from(found.score), f64::from(found.contradiction));
                let best = out.get_or_insert(Best { score, contradiction });
                best.score = best.score.max(score);
                best.contradiction = best.contradiction.max(contradiction);
                if score >= tools.limits.support {
                    break;
                }
            }
            Err(why) => incomparable = Some(why),
        }
    }
    match (out, incomparable) {
        (None, Some(why)) => Err(Score::n_a(why)),
        (out, _) => Ok(out),
    }
}

/// The word of the judge; `Ok(Err)` if it cannot compare the two texts.
fn support_of(claim: &str, text: &str, tools: Tools<'_>) -> Result<Result<Support, String>, Score> {
    match support::finite(tools.support, claim, text) {
        Ok(found) => Ok(Ok(found)),
        Err(SupportError::NotApplicable(why)) => Ok(Err(why)),
        Err(error) => Err(score_of(&error, tools)),
    }
}

/// Whether a text says what a statement says, as [`support::says`].
pub(super) fn says(statement: &str, text: &str, tools: Tools<'_>) -> Result<Said, Score> {
    support::says(tools.support, tools.limits.support, statement, text)
        .map_err(|error| score_of(&error, tools))
}

/// The score of a metric for which two texts could not be compared.
pub(super) fn score_of(error: &SupportError, tools: Tools<'_>) -> Score {
    match error {
        SupportError::NotApplicable(why) => Score::n_a(why.as_str()),
        SupportError::Model(error) => Score::Error(format!("{}: {error}", tools.support.id())),
    }
}
