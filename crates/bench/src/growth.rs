//! An index of generated papers: building it, searching it, adding a paper. Each step is a process of its own, so that the
//! memory of one is not counted for another; `scripts/bench/retrieval.py growth` runs them.

use crate::{
    error::BenchError,
    generated::{CHUNKS, Shape, hits, id_of, nearest, question_vectors, questions, searcher},
    speed::{PEAK, status},
};
use clap::{Args, ValueEnum};
use index::{Index, IndexWriter};
use rayon::prelude::*;
use retrieve::SearchSettings;
use serde_json::{Value, json};
use std::{path::PathBuf, time::Instant};
use types::{Mode, Question, SourceId};

/// Papers that are generated at a time, so that memory does not grow with the index.
const BATCH: usize = 512;
/// Questions that are compared with every vector; more take minutes.
const TRUTHS: usize = 20;
/// Hits that recall is measured over.
const K: usize = 10;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Builds the index.
    Build,
    /// Opens and searches it.
    Search,
    /// Adds papers.
    Add,
}

/// `growth`.
#[derive(Debug, Args)]
pub(crate) struct Growth {
    /// What to do.
    #[arg(value_enum)]
    step: Step,
    /// The index.
    index: PathBuf,
    /// Chunks of the index.
    #[arg(long, value_name = "N")]
    chunks: usize,
    /// Questions to search.
    #[arg(long, default_value_t = 200, value_name = "N")]
    questions: usize,
    /// Rounds over all questions, of which the fastest time of each question counts; and papers that are added.
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: usize,
    /// Seed of words and vectors.
    #[arg(long, default_value_t = 20, value_name = "N")]
    seed: u64,
}

impl Growth {
    fn papers(&self) -> usize {
        self.chunks.div_ceil(CHUNKS)
    }
}

/// Runs a step.
pub(crate) fn run(args: &Growth) -> Result<Value, BenchError> {
    match args.step {
        Step::Build => build(args),
        Step::Search => search(args),
        Step::Add => {
            (args.papers()..args.papers() + args.rounds.max(1)).map(|number| add(args, number)).collect()
        }
    }
}

/// Seconds in the writer, without generating papers.
fn build(args: &Growth) -> Result<Value, BenchError> {
    let mut seconds = 0.0;
    let mut started = Instant::now();
    let mut writer = IndexWriter::open(&args.index, Shape::writer())?;
    let mut generation = writer.begin()?;
    for from in (0..args.papers()).step_by(BATCH) {
        seconds += started.elapsed().as_secs_f64();
        let batch = from..(from + BATCH).min(args.papers());
        let paper = |number| Shape::PARAGRAPH.paper(args.seed, number);
        let batch: Vec<_> = batch.into_par_iter().map(paper).collect();
        started = Instant::now();
        for paper in batch {
            generation.add(paper)?;
        }
    }
    generation.commit()?;
    drop(writer);
    seconds += started.elapsed().as_secs_f64();
    Ok(json!({ "seconds": seconds, "peak_bytes": status(PEAK) }))
}

/// Milliseconds of opening and searching, memory, and recall.
fn search(args: &Growth) -> Result<Value, BenchError> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        drop(Index::open(&args.index)?);
        times.push(milliseconds(started));
    }
    let index = Index::open(&args.index)?;
    let (counts, dimension) = (index.manifest().counts, index.manifest().made_by.dimension);
    drop(index);
    let vectors = question_vectors(args.seed, args.papers(), args.questions.max(1));
    let questions = questions(args.seed, vectors);
    let searcher = searcher(&args.index, SearchSettings::default())?;
    let mut latencies = Vec::new();
    for mode in [Mode::Hybrid, Mode::Vector, Mode::Bm25] {
        let mut fastest = vec![f64::INFINITY; questions.len()];
        for _ in 0..args.rounds.max(1) {
            for (question, fastest) in questions.iter().zip(&mut fastest) {
                let question = Question { mode, ..question.clone() };
                let started = Instant::now();
                hits(&searcher, &question)?;
                *fastest = fastest.min(milliseconds(started));
            }
        }
        latencies.push(percentiles(fastest));
    }
    // With mapped files, and without.
    let (resident, own) = (status("VmRSS:"), status("RssAnon:"));
    Ok(json!({
        "chunks": counts.chunks,
        "vector_bytes": counts.windows * dimension * size_of::<f32>(),
        "open_ms": percentiles(times)["p50"],
        "hybrid": latencies[0],
        "vector": latencies[1],
        "bm25": latencies[2],
        "recall": recall(args, &questions[..questions.len().min(TRUTHS)])?,
        "resident_bytes": resident,
        "own_bytes": own,
    }))
}

/// The share of the nearest chunks that searches by vectors find.
fn recall(args: &Growth, questions: &[Question]) -> Result<f64, BenchError> {
    let vectors: Vec<Vec<f32>> = questions.iter().map(|question| question.vector.clone()).collect();
    let settings = SearchSettings { candidates: K, vector_k: K, threshold: 0.0, ..SearchSettings::default() };
    let searcher = searcher(&args.index, settings)?;
    let (mut found, mut all) = (0, 0);
    for (question, truth) in questions.iter().zip(nearest(args.seed, args.papers(), &vectors, K)) {
        let mode = Mode::Vector;
        let question = Question { mode, ..question.clone() };
        let truth: Vec<_> = truth.into_iter().map(id_of).collect();
        let hits = hits(&searcher, &question)?;
        found += hits.iter().filter(|hit| truth.contains(&hit.chunk().chunk_id)).count();
        all += truth.len();
    }
    Ok(found as f64 / all.max(1) as f64)
}

/// Seconds to add the paper with this number, as a newly started process would.
fn add(args: &Growth, number: usize) -> Result<f64, BenchError> {
    let entry = Shape::PARAGRAPH.paper(args.seed, number);
    let started = Instant::now();
    let mut writer = IndexWriter::open(&args.index, Shape::writer())?;
    let known: Vec<SourceId> = writer.manifest().map_or_else(Vec::new, |manifest| {
        let ids = manifest.sources.iter().map(|source| source.source_id().clone());
        // A paper that an earlier run added is added again.
        ids.filter(|id| *id != entry.meta.source_id).collect()
    });
    let mut generation = writer.begin()?;
    for id in &known {
        generation.keep(id)?;
    }
    generation.add(entry)?;
    generation.commit()?;
    drop(writer);
    Ok(started.elapsed().as_secs_f64())
}

/// Of at least one search, in any order.
fn percentiles(mut times: Vec<f64>) -> Value {
    times.sort_by(f64::total_cmp);
    let last = times.len().saturating_sub(1) as f64;
    let at = |share: f64| times.get((last * share).round() as usize);
    json!({ "p50": at(0.5), "p95": at(0.95), "p99": at(0.99) })
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
