//! The whole: from a folder of PDFs to an index, cold, in a process of its own.

use super::Context;
use super::sample::Sample;
use crate::{args::IngestOnce, error::BenchError, output::Outcome};
use engine::{
    EngineError,
    indexer::IngestRequest,
    settings::{self, Loaded},
};
use serde_json::Value;
use std::{
    io::Write,
    process::{Command, Stdio},
    time::Instant,
};
use types::Silent;

/// One ingestion, and its own account of it.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) sample: Sample,
    pub(super) summary: Value,
}

/// Runs one in a child of this program, whose peak of memory is then that of ingestion alone.
pub(super) fn run(context: &Context) -> Result<Whole, BenchError> {
    let failed = |reason: String| BenchError::Peer {
        script: "ingest".to_owned(),
        reason,
    };
    let index = tempfile::tempdir()?;
    let program = std::env::current_exe()?;
    let mut command = Command::new(program);
    command
        .arg("ingest-once")
        .arg(&context.dir)
        .arg(index.path().join("index"));
    for set in &context.overrides {
        command.args(["--set", set]);
    }
    let started = Instant::now();
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    let seconds = started.elapsed().as_secs_f64();
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    let summary: Value = serde_json::from_slice(&output.stdout).map_err(|e| failed(e.to_string()))?;
    let number = |key: &str| summary.get(key).and_then(Value::as_u64);
    let sample = Sample {
        seconds,
        units: number("pages_read").unwrap_or(0),
        peak_bytes: number("peak_bytes"),
        ..Sample::default()
    };
    Ok(Whole { sample, summary })
}

/// The child's side: ingests and prints the summary.
pub(crate) fn child(args: &IngestOnce) -> Result<Outcome, BenchError> {
    let mut settings = Loaded::load(None, settings::environment()?, &args.overrides)?.settings;
    settings.index.dir.clone_from(&args.index);
    let request = IngestRequest {
        paths: vec![args.dir.clone()],
        ..IngestRequest::default()
    };
    let summary = engine::indexer(&settings)
        .ingest(&request, &Silent)
        .map_err(EngineError::from)?;
    let mut stdout = std::io::stdout().lock();
    serde_json::to_writer(&mut stdout, &summary).map_err(std::io::Error::from)?;
    stdout.flush()?;
    Ok(Outcome::Done)
}
