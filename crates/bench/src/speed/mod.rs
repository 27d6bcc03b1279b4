//! `bench speed`: pages and tokens a second, each stage alone and the whole, interleaved with Python peers.

mod chunk;
mod embed;
pub(crate) mod machine;
mod parse;
mod peers;
mod report;
mod rounds;
pub(crate) mod sample;
mod whole;

pub(crate) use chunk::child as chunk_once;
pub(crate) use whole::child as ingest_once;

use crate::{args::Format, args::Speed, args::Task, error::BenchError, output, output::Outcome};
use engine::{
    natives::Natives,
    settings::{self, Loaded, Settings},
    stages,
};
use ingest::{Limits, WorkerCommand};
use peers::Peers;
use std::{fs, path::PathBuf};

/// What all measurements share.
struct Context {
    dir: PathBuf,
    files: Vec<PathBuf>,
    settings: Settings,
    overrides: Vec<String>,
    natives: Natives,
    command: WorkerCommand,
    limits: Limits,
    workers: usize,
    rounds: usize,
    embed_tokens: usize,
    peers: Option<Peers>,
}

/// Runs the command.
pub(crate) fn run(args: &Speed, format: Format) -> Result<Outcome, BenchError> {
    if cfg!(debug_assertions) {
        eprintln!("note: this is a debug build; its figures say nothing: cargo build --release -p bench");
    }
    let settings = Loaded::load(None, settings::environment()?, &args.overrides)?.settings;
    let natives = Natives::find(&settings);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let context = Context {
        dir: args.dir.clone(),
        files: files(args)?,
        command: engine::parse::worker_command(&natives)?,
        limits: stages::limits(&settings),
        workers: args.workers.unwrap_or(cores).max(1),
        rounds: args.rounds.max(1),
        embed_tokens: args.embed_tokens,
        overrides: args.overrides.clone(),
        peers: Peers::find(&args.python),
        settings,
        natives,
    };
    let machine = machine::describe();
    let wanted = |task: Task| args.tasks.is_empty() || args.tasks.contains(&task);
    let mut races = Vec::new();
    if wanted(Task::Parse) {
        races.push(parse::run(&context, "parsing, one process", 1)?);
        if context.workers > 1 {
            races.push(parse::run(
                &context,
                "parsing, a process for each core",
                context.workers,
            )?);
        }
    }
    if wanted(Task::Chunk) || wanted(Task::Embed) {
        let documents = parse::documents(&context);
        if wanted(Task::Chunk) {
            races.push(chunk::run(&context, &documents)?);
        }
        if wanted(Task::Embed) {
            races.push(embed::run(&context, &documents)?);
        }
    }
    let whole = if wanted(Task::Whole) {
        Some(whole::run(&context)?)
    } else {
        None
    };
    let report = report::Report {
        races: &races,
        whole: whole.as_ref(),
        machine: &machine,
        files: context.files.len(),
        rounds: context.rounds,
        load_after: machine::load(),
    };
    output::print(
        format,
        &report.json(),
        || report.tables(false),
        || report.tables(true),
    )?;
    Ok(Outcome::Done)
}

/// The PDFs of the folder, by name.
fn files(args: &Speed) -> Result<Vec<PathBuf>, BenchError> {
    let mut files: Vec<PathBuf> = fs::read_dir(&args.dir)
        .and_then(|entries| entries.map(|e| Ok(e?.path())).collect())
        .map_err(BenchError::io("read", &args.dir))?;
    files.retain(|f| f.extension().is_some_and(|e| e.eq_ignore_ascii_case("pdf")));
    files.sort();
    if files.is_empty() {
        return Err(BenchError::Nothing {
            path: args.dir.clone(),
            what: "no PDF",
        });
    }
    Ok(files)
}
