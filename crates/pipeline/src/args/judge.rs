//! Arguments of `judge`.

use super::Cost;
use clap::{Args, Subcommand, builder::PossibleValuesParser};
use std::path::{Path, PathBuf};

/// The names of the judges: words, numbers, names and vectors; the configured language model.
const JUDGES: [&str; 2] = ["lexical", "llm"];

/// `judge`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(override_usage = "pipeline judge [OPTIONS] <FILE>\n       pipeline judge <COMMAND>")]
#[command(after_help = "\
Each line of the input is a JSON object with
  id          a string or a number
  context     a string, or a list of strings: each claim needs the support of one of them
  response    the text to judge
  question    optional
All other fields, such as labels, are ignored. All invalid lines are reported before anything is
judged.

Each line of the output has id, supported (1 or 0), score (estimated probability that a person would
call the response supported), grade (1 to 4), unsupported (a list of claims) and judge. A line without
a verdict has error instead of supported, score, grade and unsupported, and the exit code is then 1.

Examples:
  pipeline judge answers.jsonl --output verdicts.jsonl
  pipeline judge - < answers.jsonl
  pipeline judge check labelled.jsonl
  pipeline judge correct labels.jsonl")]
pub(crate) struct Judge {
    #[command(subcommand)]
    pub(crate) command: Option<JudgeCommand>,
    /// Responses to judge, one JSON object per line; - for standard input
    #[arg(value_name = "FILE", required_unless_present = "former")]
    input: Option<PathBuf>,
    /// The same, as it was named before
    #[arg(long = "input", value_name = "FILE", hide = true, conflicts_with = "input")]
    former: Option<PathBuf>,
    /// File for the verdicts, one JSON object per line; - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) how: JudgedHow,
}

impl Judge {
    /// What to judge.
    pub(crate) fn input(&self) -> Option<&Path> {
        self.input.as_deref().or(self.former.as_deref())
    }

    /// How the command judges.
    pub(crate) fn how(&self) -> &JudgedHow {
        match &self.command {
            Some(JudgeCommand::Check(args)) => &args.how,
            _ => &self.how,
        }
    }
}

/// Which judge, and how it works.
#[derive(Debug, Args)]
pub(crate) struct JudgedHow {
    /// The judge [default: the setting eval.judge]
    #[arg(long = "judge", value_parser = PossibleValuesParser::new(JUDGES), value_name = "JUDGE")]
    pub(crate) method: Option<String>,
    /// Least score with which a claim, or the response, counts as supported [default: the setting eval.support_threshold]
    #[arg(long, value_name = "SCORE")]
    pub(crate) threshold: Option<f32>,
    /// Number of responses judged concurrently [default: the setting eval.workers]
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    #[command(flatten)]
    pub(crate) cost: Cost,
}

/// The commands of `judge`.
#[derive(Debug, Subcommand)]
pub(crate) enum JudgeCommand {
    /// Check the judge against human labels
    Check(JudgeCheck),
    /// Estimate the share of supported answers from the judge and a few human labels
    Correct(Correct),
}

/// `judge check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each line of the file is a JSON object with id, context, response, optionally question, and supported:
the label by a person, 1 (all claims supported) or 0; null means no label. The judge does not see the
label or any field other than question, context and response.

The result is balanced accuracy (chance is 0.5) and Cohen's kappa, with 95 % intervals from a cluster
bootstrap; a cluster is the rows that share a context, a question or a response. Rows without a verdict are counted as
errors and not scored; the exit code is then 1.

Examples:
  pipeline judge check labelled.jsonl
  pipeline judge check labelled.jsonl --judge llm --max-cost 1")]
pub(crate) struct JudgeCheck {
    /// The labelled responses, one JSON object per line
    #[arg(value_name = "LABELLED")]
    pub(crate) labelled: PathBuf,
    #[command(flatten)]
    pub(crate) how: JudgedHow,
}

/// `judge correct`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each line of the file is a JSON object with id (of a question of the run) and supported: 1 if the passages
that the answer was made from support every claim of it, else 0; null means no label. Draw the answers that you
label at random, and do not look at the judge's verdicts.

The share of supported answers is estimated in three ways: by the judge alone; from the labels alone;
and from both. The third way is prediction-powered inference (Angelopoulos et al. 2023): it corrects
the judge's mean by its errors on the labelled answers. If the judge often agrees with the labels,
the corrected interval is shorter than that of the labels alone. A judge that has nothing to do with
the labels gets a weight near 0.")]
pub(crate) struct Correct {
    /// The labels, one JSON object per line
    #[arg(value_name = "FILE")]
    pub(crate) labels: PathBuf,
    /// The run log [default: the setting log.file]
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// The run: its id or the beginning of it, its name, or "latest"; RUN:MODE for one of its modes (else the first)
    #[arg(long, value_name = "RUN", default_value = "latest")]
    pub(crate) run: String,
}
