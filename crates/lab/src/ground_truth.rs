//! Drafts a query set from the index with a language model, or reference answers for given questions.
//!
//! Drafts are numbered places in a plan that the seed fixes; each ends as a row or as a counted reason. The cache of replies
//! lets a run that was stopped go on. Without a language model, the passages are listed that a person could write questions
//! for.

mod document;
mod drafter;
mod given;
mod listing;
mod plan;
mod rounds;

pub use crate::draft::Dropped;
pub use document::GroundTruth;

use crate::{
    benchmark::{
        check_output,
        dataset::{Expecting, Wanted, expecting},
    },
    dry_run::{self, DryRun},
    error::LabError,
    eval_run,
};
use drafter::Drafter;
use engine::{Pipeline, chat_models::ChatModels, settings::Settings};
use eval::Query;
use plan::{Quota, Slot};
use rounds::{Mode, Run};
use std::{
    ops::RangeInclusive,
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{ChunkQuery, Reporter, Stop, files::write_atomic};

/// Questions that are given, for which only answers are drafted.
#[derive(Clone, Debug)]
pub struct GivenQuestions {
    /// A query set, or the queries of a benchmark if `qrels` is given.
    pub queries: PathBuf,
    /// Judgements in BEIR's layout.
    pub qrels: Option<PathBuf>,
    /// Only the questions with these ids; all if empty.
    pub ids: Vec<String>,
    /// A judged document is relevant from this grade on, from 1.
    pub min_grade: i32,
}

/// What to draft.
#[derive(Clone, Debug)]
pub struct GroundTruthRequest {
    /// Questions to draft, or passages to list; `None` for 20, or for all given questions.
    pub count: Option<usize>,
    /// The query set to write. Needed to draft.
    pub output: Option<PathBuf>,
    /// Share of the questions that no paper should answer, 0 to 1.
    pub unanswerable: f64,
    /// Fixes which passages are used; `None` for `eval.seed`.
    pub seed: Option<u64>,
    /// Documents of a synthesis question or of a given one, at least 1.
    pub per_question: RangeInclusive<usize>,
    /// Questions that need only an answer.
    pub given: Option<GivenQuestions>,
    /// List passages even if a language model is configured.
    pub list: bool,
    /// The most that calls to language models may cost, in US dollars.
    pub max_cost: Option<f64>,
    /// Set by the caller to stop.
    pub stop: Stop,
}

/// Questions to draft if nothing else is said.
const COUNT: usize = 20;

impl GroundTruthRequest {
    fn count(&self) -> usize {
        self.count.unwrap_or(COUNT)
    }

    fn seed(&self, settings: &Settings) -> u64 {
        self.seed.unwrap_or(settings.eval.seed)
    }
}

/// Drafts and writes the query set, or lists passages if no language model is configured.
///
/// # Errors
/// When there is no index or no output, the output exists, a given file is wrong, a model is missing, the user stopped the
/// work, or the language model cannot be asked. A draft that fails a check is counted, not an error.
pub async fn run(
    settings: &Settings,
    request: &GroundTruthRequest,
    reporter: &dyn Reporter,
) -> Result<GroundTruth, LabError> {
    let drafts = settings.llm.model(&settings.generate.model).is_some() && !request.list;
    if !drafts {
        if request.given.is_some() {
            return Err(LabError::Message(
                "reference answers are written by a language model, and llm.provider is \"none\"; set llm.provider and llm.model"
                    .to_owned(),
            ));
        }
        return listing::run(settings, request).await;
    }
    let Some(output) = &request.output else {
        return Err(LabError::Message("the query set needs a file; name it with --output FILE".to_owned()));
    };
    check_new(output)?;
    let models = Arc::new(ChatModels::new(settings)?.with_budget(request.max_cost));
    let (pipeline, judge) = eval_run::open(settings, &models, reporter).await?;
    let drafter = Drafter::new(settings, &models, &pipeline, &*judge).await?;
    let (slots, quotas) = planned(settings, request, &pipeline, &drafter, reporter).await?;
    let run = Run {
        settings,
        drafter: &drafter,
        quotas: &quotas,
        stop: &request.stop,
        reporter,
        mode: Mode::Draft,
    };
    let done = run.all(slots).await?;
    // While drafts are missing that can be tried again, there is no query set.
    let full = done.kinds.iter().all(|kind| kind.drafted >= kind.wanted);
    let complete = full || done.failed == 0;
    if complete && !done.rows.is_empty() {
        let lines = done.rows.iter().map(line).collect::<Result<Vec<String>, _>>()?;
        write_atomic(output, &[lines.concat().as_bytes()]).map_err(LabError::io("write", output))?;
    }
    Ok(document::drafted(settings, request, &models, &done, complete))
}

/// Counts what [`run`] would ask if every draft were kept: nothing is sent or written.
///
/// # Errors
/// As [`run`].
pub async fn dry_run(
    settings: &Settings,
    request: &GroundTruthRequest,
    reporter: &dyn Reporter,
) -> Result<DryRun, LabError> {
    let models = Arc::new(ChatModels::new(settings)?.as_stand_ins());
    let (pipeline, judge) = eval_run::open(settings, &models, reporter).await?;
    let drafter = Drafter::new(settings, &models, &pipeline, &*judge).await?;
    let (slots, quotas) = planned(settings, request, &pipeline, &drafter, reporter).await?;
    let run = Run {
        settings,
        drafter: &drafter,
        quotas: &quotas,
        stop: &request.stop,
        reporter,
        mode: Mode::Count,
    };
    let done = run.all(slots).await?;
    let name = match &request.given {
        Some(given) => eval_run::name_of(&given.queries),
        None => eval_run::name_of(&settings.index.dir),
    };
    let planned = dry_run::Planned {
        name,
        modes: Vec::new(),
        questions: done.tried,
        rows: done.tried,
        generated: done.tried,
    };
    Ok(dry_run::document(&models, planned, &[(settings, done.spent)]))
}

/// The drafts to try, in their order, and how many of each kind are wanted.
async fn planned(
    settings: &Settings,
    request: &GroundTruthRequest,
    pipeline: &Pipeline,
    drafter: &Drafter<'_>,
    reporter: &dyn Reporter,
) -> Result<(Vec<Slot>, Vec<Quota>), LabError> {
    if let Some(given) = &request.given {
        return given::slots(request, given, pipeline, drafter, reporter).await;
    }
    let chunks = pipeline.store().chunks(&ChunkQuery::All).await?;
    let candidates = crate::draft::spread(&chunks, request.seed(settings));
    if candidates.is_empty() {
        return Err(LabError::Message(
            "the index has no passage with numbers, names or a comparison to ask about; ingest papers first"
                .to_owned(),
        ));
    }
    let quotas = plan::quotas(request.count(), request.unanswerable);
    let slots = plan::slots(candidates, &quotas, &request.per_question, request.seed(settings));
    Ok((slots, quotas))
}

/// The questions of the request.
fn read_given(request: &GroundTruthRequest, given: &GivenQuestions) -> Result<Expecting, LabError> {
    expecting(&Wanted {
        queries: &given.queries,
        qrels: given.qrels.as_deref(),
        ids: &given.ids,
        limit: request.count,
        min_grade: given.min_grade,
    })
}

/// A file that somebody may have reviewed is not overwritten.
fn check_new(output: &Path) -> Result<(), LabError> {
    if output.is_file() {
        let hint = "it may have been reviewed; name another file with --output, or remove it";
        return Err(LabError::unusable(output, "already exists", hint));
    }
    check_output(output)
}

/// A line of a query set.
fn line(query: &Query) -> Result<String, LabError> {
    let line = serde_json::to_string(query)
        .map_err(|error| LabError::Message(format!("a query cannot be written as JSON: {error}")))?;
    Ok(line + "\n")
}
