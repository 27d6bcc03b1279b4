//! Builds the control systems on the same index as the pipeline, and runs them.
//!
//! Each is one change to the pipeline and nothing else: other settings, other chunks, or an altered record.

mod first;
mod random;

use crate::error::LabError;
use engine::{Pipeline, settings::Settings};
use eval::{
    Judge, QuerySet, Row, RunJob, RunSettings,
    controls::{Altered, Control, gamed, refused, shuffled},
};
use first::{first_sentences, leads};
use random::RandomRetrieval;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use types::{
    AnswerFailure, Answerer, BoxFuture, Chunk, ChunkId, ChunkQuery, Mode, Reporter, RunRecord, Stop,
};

/// What the controls are run with.
pub(crate) struct ControlJob<'a> {
    /// The system under test.
    pub(crate) pipeline: &'a Pipeline,
    /// Its settings.
    pub(crate) settings: &'a Settings,
    /// How a run goes.
    pub(crate) run: RunSettings,
    /// The questions.
    pub(crate) set: &'a QuerySet,
    /// The mode.
    pub(crate) mode: Mode,
    /// Its records of this run, by question, so that controls which alter them need not ask again.
    pub(crate) records: HashMap<String, RunRecord>,
    /// Who judges.
    pub(crate) judge: &'a dyn Judge,
    /// Shows progress.
    pub(crate) reporter: &'a dyn Reporter,
}

/// Asks every question of every control. Nothing is logged and nothing can be resumed: rows live in memory.
///
/// # Errors
/// When the index cannot be read, or the run was stopped.
pub(crate) async fn run(job: &ControlJob<'_>, stop: &Stop) -> Result<Vec<(Control, Vec<Row>)>, LabError> {
    let chunks: Vec<Arc<Chunk>> = job.pipeline.store().chunks(&ChunkQuery::All).await?;
    let seed = job.settings.eval.seed;
    let base = Recorded::new(job);
    let chunk_ids: Vec<ChunkId> = chunks.iter().map(|chunk| chunk.chunk_id.clone()).collect();
    let leads = leads(job.pipeline, &chunks).await?;
    let mut out = Vec::new();
    for control in Control::ALL {
        let outcome = match control {
            Control::RandomRetrieval => {
                let random = RandomRetrieval { pipeline: job.pipeline, chunk_ids: chunk_ids.clone(), seed };
                ask_all(job, &random, stop).await
            }
            Control::OneChunk => ask_all(job, &job.pipeline.with(&one_chunk(job.settings))?, stop).await,
            Control::AlwaysAnswer => {
                ask_all(job, &job.pipeline.with(&always_answer(job.settings))?, stop).await
            }
            Control::FirstSentences => {
                let most = job.settings.generate.extractive.max_sentences;
                let alter = |record| first_sentences(record, &leads, most);
                ask_all(job, &altered(&base, &alter), stop).await
            }
            Control::AlwaysRefuse => ask_all(job, &altered(&base, &refused), stop).await,
            Control::ShuffledCitations => {
                let alter = |record| shuffled(record, seed);
                ask_all(job, &altered(&base, &alter), stop).await
            }
            Control::RepeatsQuestion | Control::StuffedQuotes | Control::Hedges | Control::AddressesJudge => {
                let alter = |record| gamed(record, control);
                ask_all(job, &altered(&base, &alter), stop).await
            }
        };
        out.push((control, outcome?));
    }
    Ok(out)
}

async fn ask_all(job: &ControlJob<'_>, answerer: &dyn Answerer, stop: &Stop) -> Result<Vec<Row>, LabError> {
    let settings = job.run.clone();
    let modes = [job.mode];
    let run = RunJob::new((job.set, &modes), answerer, job.judge, settings, job.reporter);
    // The rows of the run itself are kept.
    let mut remains = eval::Remains::Work;
    let outcome = eval::run(run, &mut remains, &mut |_| Ok(()), stop).await?;
    if outcome.interrupted {
        return Err(LabError::Stopped(remains));
    }
    Ok(outcome.rows)
}

fn altered<'a>(
    base: &'a dyn Answerer,
    alter: &'a (dyn Fn(RunRecord) -> RunRecord + Send + Sync),
) -> Altered<'a> {
    Altered { base, alter }
}

/// One candidate, and nothing around it.
fn one_chunk(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.retrieve.search.candidates = 1;
    settings.expand.reach = 0;
    settings.expand.cap = 1;
    settings
}

/// No stage may refuse. A language model that refuses by its own word still does.
fn always_answer(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.retrieve.search.threshold = 0.0;
    settings.guardrail.topic = false;
    settings.guardrail.verification.uncited = guardrail::Uncited::Flag;
    settings
}

/// Answers from the records of this run. Where there is none (a resumed row) it asks, once for all controls.
struct Recorded<'a> {
    job: &'a ControlJob<'a>,
    asked: Mutex<HashMap<String, RunRecord>>,
}

impl<'a> Recorded<'a> {
    fn new(job: &'a ControlJob<'a>) -> Self {
        let asked = Mutex::default();
        Self { job, asked }
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<String, RunRecord>> {
        // Each change of the map is whole in itself, so a poisoned lock still holds valid records.
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answerer for Recorded<'_> {
    fn answer<'a>(&'a self, query: &'a str, mode: Mode) -> BoxFuture<'a, Result<RunRecord, AnswerFailure>> {
        Box::pin(async move {
            if let Some(record) = self.job.records.get(query) {
                return Ok(record.clone());
            }
            if let Some(record) = self.asked().get(query) {
                return Ok(record.clone());
            }
            let record = self.job.pipeline.answer(query, mode).await?;
            self.asked().insert(query.to_owned(), record.clone());
            Ok(record)
        })
    }
}
