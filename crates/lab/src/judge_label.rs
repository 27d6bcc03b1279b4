//! Answers of a run for a person to label.

mod answers;
mod report;

pub use report::{LabelReport, LabelReportRequest, label_report};

use crate::error::LabError;
use answers::Answers;
use engine::settings::Settings;
use eval::{agreement::sample_of, judge::Passage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::HashMap, path::PathBuf};
use types::{Mode, Reporter, RunRecord};

/// One line of the file that `judge label` writes: an answer for a person to label. It does not say what the judge found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LabelLine {
    /// The query.
    pub id: String,
    /// To be filled in: 1 if the passages that the answer cites support all of it, else 0.
    pub faithful: Option<Value>,
    /// The question.
    pub question: String,
    /// The answer with its citations.
    pub response: String,
    /// Its claims, each with what it cites.
    pub claims: Vec<LabelClaim>,
    /// The passages that the answer was made from, each with its id, its source and its text.
    pub context: Vec<String>,
    /// How the line was drawn.
    pub sample: LabelSample,
}

/// A claim and the passages that it cites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LabelClaim {
    /// The claim.
    pub claim: String,
    /// Ids of passages.
    pub cites: Vec<String>,
}

/// How a line was drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LabelSample {
    /// The run.
    pub run_id: String,
    /// The retrieval mode.
    pub mode: String,
    /// Seed of the sample.
    pub seed: u64,
}

/// Which answers to draw.
#[derive(Clone, Debug)]
pub struct LabelRequest {
    /// The run log; that of the settings when `None`.
    pub log: Option<PathBuf>,
    /// The run; the latest when `None`.
    pub run: Option<String>,
    /// The retrieval mode; the first of the run when `None`.
    pub mode: Option<Mode>,
    /// How many answers.
    pub count: usize,
}

/// Draws answers at random, in the order of the log.
///
/// # Errors
/// When the log cannot be read or changes meanwhile, the run is not in it, or no answer of it has a verdict of a judge.
pub fn label(
    settings: &Settings,
    request: &LabelRequest,
    reporter: &dyn Reporter,
) -> Result<Vec<LabelLine>, LabError> {
    let seed = settings.eval.seed;
    let path = request.log.as_ref().unwrap_or(&settings.log.file);
    let mode = request.mode.map(Mode::as_str);
    let answers = Answers::read(path, request.run.as_deref(), mode, reporter)?;
    if answers.rows.len() <= request.count {
        reporter.warn(&format!(
            "the run has only {} answers with a verdict; all of them are drawn",
            answers.rows.len()
        ));
    }
    let ids: Vec<String> = answers.rows.iter().map(|row| row.id.clone()).collect();
    let drawn: Vec<&String> = sample_of(&ids, request.count, seed).into_iter().map(|at| &ids[at]).collect();
    let mut lines: HashMap<String, LabelLine> = HashMap::new();
    answers.each_record(&mut |id, record| {
        if drawn.iter().any(|drawn| *drawn == id) {
            let sample = LabelSample { run_id: answers.run_id.clone(), mode: answers.mode.clone(), seed };
            lines.insert(id.to_owned(), line(id, record, sample));
        }
    })?;
    let found: Option<Vec<LabelLine>> = drawn.iter().map(|id| lines.remove(*id)).collect();
    found.ok_or_else(|| {
        LabError::Message(format!("{} changed while it was read; run the command again", path.display()))
    })
}

fn line(id: &str, record: &RunRecord, sample: LabelSample) -> LabelLine {
    let answer = &record.response.answer;
    let claims = support::claims(answer);
    let passage = |record: &types::ContextRecord| {
        let passage = Passage::from(record);
        format!("[{}] {}", passage.id, passage.whole())
    };
    LabelLine {
        id: id.to_owned(),
        faithful: None,
        question: record.query.clone(),
        response: answer.clone(),
        claims: claims
            .iter()
            .map(|claim| LabelClaim {
                claim: claim.text.clone(),
                cites: claim.cited.iter().map(ToString::to_string).collect(),
            })
            .collect(),
        context: record.context.iter().flatten().map(passage).collect(),
        sample,
    }
}
