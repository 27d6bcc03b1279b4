//! Rows given to a judge, a few at a time.

use crate::{error::LabError, eval_run};
use engine::{ComputePool, chat_models::ChatModels, natives::Natives, settings::Settings, stages};
use eval::{
    EvalError, Judge, Remains,
    judge::{JudgeError, JudgeItem, JudgeOutput},
};
use futures::StreamExt;
use types::{FailureKind, Reporter, Stop};

/// The judge of the settings. Its calls to a language model cost at most `max_cost` US dollars.
///
/// # Errors
/// When it needs a language model and none is configured.
pub(crate) fn judge_of(
    settings: &Settings,
    max_cost: Option<f64>,
    reporter: &dyn Reporter,
) -> Result<Box<dyn Judge>, LabError> {
    let support = || stages::support_alone(settings, &Natives::find(settings), reporter);
    let models = ChatModels::new(settings)?.with_budget(max_cost);
    eval_run::judge(settings, &models, support, &ComputePool::default())
}

/// What a row says of the rows after it.
pub(crate) enum Said {
    /// They may succeed.
    Done,
    /// Nothing: a row in another language, for example, is not judged, and the next one may be.
    Nothing,
    /// It failed: after several in a row, no other is tried; after a fatal failure, the work ends.
    Failed(FailureKind, String),
}

/// Work on rows, a few at a time, handed on in their order.
pub(crate) struct InOrder<'a> {
    /// Rows at the same time.
    pub(crate) workers: usize,
    /// Failures in a row after which no other row is tried; 0: never.
    pub(crate) stop_after: usize,
    /// What the next run finds of what is finished.
    pub(crate) remains: Remains,
    /// Set by the caller to stop.
    pub(crate) stop: &'a Stop,
    /// Shows progress.
    pub(crate) reporter: &'a dyn Reporter,
}

impl<'a> InOrder<'a> {
    /// As the settings have it.
    pub(crate) fn new(settings: &Settings, stop: &'a Stop, reporter: &'a dyn Reporter) -> Self {
        Self {
            workers: settings.eval.workers,
            stop_after: settings.eval.stop_after,
            remains: eval_run::remains(settings),
            stop,
            reporter,
        }
    }

    /// Does the work and hands on what came of each row, or why it was not tried.
    ///
    /// # Errors
    /// When the user stops the work, no row can succeed until a setting is changed, or `done` fails.
    pub(crate) async fn run<T>(
        &self,
        name: &str,
        work: impl ExactSizeIterator<Item = (String, impl Future<Output = T>)>,
        said: impl Fn(&T) -> Said,
        done: &mut dyn FnMut(usize, Result<T, String>) -> Result<(), LabError>,
    ) -> Result<(), LabError> {
        let count = work.len();
        let task = self.reporter.task(name, "rows", Some(count as u64));
        let work = work.map(async |(id, work)| (id, work.await));
        let mut work = futures::stream::iter(work).buffered(self.workers.max(1));
        let (mut in_a_row, mut not_tried) = (0, None);
        for at in 0..count {
            if let Some(reason) = &not_tried {
                done(at, Err(format!("not judged: {reason}")))?;
                continue;
            }
            let next = tokio::select! {
                biased;
                () = self.stop.requested() => return Err(LabError::Stopped(self.remains)),
                next = work.next() => next,
            };
            let Some((id, found)) = next else { break };
            match said(&found) {
                Said::Done => in_a_row = 0,
                Said::Nothing => {}
                Said::Failed(FailureKind::Fatal, reason) => {
                    let (query_id, remains) = (id, self.remains);
                    return Err(LabError::Eval(EvalError::Fatal { query_id, reason, remains }));
                }
                Said::Failed(_, reason) => {
                    in_a_row += 1;
                    if in_a_row == self.stop_after {
                        let reason = format!("consecutive rows failed, the last because {reason}");
                        self.reporter.warn(&format!("stopped judging: {in_a_row} {reason}"));
                        not_tried = Some(format!("{in_a_row} {reason}"));
                    }
                }
            }
            done(at, Ok(found))?;
            task.advance(1);
        }
        Ok(())
    }
}

/// Judges the rows of these names, and hands on each verdict, or why there is none.
///
/// # Errors
/// As [`InOrder::run`].
pub(crate) async fn judge_all(
    rows: &InOrder<'_>,
    judge: &dyn Judge,
    items: &[&JudgeItem],
    done: &mut dyn FnMut(usize, Result<JudgeOutput, String>) -> Result<(), LabError>,
) -> Result<(), LabError> {
    let work = items.iter().map(|item| {
        let input = item.input();
        (item.name(), async move { judge.judge(&input).await })
    });
    let said = |verdict: &Result<JudgeOutput, JudgeError>| match verdict {
        Ok(_) => Said::Done,
        Err(JudgeError::NotApplicable(_)) => Said::Nothing,
        Err(error) => Said::Failed(error.kind(), error.to_string()),
    };
    let mut take = |at: usize, found: Result<Result<JudgeOutput, JudgeError>, String>| {
        done(at, found.and_then(|verdict| verdict.map_err(|error| error.to_string())))
    };
    rows.run("judging", work, said, &mut take).await
}
