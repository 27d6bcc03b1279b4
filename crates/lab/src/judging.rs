//! The judge that the settings name, and rows given to it, a few at a time.

use crate::error::LabError;
use engine::{
    ComputePool,
    chat_models::ChatModels,
    natives::Natives,
    settings::{CacheChoice, JudgeChoice, Settings},
    stages,
};
use eval::{
    EvalError, Judge, Remains,
    judge::{ChatJudge, ChatJudgeSettings, JudgeError, JudgeInput, JudgeItem, JudgeOutput, OfflineJudge},
};
use futures::StreamExt;
use std::sync::Arc;
use types::{BoxFuture, ChatModel, FailureKind, Reporter, Spent, Stop, SupportScorer};

/// The judge that the settings name, where no pipeline is open.
///
/// # Errors
/// As [`judge`].
pub(crate) fn judge_alone(
    settings: &Settings,
    models: &ChatModels,
    reporter: &dyn Reporter,
) -> Result<Box<dyn Judge>, LabError> {
    let support = || stages::support_alone(settings, &Natives::find(settings), reporter);
    judge(settings, models, support, &ComputePool::default())
}

/// The judge that the settings name; `auto` is the language model if one is configured. `support` gives the offline judge
/// of claims, if that is the one.
///
/// # Errors
/// When a language model is named as judge and none is configured.
pub(crate) fn judge(
    settings: &Settings,
    models: &ChatModels,
    support: impl FnOnce() -> Arc<dyn SupportScorer>,
    pool: &ComputePool,
) -> Result<Box<dyn Judge>, LabError> {
    let tau = f64::from(settings.eval.support_threshold);
    if !asks_model(settings) {
        let judge = OfflineJudge::with_tau(support(), tau);
        return Ok(Box::new(PooledJudge { judge: Arc::new(judge), pool: pool.clone() }));
    }
    let (counted, max_tokens) = judging_model(settings, models)?;
    let own = ChatJudgeSettings { tau, max_tokens, ..ChatJudgeSettings::default() };
    Ok(Box::new(ChatJudge::new(counted, own)))
}

/// Whether a language model judges.
pub(crate) fn asks_model(settings: &Settings) -> bool {
    match settings.eval.judge {
        JudgeChoice::Llm => true,
        JudgeChoice::Auto => settings.llm.model(&settings.eval.judge_model).is_some(),
        JudgeChoice::Lexical => false,
    }
}

/// The language model that judges, with its limit of tokens.
///
/// # Errors
/// When none is configured.
pub(crate) fn judging_model(
    settings: &Settings,
    models: &ChatModels,
) -> Result<(Arc<dyn ChatModel>, Option<u32>), LabError> {
    let name = &settings.eval.judge_model;
    let Some(chat) = models.get(name)? else {
        return Err(LabError::Message(
            "eval.judge is \"llm\" but llm.provider is \"none\"; set llm.provider (as in --set \
             llm.provider=openai) and llm.model, or eval.judge = \"lexical\""
                .to_owned(),
        ));
    };
    let max_tokens = settings.llm.model(name).map(|model| model.max_tokens);
    Ok((Arc::new(llm::Metered::new(chat, Spent::JUDGE)), max_tokens))
}

/// Runs the futures of a judge on the pool: for CPU-bound judges, whose futures never wait.
struct PooledJudge {
    judge: Arc<dyn Judge>,
    pool: ComputePool,
}

impl Judge for PooledJudge {
    fn id(&self) -> String {
        self.judge.id()
    }

    fn judge<'a>(&'a self, input: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>> {
        let (judge, input) = (Arc::clone(&self.judge), input.clone());
        let future = async move { judge.judge(&input).await };
        Box::pin(self.pool.drive(true, future))
    }
}

/// What the same command finds after a job that ended early, if the job itself keeps nothing.
pub fn remains(settings: &Settings) -> Remains {
    match settings.llm.cache {
        CacheChoice::Off => Remains::Nothing,
        _ => Remains::Replies,
    }
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
            remains: remains(settings),
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
