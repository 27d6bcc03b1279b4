//! A judge whose calls to a language model have a time limit.

use eval::{
    Judge,
    judge::{JudgeError, JudgeInput, JudgeOutput},
};
use std::time::Duration;
use types::BoxFuture;

/// Gives the calls for one verdict at most `limit` together.
pub(crate) struct TimedJudge<J> {
    pub(crate) judge: J,
    pub(crate) limit: Duration,
}

impl<J: Judge> Judge for TimedJudge<J> {
    fn id(&self) -> String {
        self.judge.id()
    }

    fn judge<'a>(&'a self, input: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>> {
        Box::pin(llm::with_deadline(self.limit, self.judge.judge(input)))
    }
}
