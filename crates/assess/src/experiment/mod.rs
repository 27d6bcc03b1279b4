//! Experiments: a system answers the questions of a data set, and every metric of the crate scores the answers.
//!
//! The system is any async function from a question to an answer and its documents. A question whose function fails is a row
//! with an error, counted and never dropped. Rows come in the order of the data set, whatever finishes first: the same answers
//! give the same bytes.
//!
//! ```
//! use assess::experiment::{Dataset, Experiment, Results};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("experiment_v1.json");
//! let mut dataset = Dataset::new("walking");
//! dataset.add("How does walking affect blood pressure?", "It lowers blood pressure by 6 mmHg.");
//! dataset.add("Who funded the study?", "The Orvel Foundation funded the study.");
//!
//! let results = Experiment::new("experiment_v1")
//!     .run(&dataset, async |question: String| {
//!         if question.starts_with("Who") {
//!             return Err("the index is empty");
//!         }
//!         let documents = vec!["In both arms, walking lowered blood pressure by 6 mmHg."];
//!         Ok(("Walking lowered blood pressure by 6 mmHg.", documents))
//!     })
//!     .await;
//!
//! let groundedness = results.metric("groundedness");
//! assert_eq!(results.metrics.groundedness_pass_rate, Some(1.0));
//! assert_eq!((groundedness.n, groundedness.errors), (1, 1));
//! assert_eq!(results.rows[1].error.as_deref(), Some("the index is empty"));
//! results.save(&file)?;
//! let compared = results.compare(&Results::load(&file)?)?;
//! assert_eq!(compared.metrics.get("relevance").and_then(|found| found.difference.delta), Some(0.0));
//! # Ok(())
//! # }
//! ```
//!
//! Without a judge, support is decided by [`support::LexicalSupport`], which needs no model: `pipeline metrics` and the
//! registry of [`crate::metrics`] define each metric. [`Experiment::judge`] takes any [`eval::Judge`], such as one that asks a
//! language model.

mod compare;
mod dataset;
mod judged;
mod response;
mod results;
#[cfg(test)]
mod tests;

pub use compare::{Compared, MetricDifference};
pub use dataset::Dataset;
pub use response::{IntoResponse, Response};
pub use results::{ExperimentRow, Results};

use crate::metrics::{Scored, Tools, cluster_of, scored, specs};
use crate::summary::{SEED, summarise_with};
use crate::{Limits, experiment::judged::judged};
use eval::{Judge, Score};
use futures::StreamExt;
use futures::stream;
use rows::AnswerRow;
use support::LexicalSupport;
use types::{Reporter, Silent, SupportScorer};

/// Questions that are asked at the same time, unless [`Experiment::at_once`] says otherwise.
const AT_ONCE: usize = 4;

/// How a system is asked and scored.
pub struct Experiment<'a> {
    name: String,
    at_once: usize,
    limits: Limits,
    seed: u64,
    lexical: LexicalSupport,
    support: Option<&'a dyn SupportScorer>,
    judge: Option<&'a dyn Judge>,
    reporter: &'a dyn Reporter,
}

impl<'a> Experiment<'a> {
    /// An experiment with this name: four questions at a time, the default limits, no language model.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            at_once: AT_ONCE,
            limits: Limits::default(),
            seed: SEED,
            lexical: LexicalSupport::new(),
            support: None,
            judge: None,
            reporter: &Silent,
        }
    }

    /// Asks so many questions at the same time, at least one.
    #[must_use]
    pub fn at_once(mut self, questions: usize) -> Self {
        self.at_once = questions.max(1);
        self
    }

    /// What counts as supported, relevant and failed.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Seed of the intervals and tests.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Decides the support of single claims, in place of [`support::LexicalSupport`].
    #[must_use]
    pub fn support(mut self, scorer: &'a dyn SupportScorer) -> Self {
        self.support = Some(scorer);
        self
    }

    /// Decides which claims of an answer the passages support: faithfulness, groundedness, `overall_pass`, `rag_score` and the
    /// automatic failures follow from its verdicts. A verdict that it cannot give is an error of the row.
    #[must_use]
    pub fn judge(mut self, judge: &'a dyn Judge) -> Self {
        self.judge = Some(judge);
        self
    }

    /// Shows progress.
    #[must_use]
    pub fn reporter(mut self, reporter: &'a dyn Reporter) -> Self {
        self.reporter = reporter;
        self
    }

    /// Asks the system every question and scores its answers. Dropping the future stops the work. The metrics are computed
    /// on the thread that awaits it.
    pub async fn run<F, Fut>(&self, dataset: &Dataset, system: F) -> Results
    where
        F: Fn(String) -> Fut,
        Fut: Future,
        Fut::Output: IntoResponse,
    {
        let task = self
            .reporter
            .task(&self.name, "questions", Some(dataset.len() as u64));
        let rows = dataset.questions().iter().map(|question| {
            let answer = system(question.question.clone().unwrap_or_default());
            async {
                let answer = answer.await.into_response();
                let row = self.row(question, answer).await;
                task.advance(1);
                row
            }
        });
        let rows: Vec<ExperimentRow> = stream::iter(rows).buffered(self.at_once).collect().await;
        let each: Vec<Scored> = rows.iter().map(|row| row.scored.clone()).collect();
        Results {
            name: self.name.clone(),
            dataset: dataset.name().to_owned(),
            judge: self
                .judge
                .map_or_else(|| self.scorer().id().to_owned(), eval::Judge::id),
            seed: self.seed,
            metrics: summarise_with(&each, &self.limits, self.seed),
            limits: self.limits.clone(),
            rows,
        }
    }

    fn scorer(&self) -> &dyn SupportScorer {
        self.support.unwrap_or(&self.lexical)
    }

    async fn row(&self, question: &AnswerRow, answer: Result<Response, String>) -> ExperimentRow {
        let mut row = question.clone();
        let response = match answer {
            Ok(response) => response,
            Err(error) => return failed(row, error),
        };
        response.complete(&mut row);
        let tools = Tools {
            support: self.scorer(),
            limits: &self.limits,
        };
        let scored = match self.judge {
            Some(judge) => judged(judge, &row, tools).await,
            None => scored(&row, &tools),
        };
        ExperimentRow {
            row,
            scored,
            error: None,
        }
    }
}

/// A question without an answer: every metric is an error, and counted as one.
fn failed(row: AnswerRow, error: String) -> ExperimentRow {
    let scores = specs().map(|spec| (spec.key.to_owned(), Score::Error("no answer".to_owned())));
    ExperimentRow {
        scored: Scored {
            id: row.id.clone(),
            cluster: cluster_of(&row),
            scores: scores.collect(),
            ..Scored::default()
        },
        row,
        error: Some(error),
    }
}
