//! Drafts a query set from the index with a language model, or reference answers for given questions, to be reviewed by a person.
//!
//! Drafts are numbered places in a plan that the seed fixes; each ends as a row or as a counted reason. Every gold quote stands word
//! for word in its passage, and a question that the papers should not answer is asked of the whole pipeline. The cache of replies
//! lets a run that was stopped go on.

mod drafter;
mod excerpt;
mod given;
mod plan;
mod rounds;
mod writer;

pub use rounds::DraftKind;

use crate::{
    benchmark::{Questions, check_output, dataset},
    dry_run::{self, DryRun},
    error::LabError,
    provenance::name_of,
    system::open,
};
use drafter::Drafter;
use engine::{
    Pipeline,
    chat_models::{self, ChatModels},
    settings::Settings,
};
use eval::Query;
use plan::{Quota, Slot};
use rounds::Run;
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{ChunkQuery, Reporter, Stop, Usage, files::write_atomic};

/// What to draft.
#[derive(Clone, Debug)]
pub struct DraftRequest {
    /// Questions to draft; `None` for 20, or for all given questions.
    pub count: Option<usize>,
    /// The query set to write. A dry run needs none.
    pub output: Option<PathBuf>,
    /// Share of the questions that no paper should answer, 0 to 1.
    pub unanswerable: f64,
    /// Fixes which passages are used; `None` for `eval.seed`.
    pub seed: Option<u64>,
    /// The most documents of a synthesis question or of a given one, at least 1.
    pub per_question: usize,
    /// Questions that need only an answer.
    pub given: Option<Questions>,
    /// The most that calls to language models may cost, in US dollars.
    pub max_cost: Option<f64>,
    /// Set by the caller to stop.
    pub stop: Stop,
}

/// What `queries draft` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DraftedQueries {
    /// The query set that was written; null if none was.
    pub output: Option<String>,
    /// The seed that chose the passages.
    pub seed: u64,
    /// Rows in the query set.
    pub drafted: usize,
    /// How many questions of each kind were drafted.
    pub kinds: Vec<DraftKind>,
    /// How many drafts were dropped, by reason.
    pub dropped: BTreeMap<&'static str, usize>,
    /// Drafts for which the language model could not be asked. The next run tries them again.
    pub failed: usize,
    /// What language models spent in this run; null if nothing was sent.
    pub usage: Option<Usage>,
    /// Calls that the cache answered.
    pub cached_calls: u64,
    /// Cost of this run in US dollars; null if a price is not known.
    pub cost: Option<f64>,
    /// Hash of the settings.
    pub config_hash: String,
}

/// Drafts and writes the query set.
///
/// # Errors
/// When there is no index or no output, the output exists, a given file is wrong, a model is missing, the user stopped the
/// work, or the language model cannot be asked. A draft that fails a check is counted, not an error.
pub async fn run(
    settings: &Settings,
    request: &DraftRequest,
    reporter: &dyn Reporter,
) -> Result<DraftedQueries, LabError> {
    let Some(output) = &request.output else {
        return Err(LabError::Message("the query set needs a file; name it with --output FILE".to_owned()));
    };
    check_new(output)?;
    let models = Arc::new(ChatModels::new(settings)?.with_budget(request.max_cost));
    let (pipeline, judge) = open(settings, &models, reporter).await?;
    let drafter = Drafter::new(settings, request, &models, &pipeline, &*judge).await?;
    let (slots, quotas) = planned(settings, request, &pipeline, &drafter, reporter).await?;
    let run = Run { settings, drafter: &drafter, quotas: &quotas, stop: &request.stop, reporter };
    let done = run.all(slots).await?;
    // While drafts are missing that can be tried again, there is no query set.
    let full = done.kinds.iter().all(|kind| kind.drafted >= kind.wanted);
    let written = (full || done.failed == 0) && !done.rows.is_empty();
    if written {
        let lines = done.rows.iter().map(line).collect::<Result<Vec<String>, _>>()?;
        write_atomic(output, &[lines.concat().as_bytes()]).map_err(LabError::io("write", output))?;
    }
    let named = chat_models::by_stage(settings);
    let cost = done.spent.iter().map(|(stage, usage)| Some(models.price(named.get(stage)?)?.of(usage)));
    let cost: Option<f64> = cost.sum();
    let total = done.spent.total();
    Ok(DraftedQueries {
        output: written.then(|| output.display().to_string()),
        seed: request.seed.unwrap_or(settings.eval.seed),
        drafted: done.rows.len(),
        kinds: done.kinds,
        dropped: done.dropped,
        failed: done.failed,
        usage: (total.requests > 0).then_some(total),
        cached_calls: models.counts().hits(),
        cost,
        config_hash: settings.config_hash(),
    })
}

/// Counts what [`run`] would ask if every draft were kept: nothing is sent or written.
///
/// # Errors
/// As [`run`].
pub async fn dry_run(
    settings: &Settings,
    request: &DraftRequest,
    reporter: &dyn Reporter,
) -> Result<DryRun, LabError> {
    let models = Arc::new(ChatModels::new(settings)?.counting());
    let (pipeline, judge) = open(settings, &models, reporter).await?;
    let drafter = Drafter::new(settings, request, &models, &pipeline, &*judge).await?;
    let (slots, quotas) = planned(settings, request, &pipeline, &drafter, reporter).await?;
    let run = Run { settings, drafter: &drafter, quotas: &quotas, stop: &request.stop, reporter };
    let (tried, spent) = run.counted(&slots).await;
    let name = match &request.given {
        Some(given) => name_of(&given.queries),
        None => name_of(&settings.index.dir),
    };
    let planned =
        DryRun { query_set: name, questions: tried, rows: tried, generated: tried, ..DryRun::default() };
    Ok(dry_run::document(&models, settings, &spent, planned))
}

/// The drafts to try, in their order, and how many of each kind are wanted.
async fn planned(
    settings: &Settings,
    request: &DraftRequest,
    pipeline: &Pipeline,
    drafter: &Drafter<'_>,
    reporter: &dyn Reporter,
) -> Result<(Vec<Slot>, Vec<Quota>), LabError> {
    /// Questions to draft if nothing else is said.
    const COUNT: usize = 20;
    if let Some(given) = &request.given {
        let wanted = Questions { limit: request.count, ..given.clone() };
        return given::slots(dataset::expecting(&wanted)?, request, pipeline, drafter, reporter).await;
    }
    let chunks = pipeline.store().chunks(&ChunkQuery::All).await?;
    let passages = plan::spread(&chunks, request.seed.unwrap_or(settings.eval.seed));
    if passages.is_empty() {
        return Err(LabError::Message(
            "the index has no passage with numbers or names to ask about; ingest papers first".to_owned(),
        ));
    }
    let quotas = plan::quotas(request.count.unwrap_or(COUNT), request.unanswerable);
    let slots = plan::slots(passages.iter().map(|chunk| drafter.excerpt(chunk)), &quotas);
    Ok((slots, quotas))
}

/// A file that somebody may have reviewed is not overwritten.
fn check_new(output: &Path) -> Result<(), LabError> {
    if output.is_file() {
        return Err(LabError::unusable(
            output,
            "already exists",
            "it may have been reviewed; name another file with --output, or remove it",
        ));
    }
    check_output(output)
}

/// A line of a query set.
fn line(query: &Query) -> Result<String, LabError> {
    let line = serde_json::to_string(query)
        .map_err(|error| LabError::Message(format!("a query cannot be written as JSON: {error}")))?;
    Ok(line + "\n")
}
