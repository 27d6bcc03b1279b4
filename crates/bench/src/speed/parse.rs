//! Reading PDFs: ours with structure, through worker processes; PyMuPDF's dict and PDFium's text in Python.

use super::Context;
use super::rounds::{Contestant, Race, race};
use super::sample::{Sample, measure};
use crate::error::BenchError;
use ingest::{Job, WorkerPool};
use types::Document;

/// With as many processes as `workers`.
pub(super) fn run(context: &Context, work: &'static str, workers: usize) -> Result<Race, BenchError> {
    let mut contestants = vec![Contestant {
        name: "pipeline, with structure".to_owned(),
        run: Box::new(move || ours(context, workers)),
    }];
    let paths: Vec<String> = context
        .files
        .iter()
        .map(|f| f.to_string_lossy().into_owned())
        .collect();
    let input = serde_json::Value::from(paths).to_string();
    for (package, name) in [
        ("pymupdf", "PyMuPDF dict, no images"),
        ("pypdfium2", "pypdfium2 text"),
    ] {
        if let Some(peers) = &context.peers {
            let (args, input) = ([package.to_owned(), workers.to_string()], input.clone());
            contestants.push(Contestant {
                name: name.to_owned(),
                run: Box::new(move || peers.run("parse.py", &args, &input)),
            });
        }
    }
    race(work, "pages", context.rounds, contestants)
}

fn ours(context: &Context, workers: usize) -> Result<Sample, BenchError> {
    measure(|| {
        let (mut pages, mut peak) = (0, None);
        read(context, workers, |document, bytes| {
            pages += u64::from(document.pages);
            peak = peak.max(bytes);
        });
        Ok((pages, peak))
    })
}

/// The documents of all files that can be read, in the order of the files.
pub(super) fn documents(context: &Context) -> Vec<Document> {
    let mut documents = Vec::new();
    read(context, context.workers, |document, _| documents.push(document));
    documents.sort_by(|a, b| a.meta.source_id.cmp(&b.meta.source_id));
    documents
}

fn read(context: &Context, workers: usize, mut each: impl FnMut(Document, Option<u64>)) {
    let jobs: Vec<Job> = context.files.iter().cloned().enumerate().map(Job::from).collect();
    let pool = WorkerPool::new(context.command.clone(), context.limits, workers);
    pool.parse_all(jobs, |parsed| match parsed.outcome {
        Ok(document) => each(document, parsed.peak_bytes),
        Err(reason) => eprintln!("note: {} is not measured: {reason}", parsed.path.display()),
    });
}
