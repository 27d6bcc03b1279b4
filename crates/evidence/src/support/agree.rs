//! What a text says about a statement.

use text::entities::{Ground, entities};
use types::{ModelError, Support, SupportError, SupportScorer};

/// A statement with fewer content terms is an answer in note form ("April 2023"), which no sentence entails word for word.
const NOTE_TERMS: usize = 4;

/// Support with finite probabilities.
///
/// # Errors
/// As the scorer, and when it gives a probability that is not a number.
fn finite(scorer: &dyn SupportScorer, claim: &str, text: &str) -> Result<Support, SupportError> {
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
    let claims: Vec<String> = crate::support::claims(text).into_iter().map(|claim| claim.text).collect();
    if claims.is_empty() && !text.trim().is_empty() {
        return vec![text.trim().to_owned()];
    }
    claims
}

/// Whether a text says what a statement says: supports it with a probability of at least `tau`, 0 to 1. A statement in note
/// form, without a full stop, is said if its terms, numbers and names are.
///
/// # Errors
/// As the scorer, and when it gives a probability that is not a number.
pub fn says(scorer: &dyn SupportScorer, tau: f64, statement: &str, text: &str) -> Result<bool, SupportError> {
    if text.trim().is_empty() {
        return Ok(false);
    }
    let terms = text::stems(statement).len();
    if (1..NOTE_TERMS).contains(&terms) && !statement.trim_end().ends_with('.') {
        return Ok(holds(text, statement));
    }
    Ok(f64::from(finite(scorer, statement, text)?.score) >= tau)
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
    use crate::support::LexicalSupport;

    #[test]
    fn a_text_holds_terms_numbers_and_names() {
        assert!(holds("New York began in April 2023.", "April 2023"));
        assert!(!holds("New York began in April 2022.", "April 2023"));
    }

    #[test]
    fn a_text_says_what_it_supports() {
        let scorer = LexicalSupport::new();
        let check = |statement: &str, text: &str, want: bool| {
            let said = says(&scorer, 0.5, statement, text).expect("comparable");
            assert_eq!(said, want, "{statement}: {text}");
        };
        let claim = "Walking lowered blood pressure by 6 mmHg.";
        check(claim, "In the trial, walking lowered blood pressure by 6 mmHg.", true);
        check(claim, "", false);
        check("April 2023", "It began in April 2023.", true);
        check("April 2023", "It began in May 2023.", false);
    }
}
