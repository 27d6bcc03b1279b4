//! Whether one text says what another says.

use super::Tools;
use crate::Score;
pub(super) use evidence::support::{Said, statements};
use types::SupportError;

/// Whether a text says what a statement says, as [`evidence::support::says`].
pub(super) fn says(statement: &str, text: &str, tools: Tools<'_>) -> Result<Said, Score> {
    evidence::support::says(tools.support, tools.limits.support, statement, text)
        .map_err(|error| score_of(&error, tools))
}

/// The score of a metric for which two texts could not be compared.
fn score_of(error: &SupportError, tools: Tools<'_>) -> Score {
    match error {
        SupportError::NotApplicable(why) => Score::n_a(why.as_str()),
        SupportError::Model(error) => Score::Error(format!("{}: {error}", tools.support.id())),
    }
}
