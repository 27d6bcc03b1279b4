//! The JSON documents of eval, runs, evaluate, ground-truth and the judges, as serde types with a JSON Schema.
//!
//! `lab` fills them, a binary prints them. A document has exactly the keys of its type, in the order of the fields. Times
//! are in milliseconds. Pages count from 1.
//!
//! This crate has no logic, and does not read or print anything.

mod calibrate;
mod dry_run;
mod eval;
mod evaluate;
mod evaluate_metrics;
mod evaluation;
mod ground_truth;
mod judge;
mod label;
mod losses;
mod measured;
mod metrics;
mod reliability;
mod row;
mod runs;

pub use calibrate::{Calibrate, CalibratedHigh, CalibratedRefusals, HighAnswers};
pub use dry_run::{DryRun, DryRunPrice, DryRunStage};
pub use eval::Eval;
pub use evaluate::{
    AnswerRelevance, CitationQuality, Completeness, Correctness, Evaluate, EvaluateMean, EvaluateMetadata,
    EvaluateRow, EvaluateSummary, Evaluations, Faithfulness, Pass,
};
pub use evaluate_metrics::{EvaluateAgainst, EvaluateMetric, EvaluateMetrics, EvaluateTarget};
pub use evaluation::{
    Abstention, BaselineCheck, BaselineResult, Change, Check, Controls, Drop, Evaluation, Gate, Group,
    Latency, Outcome, Price, Provenance, SameCandidates, Setting,
};
pub use ground_truth::{GroundTruth, GroundTruthCandidate, GroundTruthKind};
pub use judge::{
    Estimated, JudgeBin, JudgeClaim, JudgeComparison, JudgeConfusion, JudgeDifference, JudgeExample,
    JudgeLabels, JudgeLine, JudgeOnSet, JudgeReport, JudgeResult, JudgeScore, JudgeSet, JudgeTime,
};
pub use label::{JudgeAgreement, LabelClaim, LabelLine, LabelReport, LabelSample, Rater, RaterPair};
pub use losses::{FailureMode, GoldPath, ModeFunnel, RemovedTerms, RiskCoverage, RiskPoint, StageGold};
pub use measured::{Comparison, MetricSummary};
pub use metrics::{Metric, MetricTarget, Metrics};
pub use reliability::{Reliability, ReliabilityBin};
pub use row::{Claim, Compared, Funnel, MissedGold, Row, Score};
pub use runs::{
    ModesCompared, RepeatedMetric, RepeatedMode, RunComparison, RunDifference, RunGold, RunInfo, RunListed,
    RunMeasured, RunMode, RunRejudged, RunRepeats, RunRow, RunRows, RunSide, Runs,
};
