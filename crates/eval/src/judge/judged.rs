//! What came of judging a response.

use super::{JudgeError, JudgeOutput};
use crate::Score;
use types::Usage;

/// What a judge has to say of one response: its verdict on the claims, or its decision on a metric ([`super::Decision`]).
#[derive(Clone, Debug)]
pub enum Judged<T = JudgeOutput> {
    /// It was not asked, and why.
    NotApplicable(String),
    /// It gave no verdict.
    Error(JudgeError),
    /// Its verdict.
    Output(T),
}

impl<T> Judged<T> {
    /// What came of asking the judge.
    pub fn of(asked: Result<T, JudgeError>) -> Self {
        match asked {
            Ok(output) => Self::Output(output),
            Err(JudgeError::NotApplicable(reason)) => Self::NotApplicable(reason),
            Err(error) => Self::Error(error),
        }
    }

    /// The verdict, if there is one.
    pub fn output(&self) -> Option<&T> {
        match self {
            Self::Output(output) => Some(output),
            _ => None,
        }
    }

    /// Why there is no verdict although one was asked for.
    pub fn failure(&self) -> Option<&JudgeError> {
        match self {
            Self::Error(error) => Some(error),
            _ => None,
        }
    }

    /// The score that a verdict gives; n/a where none was asked for or the judge could not be reached, an error where none
    /// was given.
    pub fn score(&self, of: impl Fn(&T) -> Score) -> Score {
        match self {
            Self::NotApplicable(reason) => Score::n_a(reason.as_str()),
            Self::Error(error) if error.is_pending() => Score::n_a(format!("pending: {error}")),
            Self::Error(error) => Score::Error(error.to_string()),
            Self::Output(output) => of(output),
        }
    }

    /// What judging spent; `of` says what a verdict did.
    pub(super) fn spent(&self, of: impl Fn(&T) -> Usage) -> Usage {
        match self {
            Self::Output(output) => of(output),
            Self::Error(error) => error.usage(),
            Self::NotApplicable(_) => Usage::default(),
        }
    }
}
