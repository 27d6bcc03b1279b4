//! The documents of `schema`.

use clap::ValueEnum;

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
    // An evaluation of retrieval.
    Retrieval,
    // Answers of any system, scored.
    Evaluate,
    // The runs of a log.
    Runs,
    // The rows of a run.
    RunRows,
    // One question of a run.
    RunQuestion,
    // Two runs compared.
    RunComparison,
    // A run that was judged again.
    RunRejudged,
    // The same evaluation several times.
    RunRepeats,
    // What an evaluation would cost.
    DryRun,
    // A benchmark of retrieval.
    BenchBeir,
    // A benchmark of the passages that answer questions.
    BenchPassages,
    // A benchmark of answers.
    BenchAnswers,
    // What guardrails do to planted errors.
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
    // Descriptions of metrics.
    Metrics,
    // Combinations of settings, compared.
    Sweep,
    // A drafted query set, or passages to write questions for.
    GroundTruth,
    // An error.
    Error,
}
