//! Arguments of `eval` and `report`.

use super::{Cost, Gates, Modes, at_least, share, words};
use clap::Args;
use std::path::PathBuf;

/// `eval`.
#[derive(Debug, Args)]
pub(crate) struct Eval {
    /// The modes to evaluate.
    #[arg(long, default_value = "both", value_parser = words::<Modes>(["hybrid", "vector", "bm25", "both"]))]
    pub(crate) mode: Modes,
    /// The query set.
    #[arg(long, value_name = "FILE", default_value = "queries/eval.jsonl")]
    pub(crate) queries: PathBuf,
    /// Number of questions answered concurrently [default: the setting eval.workers].
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// Run only the first N questions
    #[arg(long, value_name = "N", value_parser = at_least(1))]
    pub(crate) limit: Option<usize>,
    /// Folder for the report [default: logs/reports].
    #[arg(long, alias = "out", value_name = "DIR")]
    pub(crate) output_dir: Option<PathBuf>,
    /// A name for the run in the log, so that `runs` and `report` find it; at most 80 characters
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) gates: Gates,
    /// Test the query set and the judge, in the first mode: six systems with a deliberate fault should score
    /// significantly lower, and four kinds of answers that try to please the judge should not score
    /// significantly higher. Runs the query set three more times
    #[arg(long)]
    pub(crate) controls: bool,
    /// Compare with a run of the log (its id or the beginning of it, its name, or "latest"), or with a settings file or
    /// preset, which is then evaluated too: the same questions, mode by mode, with paired tests
    #[arg(long, value_name = "RUN|CONFIG")]
    pub(crate) against: Option<String>,
    /// Start over instead of resuming an unfinished run.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Print the number of calls to language models, their tokens and their cost, and send them nothing
    #[arg(long, conflicts_with_all = ["controls", "min", "max", "junit", "output_dir", "name", "against", "fresh", "max_cost"])]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) cost: Cost,
    // Last: its heading applies to all that follows.
    #[command(flatten)]
    pub(crate) retrieval: RetrievalOnly,
}

/// The part of `eval` without answers.
#[derive(Debug, Args)]
#[command(next_help_heading = "Retrieval without answers")]
pub(crate) struct RetrievalOnly {
    /// Measure which of the expected papers each question finds, and generate no answers. The expected papers are the query
    /// set's target_papers, or those of --qrels
    #[arg(
        id = "retrieval_only",
        long = "retrieval-only",
        conflicts_with_all = ["min", "max", "junit", "controls", "output_dir", "name", "against", "fresh", "dry_run", "workers", "max_cost"]
    )]
    pub(crate) on: bool,
    /// Relevance judgements in the format of BEIR (query-id, corpus-id, score); --queries then names the benchmark's
    /// queries.jsonl
    #[arg(long, value_name = "FILE", requires = "retrieval_only")]
    pub(crate) qrels: Option<PathBuf>,
    /// Exit with code 1 if the recall of any question is below this share of what k allows, 0 to 1. Ten results cannot
    /// contain 14 relevant documents: the highest recall is then 0.71
    #[arg(long, value_name = "SHARE", requires = "retrieval_only", value_parser = share)]
    pub(crate) min_recall: Option<f64>,
    /// Number of results that count, 1 to 100 [default: 10]
    #[arg(short, value_name = "N", requires = "retrieval_only", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) k: Option<u8>,
    /// Judged documents are relevant from this grade on [default: 1]
    #[arg(long, value_name = "GRADE", requires = "qrels", value_parser = clap::value_parser!(i32).range(1..))]
    pub(crate) min_grade: Option<i32>,
    /// Ask only the questions with these ids, separated by commas
    #[arg(long, value_name = "ID,ID", requires = "retrieval_only", value_delimiter = ',')]
    pub(crate) ids: Vec<String>,
    /// The questions, k, grade and gate of a published evaluation: "adr-013" (five questions of NFCorpus)
    #[arg(long, value_name = "NAME", requires = "qrels", conflicts_with = "ids")]
    pub(crate) preset: Option<String>,
}

/// `report`.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run log [default: the setting log.file]. Logs of the earlier system and its evaluation_report.json are supported
    /// too
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Report on this run: its id or the beginning of it, its name, or "latest" [default: latest]
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The query set of the run, for labels that are not in the log
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
    /// Write the Phase report: architecture, query set, metrics, results by question, failure cases, hybrid against vector,
    /// and lessons. Two runs of one mode each are compared
    #[arg(long)]
    pub(crate) phase: bool,
    #[command(flatten)]
    pub(crate) cost: Cost,
    /// Folder for the report [default: standard output].
    #[arg(long, alias = "out", value_name = "DIR")]
    pub(crate) output_dir: Option<PathBuf>,
}
