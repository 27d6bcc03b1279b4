//! JSON Schemas (draft 2020-12) of the documents that `--format json` prints.

use crate::{
    benchmark::{beir::BenchBeir, retrieval::RetrievalEval},
    calibrate::Calibrated,
    draft::DraftedQueries,
    dry_run::DryRun,
    eval_run::Eval,
    evaluate_run::Evaluate,
    judge_check::JudgeCheck,
    judge_correct::JudgeCorrected,
    judge_run::JudgeLine,
    metrics::Metrics,
    runs::{RunQuestion, RunRejudged, RunRows, Runs},
    sweep::Sweep,
    verify::Verified,
};
use engine::{
    documents::{Ask, Parse, Search},
    indexer::{IngestSummary, SourceDetails, Sources},
    page::Page,
    per_paper::PaperTable,
};
use eval::stored::RunComparison;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use types::ErrorParts;

/// A document: its name, and what makes its schema.
pub type Document = (&'static str, fn() -> Schema);

/// Every document.
pub const DOCUMENTS: [Document; 27] = [
    ("ask", schema_of::<Ask>),
    ("ask-per-paper", schema_of::<PaperTable>),
    ("search", schema_of::<Search>),
    ("parse", schema_of::<Parse>),
    ("sources", schema_of::<Sources>),
    ("source", schema_of::<SourceDetails>),
    ("page", schema_of::<Page>),
    ("ingest", schema_of::<IngestSummary>),
    ("eval", schema_of::<Eval<'_>>),
    ("evaluate", schema_of::<Evaluate>),
    ("runs", schema_of::<Runs>),
    ("run-rows", schema_of::<RunRows>),
    ("run-question", schema_of::<RunQuestion>),
    ("run-comparison", schema_of::<RunComparison>),
    ("run-rejudged", schema_of::<RunRejudged>),
    ("dry-run", schema_of::<DryRun>),
    ("calibrate", schema_of::<Calibrated>),
    ("judge-line", schema_of::<JudgeLine>),
    ("judge-check", schema_of::<JudgeCheck>),
    ("judge-corrected", schema_of::<JudgeCorrected>),
    ("metrics", schema_of::<Metrics>),
    ("queries-draft", schema_of::<DraftedQueries>),
    ("error", schema_of::<ErrorParts>),
    ("retrieval", schema_of::<RetrievalEval>),
    ("bench-beir", schema_of::<BenchBeir<'_>>),
    ("sweep", schema_of::<Sweep>),
    ("verify", schema_of::<Verified>),
];

/// The schema of a type as it is written, not as it is read.
fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}
