//! The JSON documents of ask, search, parse, eval, runs, evaluate, sweep, ground-truth, the judges and the benchmarks, and of
//! errors, as serde types with a JSON Schema.
//!
//! `engine` fills them, a binary prints them; [`schema`] describes each (JSON Schema, draft 2020-12). A document has
//! exactly the keys of its type, in the order of the fields. Scores are those of the index: `vector_score` is
//! `max(0, cosine)` in `0..=1`, `bm25_score` the raw sum from 0 up. Times are in milliseconds. Pages count from 1.
//!
//! This crate has no logic, depends on none of the pipeline's own types, and does not read or print anything, so that a
//! change inside the pipeline cannot change a document unnoticed.

mod answer;
mod answers;
mod benchmark;
mod calibrate;
mod dry_run;
mod error;
mod eval;
mod evaluate;
mod evaluate_metrics;
mod evaluation;
mod ground_truth;
mod guardrails;
mod judge;
mod label;
mod losses;
mod measured;
mod metrics;
mod paper;
mod passage;
mod passages;
mod reliability;
mod retrieval;
mod row;
mod runs;
mod sweep;

pub use answer::{
    Ask, CheckedClaim, Citation, ContextPassage, FurtherSearch, GuardrailAction, Refusal, Retrieval,
    ReturnedChunk, Usage,
};
pub use answers::{AnswersBaseline, AnswersDecisions, BenchAnswers};
pub use benchmark::{BeirConfigured, BeirIndex, BeirMode, BeirModes, BenchBeir};
pub use calibrate::{Calibrate, CalibratedHigh, CalibratedRefusals, HighAnswers};
pub use dry_run::{DryRun, DryRunPrice, DryRunStage};
pub use error::Error;
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
pub use guardrails::{BenchGuardrails, GuardrailCounts, GuardrailTable};
pub use judge::{
    Estimated, JudgeBin, JudgeClaim, JudgeComparison, JudgeConfusion, JudgeDifference, JudgeExample,
    JudgeLabels, JudgeLine, JudgeOnSet, JudgeReport, JudgeResult, JudgeScore, JudgeSet, JudgeTime,
};
pub use label::{JudgeAgreement, LabelClaim, LabelLine, LabelReport, LabelSample, Rater, RaterPair};
pub use losses::{FailureMode, GoldPath, ModeFunnel, RemovedTerms, RiskCoverage, RiskPoint, StageGold};
pub use measured::{Comparison, MetricSummary};
pub use metrics::{Metric, MetricTarget, Metrics};
pub use paper::{Block, Corpus, Paper, Parse, RefusedLine, Section};
pub use passage::{
    Abbreviation, Explanation, FieldMatch, Filter, FilterOrigin, FilterOrigins, Hit, ListScore, RerankPlace,
    Reranking, Search, SearchExplanation, Source, Spelling, TermMatch, TermWeight, WindowMatch,
};
pub use passages::{
    BenchPassages, PassagesAgainst, PassagesComparison, PassagesGroup, PassagesIndex, PassagesLeftOut,
    PassagesNotLocated, PassagesSettings, PassagesSpeed, PassagesSystem, PassagesSystemName,
};
pub use reliability::{Reliability, ReliabilityBin};
pub use retrieval::{RetrievalEval, RetrievalMissed, RetrievalMode, RetrievalQuestion, RetrievalStages};
pub use row::{Claim, Compared, Funnel, MissedGold, Row, Score};
pub use runs::{
    ModesCompared, RepeatedMetric, RepeatedMode, RunAnswer, RunComparison, RunDifference, RunGold, RunInfo,
    RunListed, RunMeasured, RunMode, RunQuestion, RunRejudged, RunRepeats, RunRow, RunRows, RunSide, Runs,
};
pub use sweep::{
    Sweep, SweepAxis, SweepChoice, SweepCombination, SweepFold, SweepMetric, SweepStage, SweepValue,
};

use schemars::{JsonSchema, Schema, generate::SchemaSettings};

/// The documents, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    /// [`Ask`].
    Ask,
    /// [`Search`].
    Search,
    /// [`Parse`].
    Parse,
    /// [`Eval`].
    Eval,
    /// [`RetrievalEval`].
    Retrieval,
    /// [`Evaluate`].
    Evaluate,
    /// [`Runs`].
    Runs,
    /// [`RunRows`].
    RunRows,
    /// [`RunQuestion`].
    RunQuestion,
    /// [`RunComparison`].
    RunComparison,
    /// [`RunRejudged`].
    RunRejudged,
    /// [`RunRepeats`].
    RunRepeats,
    /// [`DryRun`].
    DryRun,
    /// [`BenchBeir`].
    BenchBeir,
    /// [`BenchPassages`].
    BenchPassages,
    /// [`BenchAnswers`].
    BenchAnswers,
    /// [`BenchGuardrails`].
    BenchGuardrails,
    /// [`Calibrate`].
    Calibrate,
    /// [`JudgeLine`].
    JudgeLine,
    /// [`JudgeReport`].
    JudgeReport,
    /// [`JudgeScore`].
    JudgeScore,
    /// [`LabelLine`].
    LabelLine,
    /// [`LabelReport`].
    LabelReport,
    /// [`JudgeAgreement`].
    JudgeAgreement,
    /// [`Metrics`].
    Metrics,
    /// [`Sweep`].
    Sweep,
    /// [`GroundTruth`].
    GroundTruth,
    /// [`Error`].
    Error,
}

impl Document {
    /// Every document.
    pub const ALL: [Self; 28] = [
        Self::Ask,
        Self::Search,
        Self::Parse,
        Self::Eval,
        Self::Retrieval,
        Self::Evaluate,
        Self::Runs,
        Self::RunRows,
        Self::RunQuestion,
        Self::RunComparison,
        Self::RunRejudged,
        Self::RunRepeats,
        Self::DryRun,
        Self::BenchBeir,
        Self::BenchPassages,
        Self::BenchAnswers,
        Self::BenchGuardrails,
        Self::Calibrate,
        Self::JudgeLine,
        Self::JudgeReport,
        Self::JudgeScore,
        Self::LabelLine,
        Self::LabelReport,
        Self::JudgeAgreement,
        Self::Metrics,
        Self::Sweep,
        Self::GroundTruth,
        Self::Error,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Search => "search",
            Self::Parse => "parse",
            Self::Eval => "eval",
            Self::Retrieval => "retrieval",
            Self::Evaluate => "evaluate",
            Self::Runs => "runs",
            Self::RunRows => "run-rows",
            Self::RunQuestion => "run-question",
            Self::RunComparison => "run-comparison",
            Self::RunRejudged => "run-rejudged",
            Self::RunRepeats => "run-repeats",
            Self::DryRun => "dry-run",
            Self::BenchBeir => "bench-beir",
            Self::BenchPassages => "bench-passages",
            Self::BenchAnswers => "bench-answers",
            Self::BenchGuardrails => "bench-guardrails",
            Self::Calibrate => "calibrate",
            Self::JudgeLine => "judge-line",
            Self::JudgeReport => "judge-report",
            Self::JudgeScore => "judge-score",
            Self::LabelLine => "label-line",
            Self::LabelReport => "label-report",
            Self::JudgeAgreement => "judge-agreement",
            Self::Metrics => "metrics",
            Self::Sweep => "sweep",
            Self::GroundTruth => "ground-truth",
            Self::Error => "error",
        }
    }
}

/// The JSON Schema of a document.
pub fn schema(document: Document) -> Schema {
    match document {
        Document::Ask => schema_of::<Ask>(),
        Document::Search => schema_of::<Search>(),
        Document::Parse => schema_of::<Parse>(),
        Document::Eval => schema_of::<Eval>(),
        Document::Retrieval => schema_of::<RetrievalEval>(),
        Document::Evaluate => schema_of::<Evaluate>(),
        Document::Runs => schema_of::<Runs>(),
        Document::RunRows => schema_of::<RunRows>(),
        Document::RunQuestion => schema_of::<RunQuestion>(),
        Document::RunComparison => schema_of::<RunComparison>(),
        Document::RunRejudged => schema_of::<RunRejudged>(),
        Document::RunRepeats => schema_of::<RunRepeats>(),
        Document::DryRun => schema_of::<DryRun>(),
        Document::BenchBeir => schema_of::<BenchBeir>(),
        Document::BenchPassages => schema_of::<BenchPassages>(),
        Document::BenchAnswers => schema_of::<BenchAnswers>(),
        Document::BenchGuardrails => schema_of::<BenchGuardrails>(),
        Document::Calibrate => schema_of::<Calibrate>(),
        Document::JudgeLine => schema_of::<JudgeLine>(),
        Document::JudgeReport => schema_of::<JudgeReport>(),
        Document::JudgeScore => schema_of::<JudgeScore>(),
        Document::LabelLine => schema_of::<LabelLine>(),
        Document::LabelReport => schema_of::<LabelReport>(),
        Document::JudgeAgreement => schema_of::<JudgeAgreement>(),
        Document::Metrics => schema_of::<Metrics>(),
        Document::Sweep => schema_of::<Sweep>(),
        Document::GroundTruth => schema_of::<GroundTruth>(),
        Document::Error => schema_of::<Error>(),
    }
}

/// The schema of a type as it is written, not as it is read.
fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Where an object with named keys allows others.
    fn open_objects(schema: &Value, path: &str, out: &mut Vec<String>) {
        match schema {
            Value::Object(keys) => {
                let closed = ["additionalProperties", "unevaluatedProperties"]
                    .iter()
                    .any(|key| keys.get(*key) == Some(&Value::Bool(false)));
                if keys.get("properties").is_some_and(Value::is_object) && !closed {
                    out.push(path.to_owned());
                }
                for (key, value) in keys {
                    open_objects(value, &format!("{path}/{key}"), out);
                }
            }
            Value::Array(values) => {
                for (at, value) in values.iter().enumerate() {
                    open_objects(value, &format!("{path}/{at}"), out);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn every_schema_is_valid_and_allows_no_other_keys() {
        let mut open = Vec::new();
        for document in Document::ALL {
            let schema = schema(document).to_value();
            assert!(jsonschema::meta::is_valid(&schema), "{}", document.as_str());
            open_objects(&schema, document.as_str(), &mut open);
        }
        assert_eq!(open, Vec::<String>::new());
    }
}
