//! What the stages last made for each question, so that a sweep over settings runs a stage again only if a setting has
//! changed that the stage, or one before it, reads.
//!
//! A memo keeps one result for each stage and question. The settings are tried in an order in which those that the first
//! stages read change last, so that one result is enough: each different result is made once. Questions are asked without a
//! filter.

use crate::clock::Clock;
use llm::Calls;
use std::{
    any::Any,
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use strum::VariantArray as _;
use types::Spent;

/// The stages of a question, in the order in which they run.
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Terms, filters, spellings and abbreviations.
    Understand,
    /// The vector of the question.
    Embed,
    /// The candidates.
    Retrieve,
    /// The scores of the candidates.
    Rerank,
    /// The candidates that are kept, with their neighbours.
    Expand,
    /// The ranking of sentences.
    Sentences,
    /// The topic check.
    Topic,
    /// Further searches that a language model asks for.
    Plan,
    /// The answer.
    Generate,
    /// The checks of the answer. They always run.
    Guardrails,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its name, as in the times of a row.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// By stage: a name of all settings that its result depends on, those of the stages before it included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageKeys(pub [String; Stage::ALL.len()]);

impl StageKeys {
    /// The name for a stage.
    pub fn of(&self, stage: Stage) -> &str {
        &self.0[stage as usize]
    }
}

/// How often a stage ran, and how often its last result was used again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageRuns {
    /// Runs.
    pub ran: u64,
    /// Results used again.
    pub reused: u64,
}

/// Results of stages.
#[derive(Default)]
pub struct Memo {
    kept: Mutex<HashMap<(Stage, String), Kept>>,
    runs: Mutex<BTreeMap<Stage, StageRuns>>,
    /// What the calls of results that were used again had cost.
    reused: Mutex<Spent>,
}

/// The result of a stage.
struct Kept {
    /// Names all settings that it depends on.
    key: String,
    /// What the stage made; a stage always makes the same type.
    made: Arc<dyn Any + Send + Sync>,
    /// How long that took.
    milliseconds: f64,
    /// The calls to language models.
    calls: Calls,
}

impl Memo {
    /// Drops all results; counts stay.
    pub fn clear(&self) {
        locked(&self.kept).clear();
    }

    /// How often each stage ran.
    pub fn runs(&self) -> BTreeMap<Stage, StageRuns> {
        locked(&self.runs).clone()
    }

    /// What rows count more than was spent, because they share the results of stages.
    pub fn reused(&self) -> Spent {
        locked(&self.reused).clone()
    }
}

/// A lock whose content is valid after every single change, also if it is poisoned.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A memo with the settings of one pipeline.
#[derive(Clone)]
pub(crate) struct Memoised {
    memo: Arc<Memo>,
    keys: Arc<StageKeys>,
}

impl Memoised {
    pub(crate) fn new(memo: &Arc<Memo>, keys: StageKeys) -> Self {
        Self {
            memo: Arc::clone(memo),
            keys: Arc::new(keys),
        }
    }

    /// The last result of a stage for a question, if it was made with the same settings. Its time and calls count again.
    pub(crate) fn recall<T: Clone + 'static>(
        &self,
        stage: Stage,
        question: &str,
        clock: &mut Clock,
    ) -> Option<T> {
        let (made, milliseconds, calls) = {
            let kept = locked(&self.memo.kept);
            let found = kept.get(&(stage, question.to_owned()))?;
            let made = found.made.downcast_ref::<T>()?;
            if found.key != self.keys.of(stage) {
                return None;
            }
            (made.clone(), found.milliseconds, found.calls.clone())
        };
        locked(&self.memo.runs).entry(stage).or_default().reused += 1;
        locked(&self.memo.reused).merge(&calls.spent);
        llm::add_calls(&calls);
        clock.ran_earlier(stage.as_str(), milliseconds);
        Some(made)
    }

    pub(crate) fn keep<T: Clone + Send + Sync + 'static>(
        &self,
        stage: Stage,
        question: &str,
        made: &T,
        milliseconds: f64,
        calls: Calls,
    ) {
        locked(&self.memo.runs).entry(stage).or_default().ran += 1;
        let kept = Kept {
            key: self.keys.of(stage).to_owned(),
            made: Arc::new(made.clone()),
            milliseconds,
            calls,
        };
        locked(&self.memo.kept).insert((stage, question.to_owned()), kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a setting that the stages from `from` on read.
    fn memoised(memo: &Arc<Memo>, from: Option<Stage>) -> Memoised {
        let changed = |stage: Stage| from.is_some_and(|from| stage >= from);
        Memoised {
            memo: Arc::clone(memo),
            keys: Arc::new(StageKeys(Stage::ALL.map(|stage| changed(stage).to_string()))),
        }
    }

    #[test]
    fn a_result_is_used_while_no_setting_before_it_changes() {
        let memo = Arc::new(Memo::default());
        let first = memoised(&memo, None);
        let calls = Calls {
            spent: Spent::of(
                "rerank",
                types::Usage {
                    requests: 1,
                    prompt_tokens: 7,
                    ..types::Usage::default()
                },
            ),
            notes: Vec::new(),
        };
        first.keep(Stage::Rerank, "q", &"scores".to_owned(), 12.0, calls);
        let mut clock = Clock::start();
        let mut recall =
            |with: &Memoised, question: &str| with.recall::<String>(Stage::Rerank, question, &mut clock);
        assert_eq!(recall(&first, "q").as_deref(), Some("scores"));
        assert_eq!(
            recall(&memoised(&memo, Some(Stage::Expand)), "q").as_deref(),
            Some("scores"),
            "read later"
        );
        assert_eq!(
            recall(&memoised(&memo, Some(Stage::Retrieve)), "q"),
            None,
            "read before"
        );
        assert_eq!(recall(&first, "r"), None, "another question");
        assert_eq!(
            memo.runs().get(&Stage::Rerank),
            Some(&StageRuns { ran: 1, reused: 2 })
        );
        assert_eq!(memo.reused().total().prompt_tokens, 14);
        let laps = clock.stop();
        assert!(
            (laps["rerank"] - 24.0).abs() < 1e-9 && laps["total"] >= 24.0,
            "{laps:?}"
        );
        memo.clear();
        assert_eq!(
            first.recall::<String>(Stage::Rerank, "q", &mut Clock::start()),
            None
        );
    }
}
