//! Questions a second by BM25 on the documents of a BEIR folder.

use crate::{
    error::{BenchError, temporary},
    generated::{hits, searcher},
};
use clap::Args;
use index::{IndexWriter, WriterSettings};
use question::analyse;
use rayon::ThreadPoolBuilder;
use retrieve::{SearchSettings, Searcher};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{fs, path::Path, path::PathBuf, time::Instant};
use types::{
    Chunk, ChunkId, Filter, MadeBy, Mode, Question, SectionKind, SourceEntry, SourceId, SourceMeta, Span,
};

/// `bm25`.
#[derive(Debug, Args)]
pub(crate) struct Bm25 {
    /// A folder with corpus.jsonl and queries.jsonl.
    dir: PathBuf,
    /// Documents that a search returns.
    #[arg(short, long, default_value_t = 10, value_name = "N")]
    k: usize,
    /// Rounds over all questions.
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: usize,
}

/// A document or a question of a BEIR folder.
#[derive(Debug, Deserialize)]
struct Record {
    #[serde(default)]
    title: String,
    text: String,
}

/// Runs the command: as shipped, with the title as a field; and over one field, as other programs search.
pub(crate) fn run(args: &Bm25) -> Result<Value, BenchError> {
    let documents = read(&args.dir.join("corpus.jsonl"))?;
    let questions = read(&args.dir.join("queries.jsonl"))?;
    let folder = temporary()?;
    build(folder.path(), &documents)?;
    let SearchSettings { depth, title_weight, .. } = SearchSettings::default();
    let mut programs = Vec::new();
    for (name, title_weight, depth) in [
        ("pipeline, as shipped", title_weight, depth),
        ("pipeline, text alone", 0.0, depth),
        ("pipeline, text alone, depth k", 0.0, args.k),
    ] {
        let settings = SearchSettings {
            candidates: args.k,
            bm25_k: args.k,
            depth,
            title_weight,
            ..SearchSettings::default()
        };
        let searcher = searcher(folder.path(), settings)?;
        let (one, batch) = one_thread(|| rates(&searcher, &questions, args.rounds.max(1)))?;
        programs.push(json!({ "name": name, "one": one, "batch": batch }));
    }
    Ok(json!({ "documents": documents.len(), "questions": questions.len(), "programs": programs }))
}

/// Questions a second, medians over rounds: one at a time, from the text of the question to the documents; and analysed
/// beforehand.
fn rates(searcher: &Searcher, questions: &[Record], rounds: usize) -> Result<(f64, f64), BenchError> {
    let analysed = |question: &Record| analyse(&question.text, Vec::new(), Mode::Bm25, Filter::default());
    let (mut ones, mut batches) = (Vec::new(), Vec::new());
    // The first round is not counted: chunks are decoded.
    for round in 0..=rounds {
        let started = Instant::now();
        for question in questions {
            std::hint::black_box(hits(searcher, &analysed(question))?);
        }
        let one = questions.len() as f64 / started.elapsed().as_secs_f64();
        let analysed: Vec<Question> = questions.iter().map(analysed).collect();
        let started = Instant::now();
        for question in &analysed {
            std::hint::black_box(hits(searcher, question)?);
        }
        if round > 0 {
            ones.push(one);
            batches.push(questions.len() as f64 / started.elapsed().as_secs_f64());
        }
    }
    Ok((median(ones), median(batches)))
}

/// One source and one chunk for each document; the text repeats the title, as other programs index it.
fn build(root: &Path, documents: &[Record]) -> Result<(), BenchError> {
    let settings = WriterSettings {
        made_by: MadeBy { embedder_id: "none".to_owned(), dimension: 1, ..MadeBy::default() },
        ..WriterSettings::default()
    };
    let mut writer = IndexWriter::open(root, settings)?;
    let mut generation = writer.begin()?;
    for (number, document) in documents.iter().enumerate() {
        let source_id = SourceId::from(format!("d{number:06}"));
        let text = format!("{} {}", document.title, document.text);
        generation.add(SourceEntry {
            meta: SourceMeta {
                source_id: source_id.clone(),
                title: Some(document.title.clone()),
                ..SourceMeta::default()
            },
            windows: vec![Vec::new()],
            chunks: vec![Chunk {
                chunk_id: ChunkId::from_parts(&source_id, SectionKind::Body, 0),
                source_id,
                section: SectionKind::Body,
                heading: String::new(),
                ordinal: 0,
                page_start: 1,
                page_end: 1,
                span: Span::new(0, text.len()),
                prefix: String::new(),
                tokens: 0,
                sentences: Vec::new(),
                text,
                table_head: Vec::new(),
            }],
            ..SourceEntry::default()
        })?;
    }
    generation.commit()?;
    Ok(())
}

fn read(path: &Path) -> Result<Vec<Record>, BenchError> {
    let text = fs::read_to_string(path).map_err(BenchError::io("read", path))?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let record = |(line, at): (&str, usize)| {
        serde_json::from_str(line).map_err(BenchError::failed(format!("line {at} of {}", path.display())))
    };
    lines.map(record).collect()
}

/// Runs work on a pool of one thread, as the other programs do.
pub(crate) fn one_thread<T: Send>(
    work: impl FnOnce() -> Result<T, BenchError> + Send,
) -> Result<T, BenchError> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(BenchError::failed("with one thread"))?.install(work)
}

/// The middle of some numbers; 0 without any.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}
