//! Arguments of `judge`.

use super::{Cost, at_least, modes, words};
use clap::{Args, Subcommand, builder::PossibleValuesParser};
use engine::settings::JudgeChoice;
use std::path::PathBuf;
use types::Mode;

/// The names of the judges: words, numbers, names and vectors; the configured language model.
const JUDGES: [&str; 2] = ["lexical", "llm"];

/// `judge`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
Each line of the input is a JSON object with
  id          a string or a number
  context     a string, or a list of strings: each claim needs the support of one of them
  response    the text to judge
  question    optional
All other fields, such as labels, are ignored. All invalid lines are reported before anything is
judged.

Each line of the output has id, faithful (1 or 0), score (estimated probability that a person would
call the response supported), grade (1 to 4), unsupported (a list of claims), judge and key. A line
without a verdict has error instead of faithful, score, grade and unsupported, and the exit code is
then 1.

With --output FILE, finished lines are kept when the run is interrupted. Run the same command again
to judge the missing lines and those with an error. Lines whose text has changed are judged again.

Examples:
  pipeline judge --input answers.jsonl --output verdicts.jsonl
  pipeline judge --input - < answers.jsonl
  pipeline judge measure labelled/ --judge lexical --judge llm
  pipeline judge label -k 50 --output labels.jsonl
  pipeline judge correct labels.jsonl
  pipeline judge agreement rater1.jsonl rater2.jsonl")]
pub(crate) struct Judge {
    #[command(subcommand)]
    pub(crate) command: Option<JudgeCommand>,
    /// Responses to judge, one JSON object per line; - for standard input
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) input: Option<PathBuf>,
    /// File for the verdicts, one JSON object per line; - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    /// The judge [default: the setting eval.judge]
    #[arg(long = "judge", value_parser = PossibleValuesParser::new(JUDGES), value_name = "JUDGE")]
    pub(crate) method: Option<String>,
    /// Score from which a claim counts as supported [default: the setting eval.support_threshold]
    #[arg(long, value_name = "SCORE")]
    pub(crate) threshold: Option<f32>,
    /// Number of responses judged concurrently [default: the setting eval.workers]
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    #[command(flatten)]
    pub(crate) cost: Cost,
    /// Replace the verdicts in the output file
    #[arg(long)]
    pub(crate) fresh: bool,
}

/// The commands of `judge`.
#[derive(Debug, Subcommand)]
pub(crate) enum JudgeCommand {
    /// Compare judges with human labels
    Measure(Measure),
    /// Sample answers of an evaluation for human labelling
    Label(Label),
    /// Correct the judge's mean of an evaluation with human labels
    #[command(alias = "label-report")]
    Correct(Correct),
    /// Measure how often people, or people and a judge, agree
    Agreement(Agreement),
}

/// `judge label`.
#[derive(Debug, Args)]
#[command(after_help = "\
The answers are drawn at random. Each line has the question, the answer, its claims and the passages,
but not the judge's verdict, which could influence the label. Set faithful to 1 if the cited
passages support every claim of the answer, else to 0; null means no label. Then run: pipeline judge
correct FILE")]
pub(crate) struct Label {
    /// The run log [default: the setting log.file]
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// The run: its id or the beginning of it, its name, or "latest" [default: latest]
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Retrieval mode of the answers [default: the first mode of the run]
    #[arg(long, value_parser = modes())]
    pub(crate) mode: Option<Mode>,
    /// Number of answers to draw
    #[arg(short = 'k', alias = "n", value_name = "N", default_value_t = 50, value_parser = at_least(1))]
    pub(crate) count: usize,
    /// File for the answers, one JSON object per line; - for standard output. An existing file is not replaced
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
}

/// `judge correct`.
#[derive(Debug, Args)]
#[command(after_help = "\
The share of faithful answers is estimated in three ways: by the judge alone; from the labels alone;
and from both. The third way is prediction-powered inference (Angelopoulos et al. 2023): it corrects
the judge's mean by its errors on the labelled answers. If the judge often agrees with the labels,
the corrected interval is shorter than that of the labels alone. If it does not, the judge is
ignored.")]
pub(crate) struct Correct {
    /// The file that `pipeline judge label` wrote, with labels filled in
    #[arg(value_name = "FILE")]
    pub(crate) labels: PathBuf,
    /// The run log that the answers were drawn from [default: the setting log.file]
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

/// `judge agreement`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each file has the ratings of one person or judge: JSON objects, one per line, with id and faithful
(1 or 0; null or absent: no rating). Files of `judge label` and of `judge --output` can be used. For
the intervals, items that share a context or a question are resampled together.")]
pub(crate) struct Agreement {
    /// Files with ratings, one for each person or judge
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Field with the rating: any text or number
    #[arg(long, value_name = "FIELD", default_value = "faithful")]
    pub(crate) field: String,
}

/// `judge measure`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each line of a file is a JSON object with id, context, response, optionally question, and faithful:
the label by a person, 1 (all claims supported) or 0. The judge does not see the label or any field
other than question, context and response. Each file is a set; all sets use the same threshold.

The report has for each set, and as the mean over sets: balanced accuracy; precision, recall and F1
of \"unsupported\"; AUC; Cohen's kappa; the Brier score; labels against verdicts; calibration.
Intervals are 95 %, from resampled clusters: rows that share a context, a question or a response.
With several judges, it also has their differences on the same rows, with intervals and a paired
randomisation test. Rows without a verdict are counted as errors and not scored; the exit code is
then 1.

Examples:
  pipeline judge measure labelled/
  pipeline judge measure labelled/ --judge lexical --judge llm --limit 40 --output-dir report
  pipeline judge measure mine.jsonl --examples 10")]
pub(crate) struct Measure {
    /// Files of labelled rows (.jsonl), or folders of such files
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The judge [default: the setting eval.judge]. Repeatable: judges are compared on the same rows
    #[arg(long = "judge", value_parser = words::<JudgeChoice>(JUDGES), value_name = "JUDGE")]
    pub(crate) judges: Vec<JudgeChoice>,
    /// Judge only N rows of each set, drawn at random by the setting eval.seed
    #[arg(long, value_name = "N", value_parser = at_least(1))]
    pub(crate) limit: Option<usize>,
    /// Score from which a claim counts as supported, in all sets [default: the setting eval.support_threshold]
    #[arg(long, value_name = "SCORE")]
    pub(crate) threshold: Option<f32>,
    /// Show the N most confident mistakes of each set: context, response, claims, scores and reasons
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) examples: usize,
    /// Number of rows judged concurrently [default: the setting eval.workers]
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    #[command(flatten)]
    pub(crate) cost: Cost,
    /// Folder for scores.jsonl and report.md
    #[arg(long, aliases = ["out", "output"], value_name = "DIR")]
    pub(crate) output_dir: Option<PathBuf>,
}
