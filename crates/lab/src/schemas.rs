//! JSON Schemas (draft 2020-12) of the documents that are the results of a job itself.

use crate::benchmark::{
    answers::BenchAnswers, beir::BenchBeir, guardrails::BenchGuardrails, retrieval::RetrievalEval,
};
use crate::sweep::Sweep;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};

/// A document: its name, and what makes its schema.
pub type Document = (&'static str, fn() -> Schema);

/// Every document.
pub const DOCUMENTS: [Document; 5] = [
    ("retrieval", schema_of::<RetrievalEval>),
    ("bench-beir", schema_of::<BenchBeir>),
    ("bench-answers", schema_of::<BenchAnswers>),
    ("bench-guardrails", schema_of::<BenchGuardrails>),
    ("sweep", schema_of::<Sweep>),
];

/// The schema of a type as it is written, not as it is read.
fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<T>()
}
