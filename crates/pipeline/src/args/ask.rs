//! Arguments of `ask` and `search`.

use super::{Cost, at_least, modes, sections};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use types::{Mode, SectionKind};

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
    /// The question
    #[arg(value_name = "QUESTION")]
    pub(crate) query: String,
    /// Retrieval mode [default: the setting retrieve.mode]
    #[arg(long, value_parser = modes())]
    pub(crate) mode: Option<Mode>,
    /// Number of hits to show
    #[arg(short = 'k', alias = "count", default_value_t = 10, value_name = "N", value_parser = at_least(1))]
    pub(crate) count: usize,
    /// Show why each hit has its rank: filter, weights, scores, matching terms, reranking
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

/// `ask`.
#[derive(Debug, Args)]
#[command(after_help = "\
With --file, an answer is printed for each line, and the exit code is 1 if one of them is a refusal
or failed. With --format json, the answers are a list. With --format bibtex, ris or csl, the cited
papers are printed for a reference manager, not the answer.

Examples:
  pipeline ask \"How long before tissue collection were the running wheels locked, and why?\"
  pipeline ask -k 10 --mode bm25 \"What did BRISKLINE find on telomere length?\"
  pipeline ask --file questions.txt --format json > answers.json
  pipeline ask --format bibtex \"Which trials measured VO2peak?\" > cited.bib
  pipeline ask --per-paper --file columns.txt --output table.csv")]
pub(crate) struct Ask {
    /// The question
    #[arg(value_name = "QUESTION", required_unless_present = "file", conflicts_with = "file")]
    pub(crate) query: Option<String>,
    /// Answer the questions of this file, one a line; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Ask the questions of --file of every paper by itself: a table with a row for each paper and a column for each question. A
    /// line may begin with the name of its column, as in "Sample size: How many people took part?"
    #[arg(long, requires = "file", conflicts_with_all = ["query", "include_context", "stream"])]
    pub(crate) per_paper: bool,
    /// Write that table to this file, as its ending says: .csv, .md, .html or .json
    #[arg(long, value_name = "FILE", requires = "per_paper")]
    pub(crate) output: Option<PathBuf>,
    /// Number of chunks to answer from, before their neighbours are added [default: the setting rerank.top_n]
    #[arg(short = 'k', value_name = "N", value_parser = at_least(1))]
    pub(crate) k: Option<usize>,
    /// Retrieval mode [default: the setting retrieve.mode]
    #[arg(long, value_parser = modes())]
    pub(crate) mode: Option<Mode>,
    /// Also print the full passages that the answer is based on
    #[arg(long)]
    pub(crate) include_context: bool,
    /// When to stream the model's unchecked draft to standard error (auto: on a terminal)
    #[arg(long, value_enum, default_value_t = Stream::Auto, value_name = "WHEN")]
    pub(crate) stream: Stream,
    /// How much a language model reads for an answer. small: 3 passages, about 2,000 tokens, for a model of 4 billion parameters
    /// on a laptop
    #[arg(long, value_enum, value_name = "SIZE", conflicts_with = "k")]
    pub(crate) budget: Option<Budget>,
    /// Print how many calls to language models an answer takes, with their tokens and cost; ask none
    #[arg(long, conflicts_with_all = ["per_paper", "include_context"])]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) cost: Cost,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

/// What a language model reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Budget {
    Small,
}

/// When a draft is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stream {
    // On a terminal, unless --quiet or another format than text is given.
    Auto,
    // Also into a file or a pipe.
    Always,
    // Only the final answer.
    Never,
}
