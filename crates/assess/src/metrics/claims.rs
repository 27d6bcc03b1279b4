//! The support of claims, by the passages and by each other.

use super::Tools;
use super::citations::{Reading, resolve};
use eval::Score;
use rows::{AnswerRow, Passage};
use types::{Support, SupportError};

/// A passage contradicts a claim from this probability on, as in the judges of `eval`.
pub(super) const CONTRADICTED: f64 = 0.7;
/// A statement with fewer content terms is an answer in note form ("April 2023"), which no sentence entails word for word.
const NOTE_TERMS: usize = 4;

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
    match tools.support.support(claim, text) {
        Ok(found) if found.score.is_finite() && found.contradiction.is_finite() => Ok(Ok(found)),
        Ok(found) => Err(Score::Error(format!(
            "{} gave a support of {} and a contradiction of {}",
            tools.support.id(),
            found.score,
            found.contradiction
        ))),
        Err(SupportError::NotApplicable(why)) => Ok(Err(why)),
        Err(SupportError::Model(error)) => Err(Score::Error(format!("{}: {error}", tools.support.id()))),
    }
}

/// What a text says about a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// It says so.
    Yes,
    /// It says something else.
    No,
    /// It says the opposite.
    Opposite,
}

/// Whether a text says what a statement says. A statement in note form, without a full stop, is said if its terms, numbers
/// and names are.
pub(super) fn says(statement: &str, text: &str, tools: Tools<'_>) -> Result<Said, Score> {
    if text.trim().is_empty() {
        return Ok(Said::No);
    }
    let terms = super::wording::stems(statement).len();
    if (1..NOTE_TERMS).contains(&terms) && !statement.trim_end().ends_with('.') {
        let said = super::wording::holds(text, statement);
        return Ok(if said { Said::Yes } else { Said::No });
    }
    let found = support_of(statement, text, tools)?.map_err(Score::n_a)?;
    Ok(match () {
        () if f64::from(found.score) >= tools.limits.support => Said::Yes,
        () if f64::from(found.contradiction) >= CONTRADICTED => Said::Opposite,
        () => Said::No,
    })
}

/// The statements of a text; a text without a claim ("No.") is one statement as a whole.
pub(super) fn statements(text: &str) -> Vec<String> {
    let claims: Vec<String> = support::claims(text)
        .into_iter()
        .map(|claim| claim.text)
        .collect();
    if claims.is_empty() && !text.trim().is_empty() {
        return vec![text.trim().to_owned()];
    }
    claims
}
