//! Whether two answers to one question say the same.

use text::entities::{Ground, entities};
use types::{ModelError, Support, SupportError, SupportScorer};

/// A text contradicts a statement from this probability on.
pub const CONTRADICTED: f64 = 0.7;
/// A statement with fewer content terms is an answer in note form ("April 2023"), which no sentence entails word for word.
const NOTE_TERMS: usize = 4;

/// What a text says about a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// It says so.
    Yes,
    /// It says something else.
    No,
    /// It says the opposite.
    Opposite,
}

/// Support with finite probabilities.
///
/// # Errors
/// As the scorer, and when it gives a probability that is not a number.
pub fn finite(scorer: &dyn SupportScorer, claim: &str, text: &str) -> Result<Support, SupportError> {
    let found = scorer.support(claim, text)?;
    if found.score.is_finite() && found.contradiction.is_finite() {
        return Ok(found);
    }
    Err(SupportError::Model(ModelError {
        model: scorer.id().to_owned(),
        reason: format!(
            "it gave a support of {} and a contradiction of {}",
            found.score, found.contradiction
        ),
    }))
}

/// The statements of a text; a text without a claim ("No.") is one statement as a whole.
pub fn statements(text: &str) -> Vec<String> {
    let claims: Vec<String> = crate::claims(text).into_iter().map(|claim| claim.text).collect();
    if claims.is_empty() && !text.trim().is_empty() {
        return vec![text.trim().to_owned()];
    }
    claims
}

/// Whether a text says what a statement says: supports it with a probability of at least `tau`, 0 to 1. A statement in note
/// form, without a full stop, is said if its terms, numbers and names are.
///
/// # Errors
/// As [`finite`].
pub fn says(scorer: &dyn SupportScorer, tau: f64, statement: &str, text: &str) -> Result<Said, SupportError> {
    if text.trim().is_empty() {
        return Ok(Said::No);
    }
    let terms = text::stems(statement).len();
    if (1..NOTE_TERMS).contains(&terms) && !statement.trim_end().ends_with('.') {
        let said = holds(text, statement);
        return Ok(if said { Said::Yes } else { Said::No });
    }
    let found = finite(scorer, statement, text)?;
    Ok(match () {
        () if f64::from(found.score) >= tau => Said::Yes,
        () if f64::from(found.contradiction) >= CONTRADICTED => Said::Opposite,
        () => Said::No,
    })
}

/// The first statement of the reference that the answer does not say, or of the answer that contradicts the reference;
/// `None` if the answer says all of the reference and nothing against it.
///
/// # Errors
/// As [`finite`].
pub fn disagreement(
    scorer: &dyn SupportScorer,
    tau: f64,
    answer: &str,
    reference: &str,
) -> Result<Option<Disagreement>, SupportError> {
    for claim in statements(reference) {
        if says(scorer, tau, &claim, answer)? != Said::Yes {
            return Ok(Some(Disagreement::NotSaid(claim)));
        }
    }
    for claim in statements(answer) {
        if says(scorer, tau, &claim, reference)? == Said::Opposite {
            return Ok(Some(Disagreement::Contradicts(claim)));
        }
    }
    Ok(None)
}

/// Where an answer and a reference differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// The answer does not say this claim of the reference.
    NotSaid(String),
    /// This claim of the answer contradicts the reference.
    Contradicts(String),
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotSaid(claim) => write!(f, "the answer does not say: {claim}"),
            Self::Contradicts(claim) => write!(f, "the answer contradicts the reference: {claim}"),
        }
    }
}

/// Whether a text has all content terms, numbers and names of another.
fn holds(text: &str, of: &str) -> bool {
    let own = text::stems(text);
    let ground = Ground::new(text);
    text::stems(of).iter().all(|stem| own.contains(stem))
        && entities(of).iter().all(|entity| ground.holds(entity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LexicalSupport;

    #[test]
    fn a_text_holds_terms_numbers_and_names() {
        assert!(holds("New York began in April 2023.", "April 2023"));
        assert!(!holds("New York began in April 2022.", "April 2023"));
    }

    #[test]
    fn answers_agree_if_all_of_the_reference_is_said() {
        let scorer = LexicalSupport::new();
        let reference = "Walking lowered blood pressure by 6 mmHg.";
        let check = |answer: &str, reference: &str, expect: Option<&str>| {
            let found = disagreement(&scorer, 0.5, answer, reference).expect("comparable");
            let found = found.map(|found| found.to_string());
            match (&found, expect) {
                (None, None) => {}
                (Some(found), Some(part)) => assert!(found.contains(part), "{found}"),
                _ => panic!("{answer}: {found:?}"),
            }
        };
        check(
            "Mice ran. In the trial, walking lowered blood pressure by 6 mmHg.",
            reference,
            None,
        );
        check(
            "Walking lowered blood pressure by 5 mmHg.",
            reference,
            Some("does not say: Walking"),
        );
        check("", reference, Some("does not say"));
        check("It began in April 2023.", "April 2023", None);
        check(
            "It began in May 2023.",
            "April 2023",
            Some("does not say: April 2023"),
        );
    }
}
