//! Arguments of `runs`.

use super::{Cost, Format, at_least, modes};
use clap::{
    Args, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use lab::runs::ExportFormat;
use std::path::PathBuf;
use types::Mode;

/// `runs`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
RUN is an id, the beginning of an id, a name given with `eval --name`, or \"latest\".
RUN:MODE means one mode of a run, for example latest:hybrid.

Examples:
  pipeline runs
  pipeline runs show latest --failed
  pipeline runs show latest Q7
  pipeline runs compare base latest
  pipeline runs compare latest:hybrid latest:vector
  pipeline runs rejudge latest --set eval.judge=llm --max-cost 2
  pipeline runs export latest --format csv --output rows.csv"
)]
pub(crate) struct Runs {
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,
    /// Show at most this many runs, the newest
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = at_least(1))]
    pub(crate) limit: usize,
    /// The run log [default: the setting log.file]
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

/// The commands of `runs`.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Show the rows of a run, or everything about one question
    Show(Show),
    /// Compare two runs, or two modes of one, question by question
    Compare(Compare),
    /// Judge the stored answers of a run again, without asking the questions again
    Rejudge(Rejudge),
    /// Export a run for other programs
    Export(Export),
}

/// `runs show`.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The run: id, beginning of an id, name, or "latest"
    pub(crate) run: String,
    /// The id of a question: show candidates, context, answer, verdicts and where evidence was lost
    #[arg(value_name = "QUESTION")]
    pub(crate) query: Option<String>,
    /// Show only this mode
    #[arg(long, value_parser = modes())]
    pub(crate) mode: Option<Mode>,
    /// Show only rows that failed, and why
    #[arg(long, conflicts_with = "query")]
    pub(crate) failed: bool,
    /// The run log [default: the setting log.file]
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

/// `runs compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Differences are the first run minus the second. p values are from two-sided paired tests (exact
McNemar for rates of independent questions, randomisation otherwise) over the questions that both runs
were asked, corrected with Holm's method for all metrics that can differ. Questions about the same
papers are treated together. Two runs of one mode each are compared whatever their modes.")]
pub(crate) struct Compare {
    /// The first run, or RUN:MODE
    pub(crate) first: String,
    /// The second run, or RUN:MODE
    pub(crate) second: String,
    /// The run log [default: the setting log.file]
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

/// `runs rejudge`.
#[derive(Debug, Args)]
#[command(after_help = "\
The judge is that of the settings: --set eval.judge=llm or lexical, and eval.judge_model. The
verdicts are stored as a new run, which names the run that it was judged from. If it is stopped, the
same command continues it.")]
pub(crate) struct Rejudge {
    /// The run, or RUN:MODE
    pub(crate) run: String,
    /// A name for the new run; at most 80 characters
    #[arg(long, value_name = "NAME", conflicts_with = "dry_run")]
    pub(crate) name: Option<String>,
    /// Start over instead of resuming
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) fresh: bool,
    /// Print the number of calls to language models, their tokens and their cost, and send them nothing
    #[arg(long, conflicts_with = "max_cost")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) cost: Cost,
    /// The run log that has the answers [default: the setting log.file]
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

/// `runs export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Formats:
  csv       a line for each question and mode: answer, failures, metrics; text that a
            spreadsheet would run as a formula starts with an apostrophe
  jsonl     the whole records, one a line, as `pipeline score` reads them
  trec      the papers that retrieval found, in six columns; name one mode with --mode
  ragas     user_input, response, retrieved_contexts, reference and ids, one JSON object a line
  html      the report as one page
  phase2    evaluation_report.json of the earlier system")]
pub(crate) struct Export {
    /// The run, or RUN:MODE
    pub(crate) run: String,
    // Of the same name and type as the global option, which it replaces here.
    /// The format
    #[arg(id = "format", long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) format: Format,
    /// Write to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Export only this mode
    #[arg(long, value_parser = modes())]
    pub(crate) mode: Option<Mode>,
    /// The run log [default: the setting log.file]
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

/// The formats of an export.
fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(ExportFormat::ALL.map(ExportFormat::as_str))
        .try_map(|name| Format::from_str(&name, false))
}
