//! A run that is stored in the log: its rows, its records, where it lost evidence, and how it compares with another.

mod answers;
mod compared;
mod listed;

pub use answers::StoredAnswers;
pub use compared::{Compared, Differing, Measured, RunComparison, Side, compare_modes};
pub use listed::{RunInfo, listed};

use crate::report::{Evaluation, LogScoring, from_log};
use crate::runlog::{LogIndex, LogRecord, LogRun, RunHeader};
use crate::{EvalError, Problem, Query, QuerySet, Row};
use std::collections::HashMap;

/// A run of a log.
pub struct StoredRun<'a> {
    log: &'a LogIndex,
    run: &'a LogRun,
    /// What its first record says of it.
    pub header: Option<RunHeader>,
    /// Its questions with their labels, if it logged them.
    pub labels: Option<QuerySet>,
    /// Its rows, and what they come to.
    pub evaluation: Evaluation,
    /// Which record of the log belongs to a row.
    places: HashMap<(String, String), usize>,
}

impl<'a> StoredRun<'a> {
    /// Reads a run. No judge is asked: a record without scores, as the earlier system wrote them, gets those that need none.
    ///
    /// # Errors
    /// When the log cannot be read, or its labels are wrong.
    pub async fn read(
        log: &'a LogIndex,
        run: &'a LogRun,
        scoring: LogScoring<'_>,
    ) -> Result<Self, EvalError> {
        let labels = run.labels()?;
        let scoring = LogScoring { set: labels.as_ref(), judge: None, ..scoring };
        let evaluation = from_log(log, run, &scoring).await?;
        let places = run.keys().zip(0..);
        Ok(Self {
            log,
            run,
            header: RunHeader::of(run),
            places: places.map(|((query, mode), at)| ((query.to_owned(), mode.to_owned()), at)).collect(),
            labels,
            evaluation,
        })
    }

    /// Its id; empty for records that belong to no run.
    pub fn id(&self) -> &str {
        self.run.run_id.as_deref().unwrap_or_default()
    }

    /// A warning of lines that cannot be read whole, if there are any: those of the run, and those of no known run.
    pub fn warning(&self) -> Option<String> {
        self.evaluation.warning(self.log, self.run)
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.header.as_ref()?.name.as_deref()
    }

    /// What is known of it.
    pub fn info(&self) -> RunInfo {
        let rows = &self.evaluation.rows;
        let damaged = self.evaluation.unread.len();
        let info = RunInfo::new(self.run, self.header.as_ref());
        RunInfo {
            rows: rows.len() + damaged,
            errors: rows.iter().filter(|row| row.error.is_some()).count(),
            damaged,
            modes: self.evaluation.summary.modes.clone(),
            ..info
        }
    }

    /// The modes of its rows, in the order of the rows.
    pub fn modes(&self) -> Vec<&str> {
        self.evaluation.summary.modes.keys().collect()
    }

    /// The evaluation of one mode alone, or of all.
    pub fn of_mode(&self, mode: Option<&str>) -> Evaluation {
        let own = self.evaluation.clone();
        let Some(mode) = mode else {
            return own;
        };
        let rows = own.rows.into_iter().filter(|row| row.mode == mode).collect();
        Evaluation {
            notes: own.notes,
            unread: own.unread,
            without_text: own.without_text,
            ..Evaluation::new(&own.summary.run_id, rows, own.provenance)
        }
    }

    /// The same with what only the page of the report shows: quotes and contexts.
    pub fn with_log(&self, mode: Option<&str>) -> Evaluation {
        let mut evaluation = self.of_mode(mode);
        evaluation.read_log(self.log, self.run);
        evaluation
    }

    /// The labels of a row's question.
    pub fn query(&self, row: &Row) -> Option<&Query> {
        self.labels.as_ref()?.get(&row.query_id)
    }

    /// Hands on each row that `wanted` chooses with its record, in the order of the rows.
    ///
    /// # Errors
    /// When a record of a chosen row cannot be read whole, or `take` fails.
    pub fn each<E: From<EvalError>>(
        &self,
        wanted: impl Fn(&Row) -> bool,
        mut take: impl FnMut(&Row, LogRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut reader = self.log.reader(self.run);
        for row in self.evaluation.rows.iter().filter(|row| wanted(row)) {
            let at = self.place(row).ok_or_else(|| {
                Problem::whole(format!("no record belongs to {} ({})", row.query_id, row.mode))
            });
            let record = at
                .and_then(|at| reader.get(at))
                .map_err(|problem| EvalError::Log { path: self.log.path().to_path_buf(), problem })?;
            take(row, record)?;
        }
        Ok(())
    }

    /// The number of a row's record among the records of the run.
    fn place(&self, row: &Row) -> Option<usize> {
        let place = |name: &str| self.places.get(&(name.to_owned(), row.mode.clone()));
        place(&row.query_id).or_else(|| place(row.query.trim())).copied()
    }
}
