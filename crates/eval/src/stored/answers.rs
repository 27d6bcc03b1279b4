//! Answers of a stored run, given again instead of asking.

use super::StoredRun;
use crate::runlog::RunReader;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use types::{AnswerFailure, Answerer, BoxError, BoxFuture, FailureKind, Mode, RunRecord, Spent};

/// Gives the stored record of each question. One that got no answer fails again, with the same reason.
pub struct StoredAnswers<'a> {
    run_id: String,
    reader: Mutex<RunReader<'a>>,
    places: HashMap<(String, String), Place>,
}

/// Where a record is, or why its question has no answer.
type Place = Result<usize, String>;

impl<'a> StoredAnswers<'a> {
    /// The answers of a run.
    pub fn new(run: &StoredRun<'a>) -> Self {
        let places = run.evaluation.rows.iter().filter_map(|row| {
            let place = match (&row.error, row.no_evidence) {
                (Some(error), None) => Err(error.clone()),
                _ => Ok(run.place(row)?),
            };
            Some(((row.query.clone(), row.mode.clone()), place))
        });
        Self {
            run_id: run.id().to_owned(),
            places: places.collect(),
            reader: Mutex::new(run.log.reader(run.run)),
        }
    }

    fn find(&self, query: &str, mode: Mode) -> Result<RunRecord, String> {
        let place = self.places.get(&(query.to_owned(), mode.to_string()));
        let at = match place {
            Some(Ok(at)) => *at,
            Some(Err(error)) => return Err(error.clone()),
            None => return Err("it was not asked".to_owned()),
        };
        // A reader holds no state that a panic could leave half-changed.
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut record = reader.get(at).map_err(|problem| problem.to_string())?.record;
        record.models.remove("judge");
        record.run = None;
        Ok(record)
    }
}

impl Answerer for StoredAnswers<'_> {
    fn answer<'a>(&'a self, query: &'a str, mode: Mode) -> BoxFuture<'a, Result<RunRecord, AnswerFailure>> {
        Box::pin(async move {
            self.find(query, mode).map_err(|error| AnswerFailure {
                kind: FailureKind::Permanent,
                source: BoxError::from(format!("the run {} has no answer: {error}", self.run_id)),
                spent: Spent::default(),
            })
        })
    }
}
