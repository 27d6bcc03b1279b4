//! `bench retrieval bm25`: questions a second on the documents of a BEIR folder.

use super::peer::{self, Missing, Versions, median};
use crate::{
    args::{Format, RetrievalBm25},
    error::BenchError,
    output::{self, Outcome},
    speed::machine,
};
use question::analyse;
use retrieve::{Bm25Settings, Index, IndexWriter, SearchSettings, SourceEntry, WriterSettings};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{fs, path::Path, time::Instant};
use types::{Chunk, ChunkId, Filter, Mode, Question, SectionKind, SourceId, SourceMeta, Span};

const PEERS: [&str; 4] = ["bm25s", "rank_bm25", "tantivy", "pyserini"];

/// A document or a question of a BEIR folder.
#[derive(Debug, Deserialize)]
struct Record {
    #[serde(default)]
    title: String,
    text: String,
}

/// Questions a second of one program, medians over rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Rates {
    #[serde(default)]
    name: String,
    /// One at a time, from the text of the question to the documents.
    one: f64,
    /// All questions handed over together; `None` if the program cannot.
    batch: Option<f64>,
    #[serde(default)]
    versions: Versions,
}

/// Runs the command.
pub(super) fn run(args: &RetrievalBm25, format: Format) -> Result<Outcome, BenchError> {
    let documents: Vec<Record> = read(&args.dir.join("corpus.jsonl"))?;
    let questions: Vec<Record> = read(&args.dir.join("queries.jsonl"))?;
    let folder = tempfile::tempdir().map_err(BenchError::io("make a folder in", std::env::temp_dir()))?;
    build(folder.path(), &documents)?;
    let index = Index::open(folder.path())?;
    let mut rates = ours(&index, &questions, args)?;
    let mut missing: Vec<Missing> = Vec::new();
    let peer_args = [
        args.dir.to_string_lossy().into_owned(),
        args.k.to_string(),
        args.rounds.to_string(),
    ];
    for name in PEERS {
        match peer::run::<Rates>(&args.python, "bm25.py", name, &peer_args)? {
            Ok(found) => rates.push(Rates {
                name: name.to_owned(),
                ..found
            }),
            Err(why) => missing.push(why),
        }
    }
    let rows = || {
        let header = ["program", "one at a time, q/s", "batch, q/s", "versions"];
        let row = |rates: &Rates| {
            let versions: Vec<String> = rates.versions.iter().map(|(k, v)| format!("{k} {v}")).collect();
            vec![
                rates.name.clone(),
                format!("{:.0}", rates.one),
                rates
                    .batch
                    .map_or_else(|| "none".to_owned(), |rate| format!("{rate:.0}")),
                versions.join(", "),
            ]
        };
        let absent = |why: &Missing| {
            vec![
                why.peer.clone(),
                "missing".to_owned(),
                String::new(),
                why.reason.clone(),
            ]
        };
        std::iter::once(header.map(str::to_owned).to_vec())
            .chain(rates.iter().map(row))
            .chain(missing.iter().map(absent))
            .collect::<Vec<_>>()
    };
    let json = json!({
        "machine": machine::describe(),
        "documents": documents.len(),
        "questions": questions.len(),
        "k": args.k,
        "rounds": args.rounds,
        "rates": rates,
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

/// Our own rates: as shipped, with the title as a field; and over one field, as the peers search.
fn ours(index: &Index, questions: &[Record], args: &RetrievalBm25) -> Result<Vec<Rates>, BenchError> {
    let shipped = Bm25Settings::default();
    let one_field = Bm25Settings {
        title_weight: 0.0,
        heading_weight: 0.0,
        ..shipped
    };
    let settings = |bm25, depth| SearchSettings {
        candidates: args.k,
        bm25_k: args.k,
        depth,
        bm25,
        ..SearchSettings::default()
    };
    let depth = SearchSettings::default().depth;
    let mut rates = Vec::new();
    for (name, settings) in [
        ("pipeline, as shipped", settings(shipped, depth)),
        ("pipeline, text alone", settings(one_field, depth)),
        ("pipeline, text alone, depth k", settings(one_field, args.k)),
    ] {
        let (mut ones, mut batches) = (Vec::new(), Vec::new());
        // The first round is not counted: chunks are decoded.
        for round in 0..=args.rounds.max(1) {
            let started = Instant::now();
            for question in questions {
                let question = analysed(&question.text);
                std::hint::black_box(index.search(&question, &settings)?);
            }
            let one = questions.len() as f64 / started.elapsed().as_secs_f64();
            let analysed: Vec<Question> = questions
                .iter()
                .map(|question| analysed(&question.text))
                .collect();
            let started = Instant::now();
            for question in &analysed {
                std::hint::black_box(index.search(question, &settings)?);
            }
            if round > 0 {
                ones.push(one);
                batches.push(questions.len() as f64 / started.elapsed().as_secs_f64());
            }
        }
        rates.push(Rates {
            name: format!("{name} (batch: analysed before)"),
            one: median(ones),
            batch: Some(median(batches)),
            versions: Versions::new(),
        });
    }
    Ok(rates)
}

fn analysed(text: &str) -> Question {
    analyse(text, Vec::new(), Mode::Bm25, Filter::default())
}

/// One source and one chunk for each document; the text repeats the title, as the peers index it.
fn build(root: &Path, documents: &[Record]) -> Result<(), BenchError> {
    let settings = WriterSettings {
        embedder_id: "none".to_owned(),
        dimension: 1,
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
            }],
            ..SourceEntry::default()
        })?;
    }
    generation.commit()?;
    Ok(())
}

fn read(path: &Path) -> Result<Vec<Record>, BenchError> {
    let text = fs::read_to_string(path).map_err(BenchError::io("read", path))?;
    let record = |line: &str| serde_json::from_str(line).map_err(|e| BenchError::io("read", path)(e.into()));
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(record)
        .collect()
}
