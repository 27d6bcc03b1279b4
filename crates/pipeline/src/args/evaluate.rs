//! Arguments of `score`.

use super::{Cost, Gates, at_least, words};
use clap::Args;
use lab::evaluate_run::Format;
use std::path::PathBuf;

/// `score`.
#[derive(Debug, Args)]
#[command(after_help = "\
Five dimensions are scored from 0 to 1: faithfulness, answer relevance, citation quality,
completeness and, with a reference answer, correctness. The overall score is their weighted mean
(settings: [evaluate]). A reply of the judge that cannot be used is an error, never a score of 0.

The format of the file is detected: Ragas (JSON, JSON lines, CSV), DeepEval, rows of a Ragas service,
test results by id, a TREC run, the run log of pipeline, or documents of ask --format json. For other
files, name the keys with --map.

The metrics of `pipeline metrics` that the fields of the file allow are computed too; they need no
language model. --min and --max take their names, those of the rates (failure_rate, …), and overall and
overall_without_reference.

Exit code 1: a gate failed, or a row has no overall score because the judge failed. Run the same command again: replies
that the cache has are not asked for again.

Examples:
  pipeline score answers.jsonl
  pipeline score results.json --ground-truth truth.json --output scores.json
  pipeline score answers.jsonl --model gpt-4o-mini --max-cost 2
  pipeline score answers.csv --map question=prompt,response=output.text
  pipeline score answers.jsonl --min faithfulness.ci_low=0.85 --max failure_rate=0.1
  pipeline score ours.jsonl --against theirs-scores.json
  pipeline score run.trec --qrels qrels.txt")]
pub(crate) struct Evaluate {
    /// The answers; - for standard input
    #[arg(value_name = "FILE", required_unless_present = "test_results", conflicts_with = "test_results")]
    pub(crate) file: Option<PathBuf>,
    /// The same as FILE
    #[arg(long, alias = "test_results", value_name = "FILE", hide = true)]
    pub(crate) test_results: Option<PathBuf>,
    /// Write the scores to this file as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Reference answers by question ID, as JSON; enables correctness
    #[arg(long, alias = "ground_truth", value_name = "FILE")]
    pub(crate) ground_truth: Option<PathBuf>,
    /// Questions by question ID, for answers without their question: a query set, or JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
    /// Relevance judgements of a TREC run
    #[arg(long, value_name = "FILE")]
    pub(crate) qrels: Option<PathBuf>,
    /// Compare with the scores in this file, written before by --output: paired tests over the questions that both have
    #[arg(long, value_name = "SCORES")]
    pub(crate) against: Option<PathBuf>,
    /// Score only the first N rows
    #[arg(long, value_name = "N", value_parser = at_least(1))]
    pub(crate) limit: Option<usize>,
    /// Judge with this language model: the name of a section `[llm.NAME]`, or a model of the provider of `[llm]` [default: the
    /// setting eval.judge]
    #[arg(long, value_name = "NAME|MODEL")]
    pub(crate) model: Option<String>,
    /// Format of the answers [default: detected]
    #[arg(long, alias = "input_format", value_name = "FORMAT", value_parser = words::<Format>(Format::ALL.map(Format::as_str)))]
    pub(crate) input_format: Option<Format>,
    /// Of a run log, score this run: its id or the beginning of it, its name, or "latest" [default: the run of the last line]
    #[arg(long, value_name = "RUN", conflicts_with = "maps")]
    pub(crate) run: Option<String>,
    /// Read a field from this key, for example --map id=my_id,response=output.text. Repeatable
    #[arg(long = "map", value_name = "FIELD=KEY,...")]
    pub(crate) maps: Vec<String>,
    /// Number of rows judged concurrently [default: the setting eval.workers]
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// Print the number of calls to the language model, their tokens and their cost, and send it nothing
    #[arg(long, conflicts_with_all = ["output", "against", "max_cost", "min", "max", "junit"])]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) gates: Gates,
    #[command(flatten)]
    pub(crate) cost: Cost,
}
