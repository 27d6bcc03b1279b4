//! `pipeline schema`: prints JSON Schemas.

use crate::{
    args,
    printer::{Outcome, Printer},
};
use anyhow::Result;
use contract::Document;
use serde_json::{Map, Value};

/// Prints the schema of one document, or of all by name.
pub(super) fn run(printer: Printer, document: Option<args::Document>) -> Result<Outcome> {
    let schemas = match document {
        Some(document) => contract::schema(named(document)).to_value(),
        None => Value::Object(Map::from_iter(
            Document::ALL.map(|each| (each.as_str().to_owned(), contract::schema(each).to_value())),
        )),
    };
    printer.raw(&format!("{schemas:#}\n"))?;
    Ok(Outcome::Done)
}

fn named(document: args::Document) -> Document {
    match document {
        args::Document::Ask => Document::Ask,
        args::Document::Search => Document::Search,
        args::Document::Parse => Document::Parse,
        args::Document::Eval => Document::Eval,
        args::Document::Retrieval => Document::Retrieval,
        args::Document::Evaluate => Document::Evaluate,
        args::Document::Runs => Document::Runs,
        args::Document::RunRows => Document::RunRows,
        args::Document::RunQuestion => Document::RunQuestion,
        args::Document::RunComparison => Document::RunComparison,
        args::Document::RunRejudged => Document::RunRejudged,
        args::Document::RunRepeats => Document::RunRepeats,
        args::Document::DryRun => Document::DryRun,
        args::Document::BenchBeir => Document::BenchBeir,
        args::Document::BenchPassages => Document::BenchPassages,
        args::Document::BenchAnswers => Document::BenchAnswers,
        args::Document::BenchGuardrails => Document::BenchGuardrails,
        args::Document::Calibrate => Document::Calibrate,
        args::Document::JudgeLine => Document::JudgeLine,
        args::Document::JudgeReport => Document::JudgeReport,
        args::Document::JudgeScore => Document::JudgeScore,
        args::Document::LabelLine => Document::LabelLine,
        args::Document::LabelReport => Document::LabelReport,
        args::Document::JudgeAgreement => Document::JudgeAgreement,
        args::Document::Metrics => Document::Metrics,
        args::Document::Sweep => Document::Sweep,
        args::Document::GroundTruth => Document::GroundTruth,
        args::Document::Error => Document::Error,
    }
}
