//! Builds the control systems on the same index as the pipeline, and runs them.
//!
//! Each is one change to the pipeline and nothing else: other settings, other chunks, or an altered record.

mod first;
mod random;

use crate::{
    error::LabError,
    logged::{finished, run_settings},
    system::System,
};
use engine::{Pipeline, settings::Settings};
use eval::{
    PartialRows, Remains, Row, RunJob,
    controls::{Altered, Control, gamed, refused, shuffled},
};
use first::{first_sentences, leads};
use random::RandomRetrieval;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use types::{AnswerFailure, Answerer, BoxFuture, Chunk, ChunkId, ChunkQuery, Mode, RunRecord, Stop};

/// Asks every question of every control. Nothing is logged and nothing can be resumed: rows live in memory. `records`: by
/// question, the answers of the run itself in this mode, so that controls which alter them need not ask again.
///
/// # Errors
/// When the index cannot be read, or the run was stopped.
pub(crate) async fn run(
    system: &System<'_>,
    mode: Mode,
    records: HashMap<String, RunRecord>,
    stop: &Stop,
) -> Result<Vec<(Control, Vec<Row>)>, LabError> {
    let (pipeline, settings) = (system.pipeline, &system.loaded.settings);
    let chunks: Vec<Arc<Chunk>> = pipeline.store().chunks(&ChunkQuery::All).await?;
    let (seed, most) = (settings.eval.seed, settings.generate.extractive.max_sentences);
    let base = Recorded { pipeline, asked: Mutex::new(records) };
    let chunk_ids: Vec<ChunkId> = chunks.iter().map(|chunk| chunk.chunk_id.clone()).collect();
    let leads = leads(pipeline, &chunks).await?;
    let mut out = Vec::new();
    for control in Control::ALL {
        let alter = |record| match control {
            Control::FirstSentences => first_sentences(record, &leads, most),
            Control::AlwaysRefuse => refused(record),
            Control::ShuffledCitations => shuffled(record, seed),
            _ => gamed(record, control),
        };
        let rows = match control {
            Control::RandomRetrieval => {
                let random = RandomRetrieval { pipeline, chunk_ids: chunk_ids.clone(), seed };
                ask_all(system, mode, &random, stop).await
            }
            Control::OneChunk => ask_all(system, mode, &pipeline.with(&one_chunk(settings))?, stop).await,
            Control::AlwaysAnswer => {
                ask_all(system, mode, &pipeline.with(&always_answer(settings))?, stop).await
            }
            _ => ask_all(system, mode, &Altered { base: &base, alter: &alter }, stop).await,
        };
        out.push((control, rows?));
    }
    Ok(out)
}

async fn ask_all(
    system: &System<'_>,
    mode: Mode,
    answerer: &dyn Answerer,
    stop: &Stop,
) -> Result<Vec<Row>, LabError> {
    let (settings, modes) = (run_settings(&system.loaded.settings), [mode]);
    let job = RunJob::new((system.set, &modes), answerer, system.judge, settings, system.reporter);
    // The rows of the run itself are kept.
    let outcome = finished(job, &mut PartialRows::none(Remains::Work), &mut |_| Ok(()), stop).await?;
    Ok(outcome.rows)
}

/// One candidate, and nothing around it.
fn one_chunk(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.retrieve.search.top_k = 1;
    settings.expand.reach = 0;
    settings.expand.max_chunks = 1;
    settings
}

/// No stage may refuse. A language model that refuses by its own word still does.
fn always_answer(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.retrieve.search.min_similarity = 0.0;
    settings.guardrail.topic = false;
    settings.guardrail.verification.uncited = guardrail::Uncited::Flag;
    settings
}

/// Answers from the records of this run. Where there is none (a resumed row) it asks, once for all controls.
struct Recorded<'a> {
    pipeline: &'a Pipeline,
    /// By question.
    asked: Mutex<HashMap<String, RunRecord>>,
}

impl Recorded<'_> {
    fn asked(&self) -> MutexGuard<'_, HashMap<String, RunRecord>> {
        // Each change of the map is whole in itself, so a poisoned lock still holds valid records.
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answerer for Recorded<'_> {
    fn answer<'a>(&'a self, query: &'a str, mode: Mode) -> BoxFuture<'a, Result<RunRecord, AnswerFailure>> {
        Box::pin(async move {
            if let Some(record) = self.asked().get(query) {
                return Ok(record.clone());
            }
            let record = self.pipeline.answer(query, mode).await?;
            self.asked().insert(query.to_owned(), record.clone());
            Ok(record)
        })
    }
}
