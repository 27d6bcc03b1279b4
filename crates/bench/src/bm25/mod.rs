//! `bench bm25`: how long a search by BM25 takes in an index of many chunks.

use crate::{
    args::{Bm25, Format},
    error::BenchError,
    generated::{CHUNKS, Kind, Shape, questions},
    output::{self, Outcome},
};
use retrieve::{Bm25Settings, Index, IndexWriter, SearchSettings, StopWords};
use serde::Serialize;
use serde_json::json;
use std::{path::Path, time::Instant};
use types::Question;

/// Milliseconds of a question.
#[derive(Clone, Debug, Serialize)]
struct Measured {
    /// Chunks of the index.
    chunks: usize,
    /// The kind of question.
    questions: &'static str,
    /// What BM25 weighs.
    settings: &'static str,
    mean: f64,
    median: f64,
    p95: f64,
}

/// An index on disk.
#[derive(Clone, Debug, Serialize)]
struct Built {
    chunks: usize,
    /// Seconds to build it.
    seconds: f64,
    /// Bytes of the inverted index.
    text_bytes: u64,
    /// Bytes of all files.
    bytes: u64,
}

/// Runs the command.
pub(crate) fn run(args: &Bm25, format: Format) -> Result<Outcome, BenchError> {
    if cfg!(debug_assertions) {
        eprintln!("note: this is a debug build; its figures say nothing: cargo build --release -p bench");
    }
    let (mut built, mut measured) = (Vec::new(), Vec::new());
    for &chunks in &args.chunks {
        let folder = tempfile::tempdir().map_err(BenchError::io("make a folder in", std::env::temp_dir()))?;
        built.push(build(folder.path(), chunks, args.seed)?);
        let index = Index::open(folder.path())?;
        for kind in Kind::ALL {
            let questions = questions(args.seed, kind, args.questions.max(1));
            for (name, bm25) in settings() {
                let settings = SearchSettings {
                    depth: args.depth,
                    bm25,
                    ..SearchSettings::default()
                };
                let times = search(&index, &questions, &settings, args.rounds.max(1))?;
                measured.push(summary(index.manifest().counts.chunks, kind.name(), name, times));
            }
        }
    }
    let rows = || {
        let header = ["chunks", "question", "settings", "mean ms", "median ms", "p95 ms"];
        let row = |row: &Measured| {
            let times = [row.mean, row.median, row.p95].map(|ms| format!("{ms:.3}"));
            let names = [
                row.chunks.to_string(),
                row.questions.to_owned(),
                row.settings.to_owned(),
            ];
            [names, times].concat()
        };
        let header = header.map(str::to_owned).to_vec();
        std::iter::once(header)
            .chain(measured.iter().map(row))
            .collect::<Vec<_>>()
    };
    let sizes = || {
        let header = ["chunks", "build s", "inverted index MB", "all files MB"]
            .map(str::to_owned)
            .to_vec();
        let row = |built: &Built| {
            let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
            let (text, all) = (megabytes(built.text_bytes), megabytes(built.bytes));
            vec![
                built.chunks.to_string(),
                format!("{:.2}", built.seconds),
                text,
                all,
            ]
        };
        std::iter::once(header)
            .chain(built.iter().map(row))
            .collect::<Vec<_>>()
    };
    let text = |markdown| {
        let (sizes, rows) = (
            output::table(&sizes(), markdown),
            output::table(&rows(), markdown),
        );
        format!("{sizes}\n{rows}")
    };
    output::print(
        format,
        &json!({ "seed": args.seed, "depth": args.depth, "indexes": built, "searches": measured }),
        || text(false),
        || text(true),
    )?;
    Ok(Outcome::Done)
}

/// The settings that are measured.
fn settings() -> [(&'static str, Bm25Settings); 4] {
    let text = Bm25Settings::default();
    let fields = Bm25Settings {
        title_weight: 1.0,
        heading_weight: 1.0,
        ..text
    };
    let unstemmed = Bm25Settings {
        stemming: false,
        ..text
    };
    let all = Bm25Settings {
        stop_words: StopWords::None,
        ..fields
    };
    [
        ("text", text),
        ("text, title, heading", fields),
        ("text unstemmed", unstemmed),
        ("all fields, stop words", all),
    ]
}

/// Builds an index of `chunks` chunks in one segment.
fn build(root: &Path, chunks: usize, seed: u64) -> Result<Built, BenchError> {
    let started = Instant::now();
    let mut writer = IndexWriter::open(root, Shape::TEXT.writer())?;
    let mut generation = writer.begin()?;
    for number in 0..chunks.div_ceil(CHUNKS) {
        generation.add(Shape::TEXT.paper(seed, number))?;
    }
    generation.commit()?;
    drop(writer);
    let seconds = started.elapsed().as_secs_f64();
    let files = &Index::open(root)?.manifest().files.clone();
    let text = files.iter().filter(|(name, _)| name.contains("/tantivy/"));
    Ok(Built {
        chunks: chunks.div_ceil(CHUNKS) * CHUNKS,
        seconds,
        text_bytes: text.map(|(_, file)| file.bytes).sum(),
        bytes: files.values().map(|file| file.bytes).sum(),
    })
}

/// The fastest of `rounds` searches for each question, in milliseconds.
fn search(
    index: &Index,
    questions: &[Question],
    settings: &SearchSettings,
    rounds: usize,
) -> Result<Vec<f64>, BenchError> {
    let mut fastest = vec![f64::INFINITY; questions.len()];
    for _ in 0..rounds {
        for (question, fastest) in questions.iter().zip(&mut fastest) {
            let started = Instant::now();
            index.search(question, settings)?;
            *fastest = fastest.min(started.elapsed().as_secs_f64() * 1000.0);
        }
    }
    Ok(fastest)
}

fn summary(chunks: usize, questions: &'static str, settings: &'static str, mut times: Vec<f64>) -> Measured {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    Measured {
        chunks,
        questions,
        settings,
        mean: times.iter().sum::<f64>() / times.len() as f64,
        median: at(0.5),
        p95: at(0.95),
    }
}
