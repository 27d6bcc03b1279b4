//! The documents that `--format json` prints, and their JSON Schemas.

use contract::{
    Calibrate, DryRun, Eval, Evaluate, GroundTruth, JudgeAgreement, JudgeLine, JudgeReport, JudgeScore,
    LabelLine, LabelReport, Metrics, RunComparison, RunRejudged, RunRepeats, RunRows, Runs,
};
use engine::documents::{Ask, Parse, Search};
use lab::runs::RunQuestion;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use types::ErrorParts;

/// A document: its name, and what makes its schema.
pub(crate) type Document = (&'static str, fn() -> Schema);

/// Documents that `lab` does not list.
const OWN: [Document; 22] = [
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
    ("error", schema_of::<ErrorParts>),
];

/// Every document with its schema.
pub(crate) fn documents() -> impl Iterator<Item = Document> {
    OWN.into_iter().chain(lab::schemas::DOCUMENTS)
}

/// The schema of a type as it is written, not as it is read (JSON Schema, draft 2020-12).
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
        for (name, schema) in documents() {
            let schema = schema().to_value();
            assert!(jsonschema::meta::is_valid(&schema), "{name}");
            open_objects(&schema, name, &mut open);
        }
        assert_eq!(open, Vec::<String>::new());
    }
}
