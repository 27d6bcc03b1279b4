//! Answers scored by a judge that is loaded once: single ones as a file of them is.

use super::{
    EvaluateRequest, Prepared,
    document::{Evaluate, EvaluateResult},
    finish,
    judge::Judge,
};
use crate::{
    error::LabError,
    judging::{InOrder, Said},
};
use engine::{ComputePool, chat_models::ChatModels, settings::Settings};
use eval::{
    Sample,
    judge::{JudgeError, Judged, Verdicts, dimensions::Dimension},
    metrics::{self, Scores, Tools},
    rows::{Format, ReadOptions, read},
};
use serde_json::Value;
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use types::{
    FailureKind, ModelError, Reporter, Silent, Spent, Stop, StopWhenDropped, Support, SupportError,
    SupportScorer, Usage,
};

/// Scores answers; its judge is loaded once.
#[derive(Clone)]
pub struct Scorer {
    pub(super) settings: Arc<Settings>,
    pub(super) judge: Arc<Judge>,
    pool: ComputePool,
}

/// What came of scoring an answer.
pub(super) struct Attempt {
    pub(super) scores: Scores,
    /// What the language model spent, failed calls included.
    pub(super) usage: Usage,
    /// Why a verdict is missing; a failure that every row would meet comes before others.
    failure: Option<JudgeError>,
    /// What the replies note.
    notes: Vec<String>,
}

impl Scorer {
    /// A scorer with the judge of `eval.judge`, which computes on `pool`.
    ///
    /// # Errors
    /// When a language model is named and none is configured.
    pub fn new(
        settings: &Settings,
        models: &ChatModels,
        pool: ComputePool,
        reporter: &dyn Reporter,
    ) -> Result<Self, LabError> {
        Ok(Self {
            judge: Arc::new(Judge::new(settings, models, reporter)?),
            settings: Arc::new(settings.clone()),
            pool,
        })
    }

    /// The same with these language models, if one judges.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn asking(&self, models: &ChatModels) -> Result<Self, LabError> {
        if self.judge.asks_a_model() {
            Self::new(&self.settings, models, self.pool.clone(), &Silent)
        } else {
            Ok(self.clone())
        }
    }

    /// `lexical`, or the language model.
    pub fn judge(&self) -> &str {
        &self.judge.name
    }

    /// The document of [`evaluate`](super::evaluate) for a request that names neither a model nor a cost.
    ///
    /// # Errors
    /// As `evaluate`.
    pub async fn evaluate(
        &self,
        request: &EvaluateRequest,
        reporter: &dyn Reporter,
    ) -> Result<Evaluate, LabError> {
        Ok(Prepared::new(request, reporter)?.scored(self, reporter).await?.0)
    }

    /// The row that `evaluate` would print for this answer. A judge that fails is part of it. If the future is dropped, the work
    /// ends with the claim that is being judged.
    pub async fn score(&self, answer: &Sample, dimensions: &'static [Dimension]) -> EvaluateResult {
        let ends = StopWhenDropped::default();
        let until = Until { support: Arc::clone(&self.judge.support), stop: ends.0.clone() };
        let own = Self { judge: Arc::new(self.judge.over(Arc::new(until))), ..self.clone() };
        finish::row(&self.settings, answer, &own.scored(answer, dimensions).await.scores)
    }

    /// Scores the rows, in their order.
    ///
    /// # Errors
    /// When the user stops the work, or no row can succeed until a setting is changed.
    pub(super) async fn all(
        &self,
        rows: &[Sample],
        stop: &Stop,
        reporter: &dyn Reporter,
    ) -> Result<Vec<Attempt>, LabError> {
        let work = rows.iter().map(|row| (row.id.clone(), self.scored(row, &Dimension::ALL)));
        let mut out: Vec<Attempt> = Vec::with_capacity(rows.len());
        let mut noted: BTreeSet<String> = BTreeSet::new();
        let mut take = |at: usize, found: Result<Attempt, String>| {
            let found = found.unwrap_or_else(|reason| self.unasked(&rows[at], reason));
            for note in &found.notes {
                if noted.insert(note.clone()) {
                    reporter.warn(&format!("judging: {note}"));
                }
            }
            out.push(found);
            Ok(())
        };
        let said = |found: &Attempt| match &found.failure {
            Some(error) => Said::Failed(error.kind(), error.to_string()),
            None => Said::Done,
        };
        InOrder::new(&self.settings, stop, reporter).run("scoring", work, said, &mut take).await?;
        Ok(out)
    }

    /// Scores an answer; a language model is asked about these dimensions.
    async fn scored(&self, row: &Sample, dimensions: &'static [Dimension]) -> Attempt {
        let row = Arc::new(row.clone());
        let (judge, judged) = (Arc::clone(&self.judge), Arc::clone(&row));
        let asked = async move { judge.verdicts(&judged, dimensions).await };
        let (verdicts, calls) = if self.judge.asks_a_model() {
            let limit = Duration::from_secs(self.settings.llm.question_seconds);
            llm::metered(llm::with_deadline(limit, asked)).await
        } else {
            (self.pool.drive(true, asked).await, llm::Calls::default())
        };
        let decided = verdicts.decided.values().filter_map(Judged::failure);
        let mut failures = verdicts.claims.failure().into_iter().chain(decided);
        let first = failures.next();
        let fatal = first.into_iter().chain(failures).find(|error| error.kind() == FailureKind::Fatal);
        let failure = fatal.or(first).cloned();
        let own = self.clone();
        let scores = self.pool.run(move || own.measured(&row, &verdicts)).await;
        let usage = calls.spent.get(Spent::JUDGE).unwrap_or_default();
        Attempt { scores, usage, failure, notes: calls.notes }
    }

    fn measured(&self, row: &Sample, verdicts: &Verdicts) -> Scores {
        let tools = Tools { support: &*self.judge.support, limits: &self.settings.evaluate.limits };
        metrics::score(row, tools, verdicts)
    }

    /// An answer that was not given to the judge.
    fn unasked(&self, row: &Sample, reason: String) -> Attempt {
        let error = JudgeError::Failed { judge: "the judge".to_owned(), reason };
        let keys = Dimension::ALL.into_iter().flat_map(|dimension| dimension.keys(row));
        let verdicts = Verdicts {
            claims: Judged::Error(error.clone()),
            decided: keys.map(|key| (key, Judged::Error(error.clone()))).collect(),
        };
        let scores = self.measured(row, &verdicts);
        Attempt { scores, usage: Usage::default(), failure: None, notes: Vec::new() }
    }
}

/// Judges until it is asked to stop.
struct Until {
    support: Arc<dyn SupportScorer>,
    stop: Stop,
}

impl SupportScorer for Until {
    fn id(&self) -> &str {
        self.support.id()
    }

    fn support(&self, claim: &str, passage: &str) -> Result<Support, SupportError> {
        if self.stop.is_requested() {
            let (model, reason) = (self.id().to_owned(), "the client has left, or the time is up".to_owned());
            return Err(ModelError { model, reason }.into());
        }
        self.support.support(claim, passage)
    }

    fn response(&self, claims: &[f32]) -> f32 {
        self.support.response(claims)
    }
}

/// What it costs to score an answer: the bytes of answer and reference, times those of the texts that they are compared with.
pub fn cost(answer: &Sample) -> u64 {
    let of = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let passages = answer.passages.iter().chain(&answer.returned).flatten();
    let quotes = answer.gold_quotes.iter().flatten();
    let compared: usize = passages.map(|passage| passage.text.len()).sum::<usize>()
        + quotes.map(|quote| quote.quote.len()).sum::<usize>()
        + of(&answer.reference);
    (of(&answer.answer) + of(&answer.reference)) as u64 * compared as u64
}

/// The answer in one record of this format.
///
/// # Errors
/// When the record has no answer, or a field that is not of its type.
pub fn read_answer(format: Format, record: &Value) -> Result<Sample, LabError> {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let rows = read("the request", &record.to_string(), &options)?.rows;
    let one = rows.into_iter().next();
    one.ok_or_else(|| LabError::Message("the request has no answer".to_owned()))
}

/// The [`cost`] of each row of a file of answers, in any format but a run log, whose passages are in further files.
///
/// # Errors
/// When it is no such file: every wrong line.
pub fn costs(text: &str) -> Result<Vec<u64>, LabError> {
    let rows = read("the request", text, &ReadOptions::default())?.rows;
    Ok(rows.iter().map(cost).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::settings::Loaded;
    use eval::Passage;
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread::sleep,
    };

    /// Counts its calls, each of which takes a while.
    #[derive(Default)]
    struct Slow(AtomicUsize);

    impl SupportScorer for Slow {
        fn id(&self) -> &'static str {
            "slow"
        }

        fn support(&self, _: &str, _: &str) -> Result<Support, SupportError> {
            self.0.fetch_add(1, Ordering::SeqCst);
            sleep(Duration::from_millis(20));
            Err(SupportError::NotApplicable("slow".to_owned()))
        }
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_judged_to_its_end() {
        let settings = Loaded::defaults().expect("settings").settings;
        let (models, pool) = (ChatModels::new(&settings).expect("models"), ComputePool::of(1));
        let mut scorer = Scorer::new(&settings, &models, pool.clone(), &Silent).expect("a scorer");
        let slow = Arc::new(Slow::default());
        scorer.judge = Arc::new(scorer.judge.over(Arc::clone(&slow) as _));
        let passage = Passage { text: "They slept in the hay.".to_owned(), ..Passage::default() };
        let sample = Sample {
            question: Some("How far did they walk?".to_owned()),
            answer: Some("They walked two miles.".to_owned()),
            passages: Some(vec![passage; 500]),
            ..Sample::default()
        };
        assert_eq!(cost(&sample), 22 * 22 * 500);
        let limit = Duration::from_millis(200);
        assert!(tokio::time::timeout(limit, scorer.score(&sample, &Dimension::ALL)).await.is_err());
        pool.run(|| ()).await;
        assert!(slow.0.load(Ordering::SeqCst) < 500);
    }
}
