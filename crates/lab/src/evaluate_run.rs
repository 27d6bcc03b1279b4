//! Scores the answers of any system in five dimensions.

mod against;
mod document;
mod finish;
mod gates;
mod input;
mod judge;
mod scorer;

pub use eval::rows::{FieldMap, Format};

pub use document::{Evaluate, EvaluateAgainst, EvaluateMean, EvaluateResult, Pass};
pub use scorer::{Scorer, cost, costs, read_answer};

use crate::{
    benchmark::check_output,
    dry_run::{self, DryRun},
    error::LabError,
};
use engine::{ComputePool, chat_models::ChatModels, settings::Settings};
use eval::{Gate, metrics::Scores};
use input::Input;
pub(crate) use input::bytes;
use scorer::Attempt;
use std::path::{Path, PathBuf};
use types::{Reporter, Spent, Stop, Usage, written::write_output};

/// What to score.
#[derive(Clone, Debug, Default)]
pub struct EvaluateRequest {
    /// The answers; `None` for standard input.
    pub input: Option<PathBuf>,
    /// Its format; `None` to detect it.
    pub format: Option<Format>,
    /// The run of a run log, as [`eval::runlog::resolve`] reads it; `None` for the last one.
    pub run: Option<String>,
    /// Keys of fields, as `FIELD=KEY,…`.
    pub maps: Vec<String>,
    /// Right answers by query id.
    pub ground_truth: Option<PathBuf>,
    /// Questions by id.
    pub queries: Option<PathBuf>,
    /// Relevance judgements.
    pub qrels: Option<PathBuf>,
    /// Scores only this many rows, from the first on; `None` for all.
    pub limit: Option<usize>,
    /// The language model that judges: the name of a section `[llm.NAME]`, or of a model of the provider of `[llm]`.
    pub model: Option<String>,
    /// Where the document is written.
    pub output: Option<PathBuf>,
    /// Gates as `METRIC=VALUE`: none may be below.
    pub min: Vec<String>,
    /// Gates as `METRIC=VALUE`: none may be above.
    pub max: Vec<String>,
    /// An earlier output to compare with, question by question.
    pub against: Option<PathBuf>,
    /// The most that calls to language models may cost, in US dollars.
    pub max_cost: Option<f64>,
    /// Set by the caller to stop.
    pub stop: Stop,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The document.
    pub document: Evaluate,
    /// Calls to language models that the cache answered, and those that it did not.
    pub cached_calls: (u64, u64),
    /// What language models spent now.
    pub usage: Usage,
}

/// Reads the answers, scores each row in every dimension and metric, and writes the document.
///
/// # Errors
/// When a file, a gate or the model's name is wrong, the output cannot be written, the user stopped the work, or no row can succeed
/// until a setting is changed. A row that fails is part of the document, not an error.
pub async fn evaluate(
    settings: &Settings,
    request: &EvaluateRequest,
    reporter: &dyn Reporter,
) -> Result<Evaluated, LabError> {
    let settings = &judge::with_model(settings, request.model.as_deref())?;
    let models = ChatModels::new(settings)?.with_budget(request.max_cost);
    let prepared = Prepared::new(request, reporter)?;
    let scorer = Scorer::new(settings, &models, ComputePool::default(), reporter)?;
    let (document, usage) = prepared.scored(&scorer, reporter).await?;
    Ok(Evaluated { document, cached_calls: (models.counts().hits(), models.counts().misses()), usage })
}

/// A request that is known to be right, before a judge is loaded or asked.
struct Prepared<'a> {
    request: &'a EvaluateRequest,
    gates: Vec<Gate>,
    input: Input,
    earlier: Option<(&'a Path, Evaluate)>,
}

impl<'a> Prepared<'a> {
    fn new(request: &'a EvaluateRequest, reporter: &dyn Reporter) -> Result<Self, LabError> {
        let gates = gates::read(&request.min, &request.max)?;
        let earlier = request.against.as_deref().map(|path| Ok::<_, LabError>((path, against::read(path)?)));
        let earlier = earlier.transpose()?;
        let input = Input::read(request, reporter)?;
        if let Some(output) = &request.output {
            check(output, request)?;
        }
        Ok(Self { request, gates, input, earlier })
    }

    /// The document, and what language models spent.
    async fn scored(self, scorer: &Scorer, reporter: &dyn Reporter) -> Result<(Evaluate, Usage), LabError> {
        let Self { request, gates, input, earlier } = self;
        let scored = scorer.all(&input.rows, &request.stop, reporter).await?;
        let usage = usage(&scored);
        let scores: Vec<Scores> = scored.into_iter().map(|row| row.scores).collect();
        let mut document = finish::document((&scorer.settings, &scorer.judge), request, &input, &scores);
        document.gates = gates::check(&gates, &document);
        if let Some((path, earlier)) = &earlier {
            if earlier.metadata.context_recall != document.metadata.context_recall {
                reporter
                    .warn("context_recall and rag_score are not compared: metadata.context_recall differs");
            }
            document.against = Some(against::against(path, &document, earlier)?);
        }
        if let Some(path) = &request.output {
            let text = serde_json::to_string_pretty(&document).map_err(|error| {
                LabError::Message(format!("the results cannot be written as JSON: {error}"))
            })?;
            write_output(path, &[text.as_bytes(), b"\n"]).map_err(LabError::io("write", path))?;
        }
        Ok((document, usage))
    }
}

/// Whether the document can be written there.
///
/// # Errors
/// When the folder does not exist, or the file is one of those that are read or was not written by this program.
fn check(output: &Path, request: &EvaluateRequest) -> Result<(), LabError> {
    // What is no file yet overwrites nothing.
    let own = output.canonicalize().ok();
    let read = [&request.input, &request.ground_truth, &request.queries, &request.qrels];
    let same = |path: &&PathBuf| own.is_some() && path.canonicalize().ok() == own;
    if let Some(path) = read.into_iter().flatten().find(same) {
        return Err(LabError::Message(format!(
            "--output would overwrite {}, which is read\nhint: name another file",
            path.display()
        )));
    }
    check_output(output)
}

/// Counts what [`evaluate`] would ask of the language model: nothing is sent or written.
///
/// # Errors
/// When a file or the model's name is wrong.
pub async fn dry_run(
    settings: &Settings,
    request: &EvaluateRequest,
    reporter: &dyn Reporter,
) -> Result<DryRun, LabError> {
    let mut settings = judge::with_model(settings, request.model.as_deref())?;
    // Every call fails, after it was counted.
    settings.eval.stop_after = 0;
    let settings = &settings;
    let input = Input::read(request, reporter)?;
    let models = ChatModels::new(settings)?.counting();
    let scorer = Scorer::new(settings, &models, ComputePool::default(), reporter)?;
    let scored = scorer.all(&input.rows, &request.stop, reporter).await?;
    let rows = input.rows.len();
    let planned = DryRun { query_set: input.name, questions: rows, rows, ..DryRun::default() };
    let used = Spent::of(Spent::JUDGE, usage(&scored));
    Ok(dry_run::document(&models, settings, &used, planned))
}

fn usage(scored: &[Attempt]) -> Usage {
    scored.iter().fold(Usage::default(), |mut all, row| {
        all.add(row.usage);
        all
    })
}
