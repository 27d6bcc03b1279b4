//! Benchmarks: how well papers are read, and how fast the stages run.
//!
//! `bench score-structure` compares what the reader makes of PDFs with the JATS that their publishers made of
//! the same papers. The program starts itself as the reader's worker process, as `pipeline` does.
//!
//! `bench speed` measures parsing, chunking, embedding and the whole, in turns with Python programs that do the
//! same work (`peers/`).
//!
//! `bench add-paper` measures what it takes to add one paper to an index that holds many, and `bench bm25` what a search
//! by BM25 takes there. `bench retrieval` measures searches beside Python programs, and indexes of up to a million chunks.
//! `bench support` prints what the offline judge measures of labelled claims, to fit its model on.
//!
//! It does not ship, holds no logic that a user's run needs, and changes nothing that it measures. Exit codes:
//! 0 done; 1 a negative result (a `--min` gate failed, a file's truth could not be read); 2 an error; a broken pipe
//! is no error.

mod add_paper;
mod args;
mod bm25;
mod error;
mod generated;
mod output;
mod raw_text;
mod retrieval;
mod speed;
mod structure;
mod support;
mod words;

use args::{Cli, Command};
use clap::Parser;
use error::BenchError;
use output::Outcome;
use std::{io, process::ExitCode};

fn main() -> ExitCode {
    let cli = Cli::parse();
    if matches!(cli.command, Command::Worker) {
        // Before anything else: the worker's standard output is a private pipe to its parent.
        return engine::worker_main();
    }
    let done = match cli.command {
        Command::ScoreStructure(args) => structure::run(&args, cli.format),
        Command::Speed(args) => speed::run(&args, cli.format),
        Command::AddPaper(args) => add_paper::run(&args, cli.format),
        Command::Bm25(args) => bm25::run(&args, cli.format),
        Command::Retrieval(args) => retrieval::run(&args, cli.format),
        Command::Support(args) => support::run(&args),
        Command::RetrievalStep(args) => retrieval::step(&args),
        Command::ChunkOnce => speed::chunk_once(),
        Command::IngestOnce(args) => speed::ingest_once(&args),
        Command::RawText(args) => raw_text::child(&args.library, &args.file),
        Command::Worker => Ok(Outcome::Done),
    };
    match done {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Negative) => ExitCode::from(1),
        Err(BenchError::Output { source }) if source.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
