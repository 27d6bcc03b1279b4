//! Judges responses of any system.

pub use crate::judging::JudgeLine;
use crate::{
    error::LabError,
    evaluate_run::bytes,
    judging::{InOrder, ResumedFile, judge_all, judge_of},
};

use engine::settings::Settings;
use eval::{
    Remains,
    judge::{JudgeItem, JudgeOutput},
};
use std::path::{Path, PathBuf};
use types::{Reporter, Stop, files::text_of};

/// What to judge.
#[derive(Clone, Debug)]
pub struct JudgeRequest {
    /// The responses, one JSON object a line; `None` for standard input.
    pub input: Option<PathBuf>,
    /// Where verdicts are written; `None` to hand each one to the caller.
    pub output: Option<PathBuf>,
    /// Whether to judge again what the output has verdicts for.
    pub fresh: bool,
    /// The most that calls to language models may cost, in US dollars.
    pub max_cost: Option<f64>,
    /// Set by the caller to stop.
    pub stop: Stop,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Rows of the input.
    pub rows: usize,
    /// Rows whose verdicts are from an earlier run.
    pub resumed: usize,
    /// Rows that are faithful.
    pub faithful: usize,
    /// Rows without a verdict.
    pub errors: usize,
    /// The judge's method, model and version.
    pub judge: String,
}

/// Judges the input with the judge of the settings. `print` gets each line where no output is named.
///
/// # Errors
/// When the input is wrong (all bad lines together, before any row is judged), the output cannot be written or is of another
/// judge, the user stopped the work, or no row can succeed until a setting is changed. A row that fails is a line, not an error.
pub async fn run(
    settings: &Settings,
    request: &JudgeRequest,
    reporter: &dyn Reporter,
    print: &mut dyn FnMut(&JudgeLine) -> std::io::Result<()>,
) -> Result<Judged, LabError> {
    let items = read(request.input.as_deref())?;
    let judge = judge_of(settings, request.max_cost, reporter)?;
    let tau = f64::from(settings.eval.support_threshold);
    let id = judge.id();
    let mut output = match &request.output {
        Some(path) => Some(ResumedFile::open(path, request.fresh, reporter)?),
        None => None,
    };
    if let (Some(output), Some(path)) = (&output, &request.output) {
        check_judge(output, path, &id)?;
    }
    let keys: Vec<String> = items.iter().map(|item| item.key(&id, tau)).collect();
    let open: Vec<usize> = (0..items.len())
        .filter(|at| {
            let name = items[*at].id.to_string();
            let file = output.as_ref();
            file.is_none_or(|file| file.verdict(&name, &keys[*at]).is_none())
        })
        .collect();
    let mut rows = InOrder::new(settings, &request.stop, reporter);
    if output.is_some() {
        rows.remains = Remains::Work;
    }
    let wanted: Vec<&JudgeItem> = open.iter().map(|at| &items[*at]).collect();
    let mut done = Judged {
        rows: items.len(),
        resumed: items.len() - open.len(),
        judge: id.clone(),
        ..Judged::default()
    };
    let mut take = |row: usize, verdict: Result<JudgeOutput, String>| {
        let at = open[row];
        let line = JudgeLine {
            id: items[at].id.clone(),
            judge: id.clone(),
            key: keys[at].clone(),
            ..verdict_line(verdict.as_ref())
        };
        if let Some(file) = &mut output {
            return file.append(line);
        }
        done.count(&line);
        print(&line).map_err(LabError::io("write", "standard output"))
    };
    judge_all(&rows, &*judge, &wanted, &mut take).await?;
    if let Some(file) = output {
        let order: Vec<String> = items.iter().map(|item| item.id.to_string()).collect();
        let lines = file.finish(&order)?;
        let own: std::collections::HashSet<&String> = order.iter().collect();
        for line in lines.iter().filter(|line| own.contains(&line.id.to_string())) {
            done.count(line);
        }
    }
    Ok(done)
}

impl Judged {
    fn count(&mut self, line: &JudgeLine) {
        self.errors += usize::from(line.error.is_some());
        self.faithful += usize::from(line.faithful == Some(1));
    }
}

/// The fields of a verdict, or of a failure.
fn verdict_line(verdict: Result<&JudgeOutput, &String>) -> JudgeLine {
    match verdict {
        Ok(output) => JudgeLine {
            faithful: Some(u8::from(output.faithful)),
            score: Some(output.score),
            grade: Some(output.grade),
            unsupported: Some(output.unsupported()),
            ..JudgeLine::default()
        },
        Err(error) => JudgeLine { error: Some(error.clone()), ..JudgeLine::default() },
    }
}

/// # Errors
/// When the file has verdicts of another judge.
fn check_judge(file: &ResumedFile, path: &Path, judge: &str) -> Result<(), LabError> {
    match file.lines().iter().find(|line| line.judge != judge) {
        Some(other) => Err(LabError::Message(format!(
            "{} has verdicts of the judge {}, not of {judge}; name another file, or replace them with --fresh",
            path.display(),
            other.judge
        ))),
        None => Ok(()),
    }
}

fn read(input: Option<&Path>) -> Result<Vec<JudgeItem>, LabError> {
    let path = input.unwrap_or(Path::new("standard input"));
    let text = text_of(bytes(input)?).map_err(LabError::io("read", path))?;
    Ok(JudgeItem::parse_all(path, &text)?)
}
