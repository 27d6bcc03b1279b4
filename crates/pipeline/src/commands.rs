//! One module for each command: calls the engine, shapes the output.

mod ask;
mod bench;
mod calibrate;
mod calls;
mod config;
mod demo;
mod doctor;
mod draft;
mod eval;
mod evaluate;
mod gates;
mod index;
mod ingest;
mod interrupt;
mod judge;
mod man;
mod mcp;
mod metrics;
mod parse;
mod queries;
mod references;
mod report;
mod runs;
mod schema;
mod search;
mod serve;
mod setup;
pub(crate) mod skill;
mod sources;
mod sweep;
mod verify;

pub(crate) use interrupt::end;

use crate::{
    args::{
        self, Ask, Cli, Command, Config, Filters, Format, Global, JudgeCommand, RunsCommand, Search,
        SourcesCommand,
    },
    printer::{Outcome, Printer},
    progress::Bars,
};
use anyhow::{Result, bail};
use engine::settings::{Loaded, Settings};
use std::path::{Path, PathBuf};
use types::{Reporter as _, SourceId};

/// What every command gets.
struct App {
    settings: Settings,
    loaded: Loaded,
    printer: Printer,
    reporter: Bars,
    verbose: bool,
    /// The folder of `--index`.
    index: Option<PathBuf>,
    /// The last layer of the settings.
    overrides: Vec<String>,
}

/// Runs a command.
pub(crate) async fn run(cli: Cli) -> Result<Outcome> {
    let printer = Printer::new(&cli.global);
    match &cli.command {
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut args::command(), "pipeline", &mut script);
            return printer.text(&String::from_utf8_lossy(&script));
        }
        Command::Schema { document } => return schema::run(printer, document.as_deref()),
        Command::Man { output_dir } => return man::run(printer, output_dir.as_deref()),
        Command::Skill(args) => return skill::run(printer, args.output_dir.as_deref()),
        _ => {}
    }
    let exports =
        matches!(&cli.command, Command::Runs(args) if matches!(args.command, Some(RunsCommand::Export(_))));
    let cites = match &cli.command {
        Command::Ask(args) => !args.per_paper && !args.dry_run,
        Command::Sources(args) => {
            matches!(args.command, None | Some(SourcesCommand::List | SourcesCommand::Show { .. }))
        }
        _ => false,
    };
    let known = match cli.global.format {
        format if format.is_general() => true,
        format if format.style().is_some() => cites,
        _ => exports,
    };
    if !known {
        anyhow::bail!(
            "this command does not support that --format\nhint: use text, markdown or json; ask and papers also support bibtex, ris and csl; \
             runs export has formats of its own"
        );
    }
    if cli.global.format == Format::Markdown && !has_markdown(&cli.command) {
        anyhow::bail!(
            "this command has no Markdown output\nhint: use --format text or --format json; ask, search, eval, \
             score, report, runs, sweep, judge check and metrics have --format markdown too"
        );
    }
    let overrides = overrides(&cli.global, &cli.command);
    let mut loaded = load(cli.global.config.as_deref(), &overrides)?;
    match &cli.command {
        Command::Config(Config::Show { key, all, changed }) => {
            return config::show(&loaded, printer, key.as_deref(), config::Which::of(*all, *changed));
        }
        Command::Ask(args) => loaded = loaded.with(&ask::changes(&loaded.settings, args))?,
        _ => {}
    }
    let app = App {
        settings: loaded.settings.clone(),
        loaded,
        printer,
        reporter: Bars::new(cli.global.quiet),
        verbose: cli.global.verbose,
        index: cli.global.index,
        overrides,
    };
    let reporter = app.reporter.clone();
    engine::on_warning(move |message| reporter.warn(message));
    app.describe();
    match cli.command {
        Command::Ingest(args) => ingest::run(&app, &args),
        Command::Parse(args) => parse::run(&app, &args),
        Command::Search(args) => search::run(&app, &args).await,
        Command::Ask(args) => ask::run(&app, &args).await,
        Command::Eval(args) => eval::run(&app, &args).await,
        Command::Evaluate(args) => evaluate::run(&app, &args).await,
        Command::Report(args) => report::run(&app, &args).await,
        Command::Runs(args) => runs::run(&app, &args).await,
        Command::Bench(args) => bench::run(&app, &args).await,
        Command::Calibrate(args) => calibrate::run(&app, &args).await,
        Command::Sweep(args) => sweep::run(&app, &args).await,
        Command::Judge(args) => judge::run(&app, &args).await,
        Command::Verify(args) => verify::run(&app, &args).await,
        Command::Metrics { name } => metrics::run(&app, name.as_deref()),
        Command::Queries(args) => queries::run(&app, &args).await,
        Command::Index(args) => index::run(&app, &args),
        Command::Sources(args) => sources::run(&app, &args),
        Command::Serve(args) => serve::run(&app, &args).await,
        Command::Mcp(args) => mcp::run(&app, &args).await,
        Command::Setup(args) => setup::run(&app, &args).await,
        Command::Doctor(args) => doctor::run(&app, &args).await,
        Command::Demo(args) => demo::run(&app, &args).await,
        Command::Config(_)
        | Command::Schema { .. }
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Skill(_)
        | Command::Worker { .. } => Ok(Outcome::Done),
    }
}

/// Whether the command has Markdown output.
fn has_markdown(command: &Command) -> bool {
    match command {
        Command::Ask(_)
        | Command::Search(_)
        | Command::Report(_)
        | Command::Sweep(_)
        | Command::Verify(_)
        | Command::Metrics { .. } => true,
        Command::Judge(args) => matches!(&args.command, Some(JudgeCommand::Check(_))),
        Command::Eval(args) => !args.retrieval.on && !args.dry_run,
        Command::Evaluate(args) => !args.dry_run,
        Command::Runs(args) => !matches!(&args.command, Some(RunsCommand::Rejudge(args)) if args.dry_run),
        _ => false,
    }
}

impl App {
    /// The indexer of the index that the settings name.
    fn indexer(&self) -> engine::indexer::Indexer {
        engine::indexer(&self.settings)
    }

    /// With `--verbose`: version, folders, and every setting that is not the default.
    fn describe(&self) {
        if !self.verbose {
            return;
        }
        let note = |text: &str| self.reporter.note(text);
        note(&format!("pipeline {}", *crate::args::VERSION));
        note(&format!("index {}", self.settings.index.dir.display()));
        match engine::natives::Natives::find(&self.settings).folder() {
            Ok(folder) => note(&format!("natives {}", folder.display())),
            Err(error) => note(&error.to_string()),
        }
        let set = self.loaded.layers.entries();
        for (key, value, origin) in set.filter(|(_, _, origin)| !origin.is_default()) {
            note(&format!("{key} = {value} ({origin})"));
        }
    }
}

/// The settings of a file or preset, under these overrides.
fn load(config: Option<&str>, overrides: &[String]) -> Result<Loaded> {
    Ok(Loaded::load(config, engine::settings::environment()?, overrides)?)
}

/// The last layer of the settings: `--set`, and the flags that set one of them.
fn overrides(global: &Global, command: &Command) -> Vec<String> {
    let mut overrides = global.overrides.clone();
    let mut flag = |key: &str, value: Option<String>| overrides.extend(value.map(|v| format!("{key}={v}")));
    flag("index.dir", global.index.as_deref().map(text));
    flag("llm.cache", global.no_cache.then(|| "off".to_owned()));
    match command {
        Command::Ingest(args) => flag("ingest.workers", args.workers.map(|n| n.to_string())),
        Command::Eval(args) => flag("log.reports", args.output_dir.as_deref().map(text)),
        Command::Judge(args) => flag("eval.judge", args.how().method.clone()),
        Command::Search(Search { mode, filters, .. }) | Command::Ask(Ask { mode, filters, .. }) => {
            flag("retrieve.mode", mode.map(|m| m.to_string()));
            let off = filters.explicit_only.then(|| "false".to_owned());
            flag("question.filters", off);
        }
        _ => {}
    }
    let (workers, threshold) = match command {
        Command::Eval(args) => (args.workers, None),
        Command::Evaluate(args) => (args.workers, None),
        Command::Sweep(args) => (args.workers, None),
        Command::Judge(args) => (args.how().workers, args.how().threshold),
        _ => (None, None),
    };
    flag("eval.workers", workers.map(|n| n.to_string()));
    flag("eval.support_threshold", threshold.map(|score| score.to_string()));
    overrides
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl Filters {
    fn to_filter(&self) -> Result<types::Filter> {
        let years = self.year_from.zip(self.year_to);
        if let Some((from, to)) = years.filter(|(from, to)| from > to) {
            bail!("--year-from {from} is later than --year-to {to}; swap the two years");
        }
        let sources: Vec<SourceId> = self.sources.iter().map(|s| SourceId::from(s.as_str())).collect();
        Ok(types::Filter {
            sources: (!sources.is_empty()).then_some(sources),
            sections: (!self.sections.is_empty()).then(|| self.sections.clone()),
            year_from: self.year_from,
            year_to: self.year_to,
            tags: (!self.tags.is_empty()).then(|| self.tags.clone()),
        })
    }
}
