//! The JSON documents of ask, search, parse, eval, runs, evaluate, ground-truth and the judges, and of errors, as serde types with
//! a JSON Schema. Those of sweep and the benchmarks are in `lab`.
//!
//! `engine` fills them, a binary prints them; [`DOCUMENTS`] describes each (JSON Schema, draft 2020-12). A document has
//! exactly the keys of its type, in the order of the fields. Scores are those of the index: `vector_score` is
//! `max(0, cosine)` in `0..=1`, `bm25_score` the raw sum from 0 up. Times are in milliseconds. Pages count from 1.
//!
//! This crate has no logic, depends on none of the pipeline's own types, and does not read or print anything, so that a
//! change inside the pipeline cannot change a document unnoticed.

mod answer;
mod calibrate;
mod dry_run;
mod error;
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
mod paper;
mod passage;
mod reliability;
mod row;
mod runs;

pub use answer::{
    Ask, CheckedClaim, Citation, ContextPassage, FurtherSearch, GuardrailAction, Refusal, Retrieval,
    ReturnedChunk, Usage,
};
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
pub use reliability::{Reliability, ReliabilityBin};
pub use row::{Claim, Compared, Funnel, MissedGold, Row, Score};
pub use runs::{
    ModesCompared, RepeatedMetric, RepeatedMode, RunAnswer, RunComparison, RunDifference, RunGold, RunInfo,
    RunListed, RunMeasured, RunMode, RunQuestion, RunRejudged, RunRepeats, RunRow, RunRows, RunSide, Runs,
};

use schemars::{JsonSchema, Schema, generate::SchemaSettings};

/// A document: its name, and what makes its schema.
pub type Document = (&'static str, fn() -> Schema);

/// Every document.
pub const DOCUMENTS: [Document; 22] = [
    ("ask", schema_of::<Ask>),
    ("search", schema_of::<Search>),
    ("parse", schema_of::<Parse>),
    ("eval", schema_of::<Eval>),
    ("evaluate", schema_of::<Evaluate>),
    ("runs", schema_of::<Runs>),
    ("run-rows", schema_of::<RunRows>),
    ("run-question", schema_of::<RunQuestion>),
    ("run-comparison", schema_of::<RunComparison>),
    ("run-rejudged", schema_of::<RunRejudged>),
    ("run-repeats", schema_of::<RunRepeats>),
    ("dry-run", schema_of::<DryRun>),
    ("calibrate", schema_of::<Calibrate>),
    ("judge-line", schema_of::<JudgeLine>),
    ("judge-report", schema_of::<JudgeReport>),
    ("judge-score", schema_of::<JudgeScore>),
    ("label-line", schema_of::<LabelLine>),
    ("label-report", schema_of::<LabelReport>),
    ("judge-agreement", schema_of::<JudgeAgreement>),
    ("metrics", schema_of::<Metrics>),
    ("ground-truth", schema_of::<GroundTruth>),
    ("error", schema_of::<Error>),
];

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
        for (name, schema) in DOCUMENTS {
            let schema = schema().to_value();
            assert!(jsonschema::meta::is_valid(&schema), "{name}");
            open_objects(&schema, name, &mut open);
        }
        assert_eq!(open, Vec::<String>::new());
    }
}
