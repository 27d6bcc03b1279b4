//! Arguments of `queries`.

use super::{Cost, at_least, share};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `queries`.
#[derive(Debug, Subcommand)]
pub(crate) enum Queries {
    /// Draft a query set from your papers with a language model
    Draft(Draft),
    /// Check a query set against the index: format, papers, gold quotes
    Check {
        /// The query set.
        file: PathBuf,
    },
    /// Show how many questions it takes to tell two systems apart
    #[command(after_help = "\
A paired test depends only on the questions on which the systems differ. The table shows how many
questions detect a difference between two rates (power 0.8, p < 0.05, one metric). Questions about
the same papers count for less. `runs compare --format json` says for each metric of two runs how
many more questions it needs (questions_needed).")]
    Plan {
        /// A query set: also say which difference it separates
        file: Option<PathBuf>,
        /// The difference of the rates. Repeatable
        #[arg(long = "difference", value_name = "SHARE", value_parser = share, default_values = ["0.02", "0.05", "0.1", "0.2"])]
        differences: Vec<f64>,
        /// The share of questions on which the systems differ. Repeatable
        #[arg(long = "discordant", value_name = "SHARE", value_parser = share, default_values = ["0.05", "0.1", "0.2", "0.4"])]
        shares: Vec<f64>,
    },
}

/// `queries draft`.
#[derive(Debug, Args)]
#[command(after_help = "\
The questions are drafts for a person to review: each row is tagged \"synthetic\" and \"unreviewed\". Every gold quote is
in its passage word for word. Drafts that fail a check are dropped, and the reasons are printed.

The file is written at the end. If the command stops earlier, run it again: it takes the language model's replies from the
cache. With --no-cache, or with llm.cache off, they are lost.

Examples:
  pipeline queries draft -k 40 --output queries/mine.jsonl --max-cost 2
  pipeline queries check queries/mine.jsonl
  pipeline queries draft --queries nfcorpus/queries.jsonl --qrels nfcorpus/qrels/test.tsv \\
    --preset adr-013 --output queries/adr-013.jsonl")]
pub(crate) struct Draft {
    /// Number of questions to draft [default: 20, or all questions of --queries]
    #[arg(short = 'k', value_name = "N", value_parser = at_least(1))]
    pub(crate) count: Option<usize>,
    /// Write the query set to this file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Share of questions that the papers should not answer, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.25, value_parser = share, conflicts_with = "queries")]
    pub(crate) unanswerable: f64,
    /// Choose passages by this seed; another seed gives other questions [default: the setting eval.seed]
    #[arg(long, value_name = "N", conflicts_with = "queries")]
    pub(crate) seed: Option<u64>,
    /// The most documents that a synthesis question, or with --queries an answer, is written from
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_least(1))]
    pub(crate) per_question: usize,
    /// Print the number of calls to language models, their tokens and their cost, and send them nothing
    #[arg(long, conflicts_with = "max_cost")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) cost: Cost,
    // Last: its heading applies to all that follows.
    #[command(flatten)]
    pub(crate) given: Given,
}

/// Questions that exist already.
#[derive(Debug, Args)]
#[command(next_help_heading = "Answers to given questions")]
pub(crate) struct Given {
    /// Draft only reference answers, for the questions of this query set, from their target_papers
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
    /// Relevance judgements in the format of BEIR (query-id, corpus-id, score); --queries then names the benchmark's
    /// queries.jsonl
    #[arg(long, value_name = "FILE", requires = "queries")]
    pub(crate) qrels: Option<PathBuf>,
    /// Judged documents are relevant from this grade on [default: 2]
    #[arg(long, value_name = "GRADE", requires = "qrels", value_parser = clap::value_parser!(i32).range(1..))]
    pub(crate) min_grade: Option<i32>,
    /// Only the questions with these ids, separated by commas
    #[arg(long, value_name = "ID,ID", requires = "queries", value_delimiter = ',')]
    pub(crate) ids: Vec<String>,
    /// The questions and the grade of a published evaluation: "adr-013" (five questions of NFCorpus)
    #[arg(long, value_name = "NAME", requires = "qrels", conflicts_with = "ids")]
    pub(crate) preset: Option<String>,
}
