//! `bench add-paper`: how long it takes to add one paper to an index of many.

use crate::{
    args::{AddPaper, Format},
    error::BenchError,
    generated::{CHUNKS, DIMENSION, Shape},
    output::{self, Outcome},
};
use retrieve::IndexWriter;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{path::Path, time::Instant};
use types::SourceId;

/// Seconds for one paper, step by step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Added {
    /// Opening the index for writing.
    pub(crate) open: f64,
    /// Keeping every paper that is there.
    pub(crate) keep: f64,
    /// Adding one paper and making the generation current.
    pub(crate) add: f64,
    /// All three.
    pub(crate) total: f64,
}

/// One size of index.
#[derive(Clone, Debug, Serialize)]
struct Size {
    /// Chunks in the index beforehand.
    chunks: usize,
    /// Seconds to build that index.
    build: f64,
    /// Median of the rounds.
    median: Added,
    /// One paper each.
    rounds: Vec<Added>,
}

/// Runs the command.
pub(crate) fn run(args: &AddPaper, format: Format) -> Result<Outcome, BenchError> {
    if cfg!(debug_assertions) {
        eprintln!("note: this is a debug build; its figures say nothing: cargo build --release -p bench");
    }
    let mut sizes = Vec::new();
    for &chunks in &args.chunks {
        sizes.push(size(chunks, args.rounds.max(1), args.seed)?);
    }
    let rows = || {
        let header = ["chunks before", "build s", "open s", "keep s", "add s", "total s"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for size in &sizes {
            let Added {
                open,
                keep,
                add,
                total,
            } = size.median;
            let times = [size.build, open, keep, add, total].map(|seconds| format!("{seconds:.3}"));
            rows.push([vec![size.chunks.to_string()], times.to_vec()].concat());
        }
        rows
    };
    output::print(
        format,
        &json!({ "seed": args.seed, "dimension": DIMENSION, "chunks_of_a_paper": CHUNKS, "sizes": sizes }),
        || output::table(&rows(), false),
        || output::table(&rows(), true),
    )?;
    Ok(Outcome::Done)
}

/// Builds an index of `chunks` chunks in one go and adds a paper in each round.
fn size(chunks: usize, rounds: usize, seed: u64) -> Result<Size, BenchError> {
    let folder = tempfile::tempdir().map_err(BenchError::io("make a folder in", std::env::temp_dir()))?;
    let root = folder.path();
    let papers = chunks.div_ceil(CHUNKS);
    let started = Instant::now();
    let mut writer = IndexWriter::open(root, Shape::LONG.writer())?;
    let mut generation = writer.begin()?;
    for number in 0..papers {
        generation.add(Shape::LONG.paper(seed, number))?;
    }
    generation.commit()?;
    drop(writer);
    let build = started.elapsed().as_secs_f64();
    let rounds = (papers..papers + rounds)
        .map(|number| add(root, Shape::LONG, seed, number))
        .collect::<Result<Vec<Added>, BenchError>>()?;
    Ok(Size {
        chunks: papers * CHUNKS,
        build,
        median: median(&rounds),
        rounds,
    })
}

/// Adds the paper with this number, as a newly started process would.
pub(crate) fn add(root: &Path, shape: Shape, seed: u64, number: usize) -> Result<Added, BenchError> {
    let entry = shape.paper(seed, number);
    let started = Instant::now();
    let mut writer = IndexWriter::open(root, shape.writer())?;
    let known: Vec<SourceId> = writer.manifest().map_or_else(Vec::new, |manifest| {
        manifest
            .sources
            .iter()
            .map(|source| source.source_id().clone())
            // A paper that an earlier run added is added again.
            .filter(|id| *id != entry.meta.source_id)
            .collect()
    });
    let open = started.elapsed().as_secs_f64();
    let mut generation = writer.begin()?;
    for id in &known {
        generation.keep(id)?;
    }
    let keep = started.elapsed().as_secs_f64() - open;
    generation.add(entry)?;
    generation.commit()?;
    drop(writer);
    let total = started.elapsed().as_secs_f64();
    Ok(Added {
        open,
        keep,
        add: total - open - keep,
        total,
    })
}

/// The round with the median total.
fn median(rounds: &[Added]) -> Added {
    let mut sorted = rounds.to_vec();
    sorted.sort_by(|a, b| a.total.total_cmp(&b.total));
    sorted[sorted.len() / 2]
}
