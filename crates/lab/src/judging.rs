//! Rows given to a judge, a few at a time, and a file of verdicts that a later run continues.

mod lines;
mod resumed;

pub use lines::{JudgeClaim, JudgeLine, JudgeScore};
pub(crate) use resumed::{ResumedFile, VerdictLine};

use crate::{error::LabError, eval_run};
use engine::{
    ComputePool,
    chat_models::ChatModels,
    natives::Natives,
    settings::{JudgeChoice, Settings},
    stages,
};
use eval::{
    EvalError, Judge,
    judge::{JudgeError, JudgeInput, JudgeOutput},
};
use futures::StreamExt;
use types::{FailureKind, Reporter, Stop};

/// The judge of this name, with its threshold. Its calls to a language model cost at most `max_cost` US dollars.
///
/// # Errors
/// When it needs a language model and none is configured, or its entailment model cannot be loaded.
pub(crate) fn judge_named<'a>(
    settings: &Settings,
    choice: JudgeChoice,
    max_cost: Option<f64>,
    reporter: &'a dyn Reporter,
) -> Result<(Box<dyn Judge + 'a>, f64), LabError> {
    let mut own = settings.clone();
    own.eval.judge = choice;
    let support = || stages::support_alone(&own, &Natives::find(&own), reporter);
    let models = ChatModels::new(&own)?.with_budget(max_cost);
    let judge = eval_run::judge(&own, &models, support, &ComputePool::default(), reporter)?;
    Ok((judge, f64::from(own.eval.tau)))
}

/// A row to be judged.
pub(crate) struct Row {
    /// Its id, for messages.
    pub(crate) id: String,
    /// What the judge reads.
    pub(crate) input: JudgeInput,
}

/// Rows and what judges them.
pub(crate) struct Judging<'a> {
    /// The judge.
    pub(crate) judge: &'a dyn Judge,
    /// Rows judged at the same time.
    pub(crate) workers: usize,
    /// Failures in a row after which no other row is judged; 0: never.
    pub(crate) stop_after: usize,
    /// Set by the caller to stop.
    pub(crate) stop: &'a Stop,
    /// Shows progress.
    pub(crate) reporter: &'a dyn Reporter,
}

impl Judging<'_> {
    /// Judges the rows and hands on each verdict, or why there is none, in the order of the rows.
    ///
    /// # Errors
    /// When the user stops the work, no row can succeed until a setting is changed, or `done` fails.
    pub(crate) async fn run(
        &self,
        rows: &[Row],
        done: &mut dyn FnMut(usize, Result<JudgeOutput, String>) -> Result<(), LabError>,
    ) -> Result<(), LabError> {
        let task = self.reporter.task("judging", "rows", Some(rows.len() as u64));
        let verdicts = rows.iter().map(|row| self.judge.judge(&row.input));
        let mut verdicts = futures::stream::iter(verdicts).buffered(self.workers.max(1));
        let (mut in_a_row, mut not_asked) = (0, None);
        for (at, row) in rows.iter().enumerate() {
            if let Some(reason) = &not_asked {
                done(at, Err(format!("not judged: {reason}")))?;
                continue;
            }
            let verdict = tokio::select! {
                biased;
                () = self.stop.requested() => return Err(LabError::Stopped),
                verdict = verdicts.next() => verdict,
            };
            let applies = !matches!(verdict, Some(Err(JudgeError::NotApplicable(_))));
            let verdict = match verdict {
                Some(Err(error)) if error.kind() == FailureKind::Fatal => {
                    return Err(LabError::Eval(EvalError::Fatal {
                        query_id: row.id.clone(),
                        reason: error.to_string(),
                    }));
                }
                Some(verdict) => verdict.map_err(|error| error.to_string()),
                None => break,
            };
            // A row in another language says nothing of the next one.
            if applies {
                in_a_row = if verdict.is_err() { in_a_row + 1 } else { 0 };
            }
            if let (Err(error), true, true) = (&verdict, applies, in_a_row == self.stop_after && in_a_row > 0)
            {
                let reason = format!("{in_a_row} rows before it failed in a row, the last because {error}");
                self.reporter.warn(&format!(
                    "stopped judging: {in_a_row} rows failed in a row, the last because {error}"
                ));
                not_asked = Some(reason);
            }
            done(at, verdict)?;
            task.advance(1);
        }
        Ok(())
    }
}
