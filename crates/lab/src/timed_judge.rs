//! A judge whose calls to a language model have a time limit.

use eval::{
    Judge,
    judge::{CompareInput, Decision, JudgeError, JudgeInput, JudgeOutput},
};
use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use types::{BoxFuture, Reporter};

/// Gives the calls for one verdict at most `limit` together, and reports what their replies note.
pub(crate) struct TimedJudge<'a, J> {
    pub(crate) judge: J,
    pub(crate) limit: Duration,
    pub(crate) reporter: &'a dyn Reporter,
    /// Notes that were reported.
    pub(crate) said: Mutex<BTreeSet<String>>,
}

impl<J: Judge> TimedJudge<'_, J> {
    /// Runs the calls of one judgement.
    async fn timed<T: Send>(&self, judging: impl Future<Output = T> + Send) -> T {
        let (judged, calls) = llm::metered(llm::with_deadline(self.limit, judging)).await;
        for note in calls.notes {
            let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            if said.insert(note.clone()) {
                self.reporter.warn(&format!("judging: {note}"));
            }
        }
        judged
    }
}

impl<J: Judge> Judge for TimedJudge<'_, J> {
    fn id(&self) -> String {
        self.judge.id()
    }

    fn judge<'a>(&'a self, input: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>> {
        Box::pin(self.timed(self.judge.judge(input)))
    }

    fn compare<'a>(&'a self, input: &'a CompareInput) -> Option<BoxFuture<'a, Result<Decision, JudgeError>>> {
        let compared = self.judge.compare(input)?;
        Some(Box::pin(self.timed(compared)))
    }
}
