//! Questions a second over clustered vectors, and the recall that is reached.

use crate::{
    bm25::{median, one_thread},
    error::{BenchError, temporary},
    generated::{CHUNKS, DIMENSION, Shape, hits, id_of, nearest, question_vectors, searcher, window_vectors},
};
use clap::Args;
use index::{HnswSettings, IndexWriter};
use question::analyse;
use retrieve::{SearchSettings, VectorIndex};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};
use types::{Filter, Mode, Question};

/// `vectors`.
#[derive(Debug, Args)]
pub(crate) struct Vectors {
    /// An existing folder, for the same vectors (vectors.f32), questions (questions.f32) and nearest vectors (truth.u32).
    folder: PathBuf,
    /// Vectors, of 384 numbers.
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    chunks: usize,
    /// Questions.
    #[arg(long, default_value_t = 200, value_name = "N")]
    questions: usize,
    /// Vectors that a search returns.
    #[arg(short, long, default_value_t = 10, value_name = "N")]
    k: usize,
    /// Rounds over all questions.
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: usize,
    /// Seed of vectors.
    #[arg(long, default_value_t = 20, value_name = "N")]
    seed: u64,
    /// Also measure `retrieve.vector_index = "hnsw"`, at several breadths of the walk.
    #[arg(long)]
    hnsw: bool,
}

/// Breadths of the walk; the other programs are measured at the same ones.
const EFS: [usize; 7] = [16, 32, 64, 128, 256, 512, 1024];

/// Runs the command: exact searches, and those by the graph.
pub(crate) fn run(args: &Vectors) -> Result<Value, BenchError> {
    let papers = args.chunks.div_ceil(CHUNKS);
    let questions = question_vectors(args.seed, papers, args.questions.max(1));
    let truths = nearest(args.seed, papers, &questions, args.k);
    let numbers = |vectors: &[Vec<f32>]| -> Vec<u8> {
        let bytes = vectors.iter().flatten().flat_map(|v| v.to_le_bytes());
        bytes.collect()
    };
    let vectors = (0..papers).flat_map(|paper| numbers(&window_vectors(args.seed, paper)));
    let truth = truths.iter().flatten().flat_map(|chunk| (*chunk as u32).to_le_bytes());
    for (name, bytes) in [
        ("vectors.f32", vectors.collect()),
        ("questions.f32", numbers(&questions)),
        ("truth.u32", truth.collect()),
    ] {
        let path = args.folder.join(name);
        fs::write(&path, bytes).map_err(BenchError::io("write", &path))?;
    }
    let mut programs = vec![one_thread(|| ours(args, papers, &questions, &truths, None))?];
    if args.hnsw {
        let graph = Some(HnswSettings::default());
        programs.push(one_thread(|| ours(args, papers, &questions, &truths, graph))?);
    }
    Ok(json!({ "vectors": papers * CHUNKS, "dimension": DIMENSION, "programs": programs }))
}

fn ours(
    args: &Vectors,
    papers: usize,
    questions: &[Vec<f32>],
    truths: &[Vec<usize>],
    graph: Option<HnswSettings>,
) -> Result<Value, BenchError> {
    let folder = temporary()?;
    let shape = Shape { sentences: 1, words: 4 };
    let started = Instant::now();
    let mut writer = IndexWriter::open(folder.path(), Shape::writer())?;
    let mut generation = writer.begin()?;
    for number in 0..papers {
        generation.add(shape.paper(args.seed, number))?;
    }
    generation.with_graph(graph).commit()?;
    drop(writer);
    let build_seconds = started.elapsed().as_secs_f64();
    let efs = graph.map_or(vec![None], |_| EFS.map(Some).to_vec());
    let measure = |ef| measure(args, folder.path(), questions, truths, ef);
    let results: Vec<Value> = efs.into_iter().map(measure).collect::<Result<_, _>>()?;
    let name = graph.map_or("pipeline, exact", |_| "pipeline, hnsw");
    Ok(json!({ "name": name, "build_seconds": build_seconds, "results": results }))
}

/// Recall and questions a second, exactly or by a walk as broad as `ef`.
fn measure(
    args: &Vectors,
    folder: &Path,
    questions: &[Vec<f32>],
    truths: &[Vec<usize>],
    ef: Option<usize>,
) -> Result<Value, BenchError> {
    let mut settings = SearchSettings {
        candidates: args.k,
        vector_k: args.k,
        depth: args.k,
        threshold: 0.0,
        ..SearchSettings::default()
    };
    if let Some(ef) = ef {
        settings.vector_index = VectorIndex::Hnsw;
        settings.hnsw.ef = ef;
    }
    let searcher = searcher(folder, settings)?;
    let analysed = |vector: &Vec<f32>| analyse("ba", vector.clone(), Mode::Vector, Filter::default());
    let questions: Vec<Question> = questions.iter().map(analysed).collect();
    let (mut found, mut all) = (0, 0);
    // This round is not timed: vectors are read from the disk.
    for (question, truth) in questions.iter().zip(truths) {
        let hits = hits(&searcher, question)?;
        let is_hit = |chunk: &&usize| hits.iter().any(|hit| hit.chunk().chunk_id == id_of(**chunk));
        found += truth.iter().filter(is_hit).count();
        all += truth.len();
    }
    let mut rates = Vec::new();
    for _ in 0..args.rounds.max(1) {
        let started = Instant::now();
        for question in &questions {
            std::hint::black_box(hits(&searcher, question)?);
        }
        rates.push(questions.len() as f64 / started.elapsed().as_secs_f64());
    }
    Ok(json!({ "ef": ef, "recall": found as f64 / all.max(1) as f64, "rate": median(rates) }))
}
