//! `bench retrieval growth`: one index for each number of chunks.

use super::{
    plot::{self, Line},
    step::{Built, Served, disk},
};
use crate::{
    add_paper::Added,
    args::{Format, Growth},
    error::BenchError,
    generated::{CHUNKS, DIMENSION, Shape},
    output::{self, Outcome},
    speed::machine,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What was measured of one index.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Size {
    chunks: usize,
    built: Built,
    /// Bytes of the index folder before papers were added.
    disk_bytes: u64,
    served: Served,
    /// Seconds to add one paper: the median of the rounds, and each.
    add_paper: f64,
    added: Vec<Added>,
}

/// Runs the command.
pub(super) fn run(args: &Growth, format: Format) -> Result<Outcome, BenchError> {
    let temporary = tempfile::tempdir().map_err(BenchError::io("make a folder in", std::env::temp_dir()))?;
    let folder = args.keep.clone().unwrap_or_else(|| temporary.path().to_owned());
    fs::create_dir_all(&folder).map_err(BenchError::io("create", &folder))?;
    let mut sizes = Vec::new();
    for &chunks in &args.chunks {
        sizes.push(size(args, &folder, chunks)?);
        if args.keep.is_none() {
            let index = folder.join(chunks.to_string());
            fs::remove_dir_all(&index).map_err(BenchError::io("remove", &index))?;
        }
    }
    if let Some(file) = &args.plot {
        fs::write(file, plot::draw(&lines(&sizes))).map_err(BenchError::io("write", file))?;
    }
    let Shape { sentences, words, .. } = Shape::PARAGRAPH;
    let json = json!({
        "machine": machine::describe(),
        "seed": args.seed,
        "questions": args.questions,
        "rounds": args.rounds,
        "threads": args.threads,
        "dimension": DIMENSION,
        "chunks_of_a_paper": CHUNKS,
        "sentences_of_a_chunk": sentences,
        "words_of_a_sentence": words,
        "sizes": sizes,
    });
    output::print(
        format,
        &json,
        || output::table(&rows(&sizes), false),
        || output::table(&rows(&sizes), true),
    )?;
    Ok(Outcome::Done)
}

/// Builds, searches and extends one index.
fn size(args: &Growth, folder: &Path, chunks: usize) -> Result<Size, BenchError> {
    let index = folder.join(chunks.to_string());
    let record = folder.join(format!("{chunks}.json"));
    // Written when the index is complete.
    let known: Option<(Built, u64)> = fs::read(&record)
        .ok()
        .and_then(|json| serde_json::from_slice(&json).ok());
    let (built, disk_bytes) = if let Some(known) = known {
        known
    } else {
        let built: Built = step(args, "build", &index, chunks)?;
        let made = (built, disk(&index));
        let json = serde_json::to_vec(&made).map_err(std::io::Error::from)?;
        fs::write(&record, json).map_err(BenchError::io("write", &record))?;
        made
    };
    let served: Served = step(args, "search", &index, chunks)?;
    let added: Vec<Added> = step(args, "add", &index, chunks)?;
    let mut totals: Vec<f64> = added.iter().map(|added| added.total).collect();
    totals.sort_by(f64::total_cmp);
    Ok(Size {
        chunks,
        built,
        disk_bytes,
        served,
        add_paper: totals.get(totals.len() / 2).copied().unwrap_or(0.0),
        added,
    })
}

/// Runs this program for one step.
fn step<T: DeserializeOwned>(
    args: &Growth,
    name: &str,
    index: &Path,
    chunks: usize,
) -> Result<T, BenchError> {
    let own: PathBuf = std::env::current_exe().map_err(BenchError::io("find", "this program"))?;
    eprintln!("{chunks} chunks: {name}");
    let mut command = Command::new(&own);
    command.args(["retrieval-step", name]).arg(index);
    for (name, value) in [
        ("--chunks", chunks as u64),
        ("--questions", args.questions as u64),
        ("--rounds", args.rounds as u64),
        ("--seed", args.seed),
    ] {
        command.args([name, &value.to_string()]);
    }
    if let Some(threads) = args.threads {
        command.env("RAYON_NUM_THREADS", threads.to_string());
    }
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(BenchError::io("start", &own))?;
    let failed = |reason: String| BenchError::Peer {
        script: format!("the step {name:?} of {chunks} chunks"),
        reason,
    };
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| failed(e.to_string()))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / 1e6)
}

fn rows(sizes: &[Size]) -> Vec<Vec<String>> {
    let header = [
        "chunks",
        "build s",
        "build peak MB",
        "disk MB",
        "vectors MB",
        "open ms",
        "resident MB",
        "over vectors",
        "add a paper s",
        "hybrid p50 ms",
        "p95",
        "p99",
        "CPU p50 ms",
        "CPU p95",
        "vector p95",
        "bm25 p95",
        "recall@10",
    ];
    let row = |size: &Size| {
        let Size { built, served, .. } = size;
        let vectors = served.vector_bytes.max(1) as f64;
        vec![
            served.chunks.to_string(),
            format!("{:.1}", built.seconds),
            built.peak_bytes.map_or_else(String::new, megabytes),
            megabytes(size.disk_bytes),
            megabytes(served.vector_bytes),
            format!("{:.1}", served.open_ms),
            megabytes(served.searched.resident),
            format!("{:.2}", served.searched.resident as f64 / vectors),
            format!("{:.2}", size.add_paper),
            format!("{:.2}", served.hybrid.p50),
            format!("{:.2}", served.hybrid.p95),
            format!("{:.2}", served.hybrid.p99),
            format!("{:.2}", served.hybrid_cpu.p50),
            format!("{:.2}", served.hybrid_cpu.p95),
            format!("{:.2}", served.vector.p95),
            format!("{:.2}", served.bm25.p95),
            format!("{:.3}", served.recall),
        ]
    };
    std::iter::once(header.map(str::to_owned).to_vec())
        .chain(sizes.iter().map(row))
        .collect()
}

fn lines(sizes: &[Size]) -> [Vec<Line>; 2] {
    let line = |name: &'static str, value: fn(&Size) -> f64| Line {
        name,
        points: sizes
            .iter()
            .map(|size| (size.served.chunks as f64, value(size)))
            .collect(),
    };
    [
        vec![
            line("build, s", |size| size.built.seconds),
            line("add a paper, s", |size| size.add_paper),
            line("open, s", |size| size.served.open_ms / 1e3),
            line("hybrid p95, s", |size| size.served.hybrid.p95 / 1e3),
            line("hybrid p50, s", |size| size.served.hybrid.p50 / 1e3),
        ],
        vec![
            line("disk, MB", |size| size.disk_bytes as f64 / 1e6),
            line("resident, MB", |size| size.served.searched.resident as f64 / 1e6),
            line("vectors, MB", |size| size.served.vector_bytes as f64 / 1e6),
        ],
    ]
}
