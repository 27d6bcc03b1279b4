//! Cutting documents into chunks, on one thread.

use super::Context;
use super::rounds::{Contestant, Race, race};
use super::sample::{Sample, measure};
use crate::error::BenchError;
use ingest::{chunk, tokens};
use serde_json::{Value, json};
use types::Document;

/// Unit: tokens of the text of indexed sections, each counted once, whatever chunks share.
pub(super) fn run(context: &Context, documents: &[Document]) -> Result<Race, BenchError> {
    let settings = engine::stages::chunk_settings(&context.settings);
    let sections = || {
        documents
            .iter()
            .flat_map(|d| d.sections.iter().map(move |s| (d, s)))
    };
    let indexed = || sections().filter(|(_, s)| s.name.indexed());
    let all: u64 = indexed()
        .map(|(d, s)| tokens::count(d.section_text(s)) as u64)
        .sum();
    let mut contestants = vec![Contestant {
        name: "pipeline".to_owned(),
        run: Box::new(move || ours(documents, &settings, all)),
    }];
    if let Some(peers) = &context.peers {
        let prefix = |d: &Document, heading: &str| {
            format!("[Source: {} | Section: {heading} | Pages: 1-2]", d.meta.source_id)
        };
        let input: Vec<Value> = indexed()
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

fn ours(documents: &[Document], settings: &chunk::ChunkSettings, tokens: u64) -> Result<Sample, BenchError> {
    // Counts of pieces are remembered by thread: a new one knows as little as a new process. The table itself is
    // loaded before the clock runs, there as here.
    std::thread::scope(|scope| {
        let work = || {
            measure(|| {
                for document in documents {
                    std::hint::black_box(chunk::chunk(document, settings));
                }
                Ok((tokens, None))
            })
        };
        scope.spawn(work).join().map_err(|_| BenchError::Peer {
            script: "chunking".to_owned(),
            reason: "it panicked".to_owned(),
        })?
    })
}
