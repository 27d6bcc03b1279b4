//! Tries drafts, a few at a time, until there are enough of each kind.

use super::{
    drafter::{Drafter, Failure, Outcome},
    plan::{Quota, Slot},
    writer::{Dropped, Kind},
};
use crate::{error::LabError, judging::remains};
use engine::settings::Settings;
use eval::{EvalError, Query};
use futures::StreamExt;
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    time::Duration,
};
use types::{FailureKind, Reporter, Spent, Stop};

/// One kind of question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DraftKind {
    /// `direct`, `synthesis`, `unanswerable`, or `given` for questions that got an answer.
    pub kind: &'static str,
    /// Rows.
    pub drafted: usize,
    /// Rows that were asked for.
    pub wanted: usize,
}

/// What the drafts of a run share.
pub(super) struct Run<'a> {
    pub(super) settings: &'a Settings,
    pub(super) drafter: &'a Drafter<'a>,
    pub(super) quotas: &'a [Quota],
    pub(super) stop: &'a Stop,
    pub(super) reporter: &'a dyn Reporter,
}

/// What came of a run.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// The rows, by kind, in the order of their drafts.
    pub(super) rows: Vec<Query>,
    /// For each quota, how many rows there are, and how many were wanted.
    pub(super) kinds: Vec<DraftKind>,
    /// How many drafts were dropped, by reason.
    pub(super) dropped: BTreeMap<Dropped, usize>,
    /// Drafts for which the language model could not be asked.
    pub(super) failed: usize,
    /// What was spent now.
    pub(super) spent: Spent,
}

impl Run<'_> {
    /// Tries the drafts in their order. At most as many are in flight as rows are missing, so that none is paid for and thrown
    /// away.
    ///
    /// # Errors
    /// When the user stops the work, no draft can succeed until a setting is changed, or too many fail in a row.
    pub(super) async fn all(&self, slots: Vec<Slot>) -> Result<Done, LabError> {
        let wanted: usize = self.quotas.iter().map(|quota| quota.wanted).sum();
        let task = self.reporter.task("drafting", "questions", Some(wanted as u64));
        let mut done = Done::default();
        let (mut said, mut in_a_row) = (BTreeSet::new(), 0_usize);
        let mut queues: Vec<VecDeque<Slot>> = vec![VecDeque::new(); self.quotas.len()];
        for slot in slots {
            queues[slot.quota].push_back(slot);
        }
        for (quota, mut queue) in self.quotas.iter().zip(queues) {
            let mut kept = 0;
            while kept < quota.wanted && !queue.is_empty() {
                let missing = quota.wanted - kept;
                let wave: Vec<Slot> =
                    queue.drain(..missing.min(self.settings.eval.workers.max(1)).min(queue.len())).collect();
                let work = wave.iter().map(|slot| self.outcome(slot));
                let mut work = futures::stream::iter(work).buffered(wave.len());
                for slot in &wave {
                    let next = tokio::select! {
                        biased;
                        () = self.stop.requested() => return Err(LabError::Stopped(remains(self.settings))),
                        next = work.next() => next,
                    };
                    let Some((outcome, calls)) = next else { break };
                    done.spent.merge(&calls.spent);
                    for note in calls.notes {
                        if said.insert(note.clone()) {
                            self.reporter.warn(&format!("drafting: {note}"));
                        }
                    }
                    let outcome = match outcome {
                        Ok(outcome) => outcome,
                        Err(failure) => {
                            in_a_row += 1;
                            done.failed += 1;
                            self.check_failure(slot, &failure, in_a_row)?;
                            continue;
                        }
                    };
                    in_a_row = 0;
                    match outcome {
                        Ok(mut row) => {
                            kept += 1;
                            let prefix = match quota.kind {
                                Kind::Direct => "G-D",
                                Kind::Synthesis => "G-S",
                                Kind::Unanswerable => "G-E",
                                Kind::Given => "",
                            };
                            // Given questions keep their ids.
                            if !prefix.is_empty() {
                                row.id = format!("{prefix}{kept:03}");
                            }
                            done.rows.push(row);
                            task.advance(1);
                        }
                        Err(reason) => *done.dropped.entry(reason).or_default() += 1,
                    }
                }
            }
            done.kinds.push(DraftKind { kind: quota.kind.as_str(), drafted: kept, wanted: quota.wanted });
        }
        Ok(done)
    }

    /// How many drafts would be tried if each were kept, and what their calls spend; nothing stops at a failure.
    pub(super) async fn counted(&self, slots: &[Slot]) -> (usize, Spent) {
        let (mut tried, mut spent) = (0, Spent::default());
        for (at, quota) in self.quotas.iter().enumerate() {
            for slot in slots.iter().filter(|slot| slot.quota == at).take(quota.wanted) {
                tried += 1;
                spent.merge(&self.outcome(slot).await.1.spent);
            }
        }
        (tried, spent)
    }

    async fn outcome(&self, slot: &Slot) -> (Result<Outcome, Failure>, llm::Calls) {
        let limit = Duration::from_secs(self.settings.llm.question_seconds);
        let work = Box::pin(self.drafter.draft(self.quotas[slot.quota].kind, slot));
        llm::metered(llm::with_deadline(limit, work)).await
    }

    fn check_failure(&self, slot: &Slot, failure: &Failure, in_a_row: usize) -> Result<(), LabError> {
        if failure.kind == FailureKind::Fatal {
            return Err(LabError::Eval(EvalError::Fatal {
                query_id: slot.name.clone(),
                reason: failure.reason.clone(),
                remains: remains(self.settings),
            }));
        }
        self.reporter.warn(&format!("draft {}: {}", slot.name, failure.reason));
        if in_a_row == self.settings.eval.stop_after {
            return Err(LabError::Message(format!(
                "{in_a_row} drafts failed in a row, the last because {}; {}",
                failure.reason,
                remains(self.settings)
            )));
        }
        Ok(())
    }
}
