//! Cutting documents into chunks, on one thread.

use super::Context;
use super::rounds::{Contestant, Race, race};
use super::sample::{Sample, measure, own_peak};
use crate::{error::BenchError, output::Outcome};
use ingest::{chunk::ChunkSettings, tokens};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    io::Write,
    process::{Command, Stdio},
};
use types::Document;

/// Unit: tokens of the text of indexed sections, each counted once, whatever chunks share.
pub(super) fn run(context: &Context, documents: &[Document]) -> Result<Race, BenchError> {
    let settings = engine::stages::chunk_settings(&context.settings);
    let told = Input {
        settings,
        documents: documents.to_vec(),
    };
    let told = serde_json::to_string(&told).map_err(std::io::Error::from)?;
    let mut contestants = vec![Contestant {
        name: "pipeline".to_owned(),
        run: Box::new(move || ours(&told)),
    }];
    if let Some(peers) = &context.peers {
        let prefix = |d: &Document, heading: &str| {
            format!("[Source: {} | Section: {heading} | Pages: 1-2]", d.meta.source_id)
        };
        let sections = documents
            .iter()
            .flat_map(|d| d.sections.iter().map(move |s| (d, s)));
        let input: Vec<Value> = sections
            .filter(|(_, s)| s.name.indexed())
            .map(|(d, s)| json!({ "prefix": prefix(d, &s.heading), "text": d.section_text(s) }))
            .collect();
        let input = Value::from(input).to_string();
        let args = [
            settings.max_tokens.to_string(),
            settings.overlap_tokens.to_string(),
        ];
        contestants.push(Contestant {
            name: "tiktoken in Python".to_owned(),
            run: Box::new(move || peers.run("chunk.py", &args, &input)),
        });
    }
    race(
        "chunking, one thread",
        "cl100k tokens",
        context.rounds,
        contestants,
    )
}

/// A new process for each round, as the peer is one: what token counts remember of words must not last.
fn ours(input: &str) -> Result<Sample, BenchError> {
    let failed = |reason: String| BenchError::Peer {
        script: "chunking".to_owned(),
        reason,
    };
    let mut child = Command::new(std::env::current_exe()?)
        .arg("chunk-once")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(input.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| failed(e.to_string()))
}

/// What the child is told.
#[derive(Serialize, Deserialize)]
struct Input {
    settings: ChunkSettings,
    documents: Vec<Document>,
}

/// The child's side: cuts documents and prints how long it took.
pub(crate) fn child() -> Result<Outcome, BenchError> {
    let input: Input = serde_json::from_reader(std::io::stdin().lock()).map_err(std::io::Error::from)?;
    // The table is loaded before the clock runs, as it is by the peer.
    tokens::count("loads the table");
    let mut sample = measure::<BenchError>(|| {
        for document in &input.documents {
            std::hint::black_box(ingest::chunk::chunk(document, &input.settings));
        }
        Ok((0, own_peak()))
    })?;
    let indexed = input
        .documents
        .iter()
        .flat_map(|d| d.sections.iter().map(move |s| (d, s)));
    let indexed = indexed.filter(|(_, s)| s.name.indexed());
    sample.units = indexed
        .map(|(d, s)| tokens::count(d.section_text(s)) as u64)
        .sum();
    let mut stdout = std::io::stdout().lock();
    serde_json::to_writer(&mut stdout, &sample).map_err(std::io::Error::from)?;
    stdout.flush()?;
    Ok(Outcome::Done)
}
