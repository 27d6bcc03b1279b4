//! Judges responses of any system.

use crate::{
    benchmark::check_output,
    error::LabError,
    evaluate_run::bytes,
    judging::{InOrder, judge_all, judge_alone},
};

use engine::{chat_models::ChatModels, settings::Settings};
use eval::judge::{JudgeItem, JudgeOutput};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use types::{Reporter, Stop, files::text_of, written::write_output};

/// One line of what `judge` writes: a verdict, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeLine {
    /// As in the input: a string or a number.
    pub id: Value,
    /// 1 if `score` reaches the threshold, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supported: Option<u8>,
    /// Estimated probability that a person would call the response supported, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// 4: all claims supported; 3: one is not; 2: several are not; 1: most are not, or one is contradicted, or there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<u8>,
    /// The unsupported claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<Vec<String>>,
    /// Why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The judge.
    pub judge: String,
}

/// What to judge.
#[derive(Clone, Debug)]
pub struct JudgeRequest {
    /// The responses, one JSON object a line; `None` for standard input.
    pub input: Option<PathBuf>,
    /// Where verdicts are written at the end; `None` to hand each one to the caller.
    pub output: Option<PathBuf>,
    /// The most that calls to language models may cost, in US dollars.
    pub max_cost: Option<f64>,
    /// Set by the caller to stop.
    pub stop: Stop,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgeTally {
    /// Rows of the input.
    pub rows: usize,
    /// Rows that are supported.
    pub supported: usize,
    /// Rows without a verdict.
    pub errors: usize,
    /// The judge's method, model and version.
    pub judge: String,
}

/// Judges the input with the judge of the settings. `print` gets each line, as JSON, where no output is named.
///
/// # Errors
/// When the input is wrong (all bad lines together, before any row is judged), the output cannot be written or is a file of
/// somebody, the user stopped the work, or no row can succeed until a setting is changed. A row that fails is a line, not an error.
pub async fn run(
    settings: &Settings,
    request: &JudgeRequest,
    reporter: &dyn Reporter,
    print: &mut dyn FnMut(&str) -> std::io::Result<()>,
) -> Result<JudgeTally, LabError> {
    let items = read(request.input.as_deref())?;
    if let Some(path) = &request.output {
        check_output(path)?;
    }
    let models = ChatModels::new(settings)?.with_budget(request.max_cost);
    let judge = judge_alone(settings, &models, reporter)?;
    let mut done = JudgeTally { rows: items.len(), judge: judge.id(), ..JudgeTally::default() };
    let mut written = String::new();
    let mut take = |at: usize, verdict: Result<JudgeOutput, String>| {
        let line = JudgeLine { id: items[at].id.clone(), judge: judge.id(), ..line_of(verdict) };
        done.errors += usize::from(line.error.is_some());
        done.supported += usize::from(line.supported == Some(1));
        let text = serde_json::to_string(&line)
            .map_err(|error| LabError::Message(format!("cannot write a verdict as JSON: {error}")))?;
        if request.output.is_some() {
            written += &(text + "\n");
            return Ok(());
        }
        print(&text).map_err(LabError::io("write", "standard output"))
    };
    let in_order = InOrder::new(settings, &request.stop, reporter);
    judge_all(&in_order, &*judge, &items.iter().collect::<Vec<_>>(), &mut take).await?;
    if let Some(path) = &request.output {
        write_output(path, &[written.as_bytes()]).map_err(LabError::io("write", path))?;
    }
    Ok(done)
}

/// The fields of a verdict, or of a failure.
fn line_of(verdict: Result<JudgeOutput, String>) -> JudgeLine {
    match verdict {
        Ok(output) => JudgeLine {
            supported: Some(u8::from(output.faithful)),
            score: Some(output.score),
            grade: Some(output.grade),
            unsupported: Some(output.unsupported()),
            ..JudgeLine::default()
        },
        Err(error) => JudgeLine { error: Some(error), ..JudgeLine::default() },
    }
}

fn read(input: Option<&Path>) -> Result<Vec<JudgeItem>, LabError> {
    let path = input.unwrap_or(Path::new("standard input"));
    let text = text_of(bytes(input)?).map_err(LabError::io("read", path))?;
    Ok(JudgeItem::parse_all(path, &text)?)
}
