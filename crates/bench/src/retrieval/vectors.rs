//! `bench retrieval vectors`: questions a second over clustered vectors, and the recall that each program reaches.

use super::{
    peer::{self, Missing, Versions, median},
    truth,
};
use crate::{
    args::{Format, RetrievalVectors},
    error::BenchError,
    generated::{CHUNKS, DIMENSION, Shape, question_vectors},
    output::{self, Outcome},
    speed::machine,
};
use question::analyse;
use rayon::ThreadPoolBuilder;
use retrieve::{HnswSettings, Index, IndexWriter, SearchSettings, VectorIndex};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{collections::HashMap, fs, path::Path, time::Instant};
use types::{ChunkId, Filter, Mode, Question};

const PEERS: [&str; 5] = ["faiss-flat", "usearch-exact", "faiss-hnsw", "hnswlib", "usearch"];

/// One program at one breadth of its walk.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Point {
    /// `None` for exact searches.
    ef: Option<usize>,
    recall: f64,
    /// Questions a second, the median over rounds.
    rate: f64,
}

/// One program.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Searched {
    #[serde(default)]
    name: String,
    build_seconds: f64,
    results: Vec<Point>,
    #[serde(default)]
    versions: Versions,
}

/// Runs the command.
pub(super) fn run(args: &RetrievalVectors, format: Format) -> Result<Outcome, BenchError> {
    let shape = Shape {
        sentences: 1,
        words: 4,
        windows: 1,
    };
    let papers = args.chunks.div_ceil(CHUNKS);
    let questions = question_vectors(args.seed, papers, args.questions.max(1));
    eprintln!("comparing all vectors");
    let truths = truth::nearest(shape, args.seed, papers, &questions, args.k);
    let folder = tempfile::tempdir().map_err(BenchError::io("make a folder in", std::env::temp_dir()))?;
    write(folder.path(), shape, args.seed, papers, &questions, &truths)?;
    let pool = ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|e| BenchError::Peer {
        script: "a pool of one thread".to_owned(),
        reason: e.to_string(),
    })?;
    let mut searched = pool.install(|| ours(args, shape, papers, &questions, &truths))?;
    let mut missing = Vec::new();
    let peer_args = [
        folder.path().to_string_lossy().into_owned(),
        DIMENSION.to_string(),
        args.k.to_string(),
        args.rounds.to_string(),
    ];
    for name in PEERS {
        match peer::run::<Searched>(&args.python, "vectors.py", name, &peer_args)? {
            Ok(found) => searched.push(Searched {
                name: name.to_owned(),
                ..found
            }),
            Err(why) => missing.push(why),
        }
    }
    let rows = || rows(&searched, &missing);
    let json = json!({
        "machine": machine::describe(),
        "vectors": papers * CHUNKS,
        "dimension": DIMENSION,
        "questions": questions.len(),
        "k": args.k,
        "rounds": args.rounds,
        "seed": args.seed,
        "programs": searched,
        "missing": missing,
    });
    output::print(
        format,
        &json,
        || output::table(&rows(), false),
        || output::table(&rows(), true),
    )?;
    Ok(Outcome::Done)
}

fn rows(searched: &[Searched], missing: &[Missing]) -> Vec<Vec<String>> {
    let header = ["program", "build s", "ef", "recall", "q/s", "versions"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for program in searched {
        let versions: Vec<String> = program.versions.iter().map(|(k, v)| format!("{k} {v}")).collect();
        for (at, point) in program.results.iter().enumerate() {
            let first = |text: String| if at == 0 { text } else { String::new() };
            rows.push(vec![
                first(program.name.clone()),
                first(format!("{:.1}", program.build_seconds)),
                point.ef.map_or_else(|| "exact".to_owned(), |ef| ef.to_string()),
                format!("{:.3}", point.recall),
                format!("{:.0}", point.rate),
                first(versions.join(", ")),
            ]);
        }
    }
    rows.extend(
        missing
            .iter()
            .map(|why| vec![why.peer.clone(), "missing".to_owned(), why.reason.clone()]),
    );
    rows
}

/// Our own searches, exact and, where asked for, by the graph.
fn ours(
    args: &RetrievalVectors,
    shape: Shape,
    papers: usize,
    questions: &[Vec<f32>],
    truths: &[Vec<usize>],
) -> Result<Vec<Searched>, BenchError> {
    let mut kinds = vec![("pipeline, exact", None)];
    if args.hnsw {
        let graph = HnswSettings {
            connections: 16,
            ef_construction: 200,
        };
        kinds.push(("pipeline, hnsw", Some(graph)));
    }
    let mut searched = Vec::new();
    for (name, graph) in kinds {
        eprintln!("{name}");
        let folder = tempfile::tempdir().map_err(BenchError::io("make a folder in", std::env::temp_dir()))?;
        let started = Instant::now();
        let mut writer = IndexWriter::open(folder.path(), shape.writer())?;
        let mut generation = writer.begin()?.with_graph(graph);
        for number in 0..papers {
            generation.add(shape.paper(args.seed, number))?;
        }
        generation.commit()?;
        drop(writer);
        let build_seconds = started.elapsed().as_secs_f64();
        let index = Index::open(folder.path())?;
        let efs: Vec<Option<usize>> = match graph {
            Some(_) => [16, 64, 256, 1024].map(Some).to_vec(),
            None => vec![None],
        };
        let points = efs
            .into_iter()
            .map(|ef| point(args, &index, ef, questions, truths));
        searched.push(Searched {
            name: name.to_owned(),
            build_seconds,
            results: points.collect::<Result<_, BenchError>>()?,
            versions: Versions::new(),
        });
    }
    Ok(searched)
}

fn point(
    args: &RetrievalVectors,
    index: &Index,
    ef: Option<usize>,
    questions: &[Vec<f32>],
    truths: &[Vec<usize>],
) -> Result<Point, BenchError> {
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
    // Chunks are numbered in the order of their ids.
    let numbers: HashMap<ChunkId, usize> = index
        .chunks()
        .enumerate()
        .map(|(number, chunk)| Ok((chunk?.chunk_id.clone(), number)))
        .collect::<Result<_, retrieve::IndexError>>()?;
    let questions: Vec<Question> = questions
        .iter()
        .map(|vector| analyse("ba", vector.clone(), Mode::Vector, Filter::default()))
        .collect();
    let (mut rates, mut found, mut all) = (Vec::new(), 0, 0);
    for round in 0..=args.rounds.max(1) {
        let started = Instant::now();
        let mut outcomes = Vec::with_capacity(questions.len());
        for question in &questions {
            outcomes.push(index.search(question, &settings)?);
        }
        if round > 0 {
            rates.push(questions.len() as f64 / started.elapsed().as_secs_f64());
            continue;
        }
        for (outcome, truth) in outcomes.iter().zip(truths) {
            let hits = outcome
                .hits
                .iter()
                .filter_map(|hit| numbers.get(&hit.chunk.chunk_id));
            found += hits.filter(|hit| truth.contains(hit)).count();
            all += truth.len();
        }
    }
    Ok(Point {
        ef,
        recall: found as f64 / f64::from(all.max(1) as u32),
        rate: median(rates),
    })
}

/// Writes vectors, questions and truths for the peers.
fn write(
    folder: &Path,
    shape: Shape,
    seed: u64,
    papers: usize,
    questions: &[Vec<f32>],
    truths: &[Vec<usize>],
) -> Result<(), BenchError> {
    let vectors = (0..papers).flat_map(|number| shape.window_vectors(seed, number));
    let vectors: Vec<u8> = vectors.flatten().flat_map(f32::to_le_bytes).collect();
    let questions: Vec<u8> = questions.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let truths: Vec<u8> = truths
        .iter()
        .flatten()
        .flat_map(|chunk| (*chunk as u32).to_le_bytes())
        .collect();
    for (name, bytes) in [
        ("vectors.f32", vectors),
        ("questions.f32", questions),
        ("truth.u32", truths),
    ] {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(BenchError::io("write", &path))?;
    }
    Ok(())
}
