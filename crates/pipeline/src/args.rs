//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use engine::Password;
use std::path::PathBuf;
use types::{Mode, SectionKind};

/// Answers questions from a folder of research papers, with a verbatim quote behind every claim, and measures
/// how far the answers can be trusted.
#[derive(Debug, Parser)]
#[command(name = "pipeline", version = concat!(env!("CARGO_PKG_VERSION")), max_term_width = 110)]
#[command(
    after_help = "Exit codes: 0 done; 1 a negative result (nothing found, no evidence, some files failed, a --min gate \
failed, doctor found a problem); 2 an error.\n\nStart with: pipeline ingest corpus/ && pipeline ask \"your question\""
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Settings: a TOML file, or the name of a preset (default, phase2).
    #[arg(long, global = true, value_name = "FILE|NAME", env = "PIPELINE_CONFIG")]
    pub(crate) config: Option<String>,
    /// One setting, for example --set retrieve.candidates=12; may be repeated.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Folder of the index [default: index].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) index: Option<PathBuf>,
    /// How results are printed on standard output.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// No progress and no notes on standard error; warnings and errors stay.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// Output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read papers into the index; unchanged files cost nothing.
    Ingest(Ingest),
    /// Show one document's structure, without indexing it.
    Parse(Parse),
    /// Show what retrieval finds, without an answer.
    Search(Search),
    /// Answer a question with citations.
    Ask(Ask),
    /// Answer a query set, score every row, and write a report.
    Eval(Eval),
    /// Turn a run log into the Phase report.
    Report(Report),
    /// Query sets.
    #[command(subcommand)]
    Queries(Queries),
    /// Look after the index: what it holds, whether it is whole, giving room back.
    #[command(subcommand, name = "index")]
    Index(IndexCommand),
    /// Check the installation, and say how to fix what is missing.
    Doctor,
    /// Settings.
    #[command(subcommand)]
    Config(Config),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Read PDFs for a parent process; not for people.
    #[command(hide = true, name = "worker")]
    Worker,
}

/// `ingest`.
#[derive(Debug, Args)]
pub(crate) struct Ingest {
    /// Papers (PDF, Markdown, text, JATS XML, BEIR corpus.jsonl), or folders that are walked. A manifest.csv in a
    /// folder corrects what is guessed of its papers.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Say what would be done with each file, and do nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Password for encrypted files; may be repeated, each is tried.
    #[arg(
        long = "password",
        value_name = "PASSWORD",
        env = "PIPELINE_PDF_PASSWORD",
        hide_env_values = true
    )]
    pub(crate) passwords: Vec<Password>,
    /// Try files again that failed before and have not changed since.
    #[arg(long)]
    pub(crate) retry_failed: bool,
    /// Remove a folder's papers from the index even when the folder is empty or missing. Without it, such a run is
    /// refused: the folder may be on a disk that is not mounted.
    #[arg(long)]
    pub(crate) prune_all: bool,
    /// Worker processes [default: one for each core].
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
}

/// `parse`.
#[derive(Debug, Args)]
pub(crate) struct Parse {
    /// A paper: PDF, Markdown, text, JATS XML, or a BEIR corpus.jsonl.
    pub(crate) file: PathBuf,
    /// Only the record of a corpus with this _id.
    #[arg(long, value_name = "ID")]
    pub(crate) record: Option<String>,
    /// Password for an encrypted file; may be repeated, each is tried.
    #[arg(
        long = "password",
        value_name = "PASSWORD",
        env = "PIPELINE_PDF_PASSWORD",
        hide_env_values = true
    )]
    pub(crate) passwords: Vec<Password>,
}

/// Which chunks may be found.
#[derive(Debug, Args)]
pub(crate) struct Filters {
    /// Only this source; may be repeated.
    #[arg(long = "source", value_name = "SOURCE_ID")]
    pub(crate) sources: Vec<String>,
    /// Only this section (abstract, methods, results, …); may be repeated.
    #[arg(long = "section", value_name = "SECTION")]
    pub(crate) sections: Vec<SectionKind>,
    /// Only papers of this year or later.
    #[arg(long, value_name = "YEAR")]
    pub(crate) year_from: Option<u16>,
    /// Only papers of this year or earlier.
    #[arg(long, value_name = "YEAR")]
    pub(crate) year_to: Option<u16>,
}

/// `search`.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The question.
    pub(crate) query: String,
    /// hybrid, vector or bm25 [default: the setting retrieve.mode].
    #[arg(long)]
    pub(crate) mode: Option<Mode>,
    /// Hits to show.
    #[arg(short = 'k', long, default_value_t = 10, value_name = "N")]
    pub(crate) count: usize,
    /// Show how each score came about.
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

/// `ask`.
#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The question.
    pub(crate) query: String,
    /// hybrid, vector or bm25 [default: the setting retrieve.mode].
    #[arg(long)]
    pub(crate) mode: Option<Mode>,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

/// The modes of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvalMode {
    /// BM25 and vectors.
    Hybrid,
    /// Vectors alone.
    Vector,
    /// BM25 alone.
    Bm25,
    /// Hybrid against vector, paired.
    Both,
}

/// `eval`.
#[derive(Debug, Args)]
pub(crate) struct Eval {
    /// What to evaluate.
    #[arg(long, value_enum, default_value_t = EvalMode::Both)]
    pub(crate) mode: EvalMode,
    /// The query set.
    #[arg(long, value_name = "FILE", default_value = "queries/eval.jsonl")]
    pub(crate) queries: PathBuf,
    /// Questions answered at once [default: the setting eval.workers].
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// Only the first N questions.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Folder for the report [default: logs/reports].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Fail with exit code 1 when a metric's mean is lower, for example --min faithful=0.9; may be repeated.
    #[arg(long = "min", value_name = "METRIC=VALUE")]
    pub(crate) gates: Vec<String>,
    /// Also ask six systems that are bad on purpose, in the first mode, and test whether each scores lower: does the
    /// query set tell good from bad? Answers the set three more times.
    #[arg(long)]
    pub(crate) controls: bool,
    /// Start over instead of resuming an unfinished run.
    #[arg(long)]
    pub(crate) fresh: bool,
}

/// `report`.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run log [default: the setting log.file].
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Only this run [default: the latest run in the log].
    #[arg(long, value_name = "RUN_ID")]
    pub(crate) run: Option<String>,
    /// The query set that the log's questions come from, for what a log does not hold.
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
    /// Folder for the report [default: standard output].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// `queries`.
#[derive(Debug, Subcommand)]
pub(crate) enum Queries {
    /// Check a query set against the index: its form, its papers, its gold quotes.
    Check {
        /// The query set.
        file: PathBuf,
    },
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
    /// Free disk space: remove older generations that no process has open, leftovers of killed runs, and unneeded cache
    /// entries.
    Compact {
        /// Also remove what an unfinished run has read and embedded.
        #[arg(long)]
        all: bool,
    },
}

/// `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Every setting, its value, and where the value came from.
    Show,
}
