//! The steps of `bench retrieval growth`, each in a process of its own, so that the memory of one is not counted for
//! another.

use super::{Latency, truth};
use crate::{
    add_paper::{self, Added},
    args::{GrowthStep, RetrievalStep},
    error::BenchError,
    generated::{CHUNKS, Kind, Shape, question_vectors, questions},
    output::Outcome,
    speed::sample::cpu_seconds,
};
use rayon::prelude::*;
use retrieve::{Index, IndexRetriever, IndexWriter, SearchSettings};
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, fs, path::Path, sync::Arc, time::Instant};
use types::{ChunkId, Mode, Question, RetrievalPlan, SectionKind, SourceId};

/// Papers that are generated at a time, so that memory does not grow with the index.
const BATCH: usize = 512;
/// Questions that are compared with every vector; more take minutes.
const TRUTHS: usize = 20;
/// Hits that recall is measured over.
const K: usize = 10;

/// An index was built.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Built {
    /// Seconds in the writer.
    pub(super) seconds: f64,
    /// Seconds of these after the last paper was added: flushing, merging, hashing, switching.
    pub(super) commit_seconds: f64,
    /// Highest resident memory, in bytes.
    pub(super) peak_bytes: Option<u64>,
}

/// An index was opened and searched.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Served {
    pub(super) chunks: usize,
    /// Bytes of the 32-bit vectors of its windows.
    pub(super) vector_bytes: u64,
    /// Milliseconds to open it; the median of five.
    pub(super) open_ms: f64,
    /// Milliseconds of the first search.
    pub(super) first_ms: f64,
    pub(super) hybrid: Latency,
    /// The same in milliseconds of processor time of all threads, which other programs on the machine hardly change.
    pub(super) hybrid_cpu: Latency,
    pub(super) vector: Latency,
    pub(super) bm25: Latency,
    /// Share of the ten nearest chunks that a search by vectors finds.
    pub(super) recall: f64,
    /// Memory after opening and after all searches.
    pub(super) opened: Memory,
    pub(super) searched: Memory,
}

/// Resident memory in bytes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Memory {
    /// All of it, mapped pages included.
    pub(super) resident: u64,
    /// Without mapped files.
    pub(super) own: u64,
    /// Mapped pages count by the share of this process.
    pub(super) proportional: u64,
}

/// Runs a step and prints what it found as JSON.
pub(crate) fn run(args: &RetrievalStep) -> Result<Outcome, BenchError> {
    let json = match args.step {
        GrowthStep::Build => serde_json::to_value(build(args)?),
        GrowthStep::Search => serde_json::to_value(search(args)?),
        GrowthStep::Add => serde_json::to_value(add(args)?),
    };
    println!("{}", json.map_err(std::io::Error::from)?);
    Ok(Outcome::Done)
}

fn papers(args: &RetrievalStep) -> usize {
    args.chunks.div_ceil(CHUNKS)
}

fn build(args: &RetrievalStep) -> Result<Built, BenchError> {
    let shape = Shape::PARAGRAPH;
    let mut seconds = 0.0;
    let mut started = Instant::now();
    let mut writer = IndexWriter::open(&args.index, shape.writer())?;
    let mut generation = writer.begin()?;
    for from in (0..papers(args)).step_by(BATCH) {
        seconds += started.elapsed().as_secs_f64();
        let batch = from..(from + BATCH).min(papers(args));
        let batch: Vec<_> = batch.into_par_iter().map(|n| shape.paper(args.seed, n)).collect();
        started = Instant::now();
        for paper in batch {
            generation.add(paper)?;
        }
    }
    let adding = seconds + started.elapsed().as_secs_f64();
    generation.commit()?;
    drop(writer);
    seconds += started.elapsed().as_secs_f64();
    Ok(Built {
        seconds,
        commit_seconds: seconds - adding,
        peak_bytes: status("VmHWM:"),
    })
}

fn search(args: &RetrievalStep) -> Result<Served, BenchError> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        drop(Index::open(&args.index)?);
        times.push(milliseconds(started));
    }
    let open_ms = Latency::of(times).p50;
    let index = Arc::new(Index::open(&args.index)?);
    let opened = Memory::now();
    let (counts, dimension) = (index.manifest().counts, index.manifest().dimension);
    let vectors = question_vectors(args.seed, papers(args), args.questions);
    let questions: Vec<Question> = questions(args.seed, Kind::Mixed, args.questions)
        .into_iter()
        .zip(&vectors)
        .map(|(question, vector)| Question {
            vector: vector.clone(),
            ..question
        })
        .collect();
    let retriever = IndexRetriever::new(Arc::clone(&index), SearchSettings::default());
    let started = Instant::now();
    if let Some(question) = questions.first() {
        retriever.retrieve_now(question, RetrievalPlan::default())?;
    }
    let first_ms = milliseconds(started);
    let (mut latencies, mut processor) = (Vec::new(), Vec::new());
    for mode in [Mode::Hybrid, Mode::Vector, Mode::Bm25] {
        let mut fastest = vec![f64::INFINITY; questions.len()];
        let mut least = fastest.clone();
        for _ in 0..args.rounds.max(1) {
            for ((question, fastest), least) in questions.iter().zip(&mut fastest).zip(&mut least) {
                let question = Question {
                    mode,
                    ..question.clone()
                };
                let (before, started) = (cpu_seconds(), Instant::now());
                retriever.retrieve_now(&question, RetrievalPlan::default())?;
                *fastest = fastest.min(milliseconds(started));
                if let (Some(before), Some(after)) = (before, cpu_seconds()) {
                    *least = least.min((after - before) * 1000.0);
                }
            }
        }
        latencies.push(Latency::of(fastest));
        processor.push(Latency::of(least));
    }
    let searched = Memory::now();
    let [hybrid, vector, bm25] = [0, 1, 2].map(|at| latencies[at]);
    Ok(Served {
        chunks: counts.chunks,
        vector_bytes: (counts.windows * dimension * size_of::<f32>()) as u64,
        open_ms,
        first_ms,
        hybrid,
        hybrid_cpu: processor[0],
        vector,
        bm25,
        recall: recall(args, &index, &questions)?,
        opened,
        searched,
    })
}

/// The share of the nearest chunks that searches find.
fn recall(args: &RetrievalStep, index: &Index, questions: &[Question]) -> Result<f64, BenchError> {
    let questions = &questions[..questions.len().min(TRUTHS)];
    let vectors: Vec<Vec<f32>> = questions.iter().map(|question| question.vector.clone()).collect();
    let truths = truth::nearest(Shape::PARAGRAPH, args.seed, papers(args), &vectors, K);
    let settings = SearchSettings {
        candidates: K,
        vector_k: K,
        threshold: 0.0,
        ..SearchSettings::default()
    };
    let (mut found, mut all) = (0, 0);
    for (question, truth) in questions.iter().zip(truths) {
        let question = Question {
            mode: Mode::Vector,
            ..question.clone()
        };
        let hits: HashSet<ChunkId> = index
            .search(&question, &settings)?
            .hits
            .iter()
            .map(|hit| hit.chunk.chunk_id.clone())
            .collect();
        let id = |chunk: &usize| {
            let (paper, ordinal) = (chunk / CHUNKS, chunk % CHUNKS);
            let source = SourceId::from(format!("paper_{paper:07}"));
            ChunkId::from_parts(&source, SectionKind::Body, ordinal)
        };
        all += truth.len();
        found += truth.iter().filter(|chunk| hits.contains(&id(chunk))).count();
    }
    Ok(found as f64 / all.max(1) as f64)
}

fn add(args: &RetrievalStep) -> Result<Vec<Added>, BenchError> {
    let numbers = papers(args)..papers(args) + args.rounds.max(1);
    numbers
        .map(|number| add_paper::add(&args.index, Shape::PARAGRAPH, args.seed, number))
        .collect()
}

/// Bytes of all files below a folder.
pub(super) fn disk(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => disk(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.flatten().map(bytes).sum()
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

impl Memory {
    fn now() -> Self {
        Self {
            resident: status("VmRSS:").unwrap_or(0),
            own: status("RssAnon:").unwrap_or(0),
            proportional: field("/proc/self/smaps_rollup", "Pss:").unwrap_or(0),
        }
    }
}

fn status(key: &str) -> Option<u64> {
    field("/proc/self/status", key)
}

/// Bytes of a line in KiB.
fn field(file: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.split_ascii_whitespace().next()?.parse::<u64>().ok()? << 10)
}
