//! Measures what must link the crates of the pipeline to be measured: stages of ingestion.
//!
//! Each of these commands does one piece of work once and prints one JSON document. `scripts/bench/` has the Python programs
//! that call it in turns with others that do the same work, and that print tables; `scripts/bench/structure.py` scores the
//! parser. `bench answers` and `bench support` print the rows that the models of sentences and of claims are fitted on.
//!
//! It does not ship, holds no logic that a user's run needs, and changes nothing that it measures. Exit codes: 0 done;
//! 2 an error; a broken pipe is no error.

mod answers;
mod error;
mod speed;
mod support;

use clap::{Args, Parser, Subcommand};
use error::BenchError;
use serde_json::Value;
use std::{io::ErrorKind, io::Write, path::PathBuf, process::ExitCode};

/// Measures stages of the pipeline; scripts/bench/ compares them with other programs.
#[derive(Debug, Parser)]
#[command(name = "bench", version, max_term_width = 110, after_help = "Exit codes: 0 done; 2 an error.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
enum Command {
    /// Parse the PDFs of a folder.
    Parse(Papers),
    /// Cut the PDFs of a folder into chunks, on one thread.
    Chunk(Papers),
    /// Embed texts of the PDFs of a folder.
    Embed(Papers),
    /// Print what other programs need to do the same as `chunk` and `embed`.
    PeerInput(Papers),
    /// Print the features of sentences for labelled questions, to fit the models of sentences on.
    Answers(answers::Answers),
    /// Print the features of the offline judge for labelled claims, to fit its model on.
    Support(support::Support),
    /// Read PDFs for a parent process; not for people.
    #[command(hide = true)]
    Worker,
}

/// PDFs, and how to read them.
#[derive(Debug, Args)]
pub(crate) struct Papers {
    /// A folder of PDFs.
    pub(crate) dir: PathBuf,
    /// Processes, or threads of the embedding model [default: one for each core].
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// Model tokens to embed, about.
    #[arg(long, default_value_t = 16_000, value_name = "N")]
    pub(crate) tokens: usize,
    /// One setting, for example --set embedding.model=DIR; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if matches!(cli.command, Command::Worker) {
        // Before anything else: the worker's standard output is a private pipe to its parent.
        return engine::worker_main();
    }
    if cfg!(debug_assertions) && !matches!(cli.command, Command::Support(_) | Command::Answers(_)) {
        eprintln!(
            "note: this is a debug build, so its times mean nothing: cargo build --release -p lab --example bench"
        );
    }
    let done = match &cli.command {
        Command::Parse(papers) => print(speed::parse(papers)),
        Command::Chunk(papers) => print(speed::chunk(papers)),
        Command::Embed(papers) => print(speed::embed(papers)),
        Command::PeerInput(papers) => print(speed::peer_input(papers)),
        Command::Answers(args) => block_on(answers::run(args)),
        Command::Support(args) => support::run(args),
        Command::Worker => Ok(()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(BenchError::Io { source, .. }) if source.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn block_on<T>(work: impl Future<Output = Result<T, BenchError>>) -> Result<T, BenchError> {
    let runtime = tokio::runtime::Runtime::new().map_err(BenchError::io("start", "the runtime"))?;
    runtime.block_on(work)
}

fn print(document: Result<Value, BenchError>) -> Result<(), BenchError> {
    let document = document?;
    writeln!(std::io::stdout().lock(), "{document}").map_err(BenchError::io("write", "standard output"))
}
