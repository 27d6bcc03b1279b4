//! What an evaluation, or a few questions, would ask of language models, and what its prompts would cost: every stage runs, but calls are
//! counted and not sent.

use crate::{
    error::LabError,
    eval_run::{self, EvalRequest},
};
use engine::{
    Pipeline,
    chat_models::{self, ChatModels},
    settings::{Loaded, Settings},
};
use eval::{Remains, Row, RunJob};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use types::{BoxError, Filter, Mode, Reporter, RunRecord, Spent, Stop};

/// The calls to language models that an evaluation would make, and what their prompts would cost. Retries and corrections of
/// replies that cannot be used come on top.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DryRun {
    /// The query set, by name.
    pub query_set: String,
    /// Hash of the settings that shape results.
    pub config_hash: String,
    /// The modes.
    pub modes: Vec<String>,
    /// Questions in the set.
    pub questions: usize,
    /// Rows: one for each question and mode.
    pub rows: usize,
    /// Rows for which an answer would be generated; the others are refused before that.
    pub generated: usize,
    /// Calls that the cache already answers. They cost nothing and are not counted below.
    pub cached: u64,
    /// Cost of the prompts in US dollars; null if a price is not known.
    pub prompt_cost: Option<f64>,
    /// Cost in US dollars if every reply is as long as it may be; null if a price is not known.
    pub cost_at_most: Option<f64>,
    /// Calls by stage.
    pub stages: Vec<DryRunStage>,
}

/// The calls of one stage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DryRunStage {
    /// `rerank`, `generate` or `judge`.
    pub stage: String,
    /// The model.
    pub model: String,
    /// Calls.
    pub calls: u32,
    /// Tokens of the prompts, counted with `cl100k_base`; the model's own count differs by some percent.
    pub prompt_tokens: u64,
    /// Cost of the prompts in US dollars; null if the price is not known.
    pub prompt_cost: Option<f64>,
    /// Cost in US dollars if every reply is as long as it may be.
    pub cost_at_most: Option<f64>,
    /// When the price was read; null if it comes from the settings, or is not known.
    pub price_read: Option<String>,
}

/// Runs every stage of an evaluation and adds up the calls to language models. Replies that the cache has are used, and cost
/// nothing. Nothing is sent, logged or written.
///
/// # Errors
/// When the query set is wrong, there is no index, or the run was cancelled.
pub async fn dry_run(
    loaded: &Loaded,
    request: &EvalRequest,
    reporter: &dyn Reporter,
    stop: &Stop,
) -> Result<DryRun, LabError> {
    let settings = &loaded.settings;
    let set = eval_run::query_set(request, reporter)?;
    let models = Arc::new(ChatModels::new(settings)?.counting());
    let (pipeline, judge) = eval_run::open(settings, &models, reporter).await?;
    let own = eval_run::run_settings(settings, "dry-run");
    let job = RunJob::new((&set, &request.modes), &pipeline, &*judge, own, reporter);
    let (rows, generated) = counted(job, stop).await?;
    let failed = rows.iter().filter_map(|row| row.error.as_deref());
    if let Some(reason) = failed.clone().next() {
        reporter.warn(&format!(
            "{} of {} rows failed in the dry run, so that their calls are missing: {reason}",
            failed.count(),
            rows.len()
        ));
    }
    let planned = Planned {
        name: eval_run::name_of(&request.queries),
        modes: request.modes.iter().map(|mode: &Mode| mode.to_string()).collect(),
        questions: set.queries.len(),
        rows: rows.len(),
        generated,
    };
    let mut used = Spent::default();
    for row in &rows {
        used.merge(&row.usage);
    }
    Ok(document(&models, planned, &[(settings, used)]))
}

/// As [`dry_run`], for questions given to `ask`; `name` says where they are from.
///
/// # Errors
/// When there is no index, or a question cannot be answered at all.
pub async fn of_questions(
    settings: &Settings,
    (name, questions): (&str, &[String]),
    mode: Mode,
    filter: &Filter,
) -> Result<DryRun, LabError> {
    let models = Arc::new(ChatModels::new(settings)?.counting());
    let pipeline = Pipeline::open_with(settings, Arc::clone(&models)).await?;
    let (mut used, mut generated) = (Spent::default(), 0);
    for question in questions {
        let found = pipeline.retrieve(question, mode, filter).await?;
        let (record, _) = pipeline.answer_from(found).await?;
        generated += usize::from(record.response_raw.is_some());
        used.merge(&record.usage_by_stage);
    }
    let planned = Planned {
        name: name.to_owned(),
        modes: vec![mode.to_string()],
        questions: questions.len(),
        rows: questions.len(),
        generated,
    };
    Ok(document(&models, planned, &[(settings, used)]))
}

/// The rows of a run that is only counted, and how many of them a model wrote: nothing is tried twice, and no failure ends it.
pub(crate) async fn counted(mut job: RunJob<'_>, stop: &Stop) -> Result<(Vec<Row>, usize), LabError> {
    (job.settings.retries, job.settings.stop_after) = (0, 0);
    let mut written = 0;
    let mut on_record = |record: RunRecord| -> Result<(), BoxError> {
        written += usize::from(record.response_raw.is_some());
        Ok(())
    };
    let mut remains = Remains::Nothing;
    let outcome = eval::run(job, &mut remains, &mut on_record, stop).await?;
    if outcome.interrupted {
        return Err(LabError::Stopped(remains));
    }
    Ok((outcome.rows, written))
}

/// What was counted.
pub(crate) struct Planned {
    /// The file of questions or answers.
    pub(crate) name: String,
    /// The modes.
    pub(crate) modes: Vec<String>,
    /// Questions.
    pub(crate) questions: usize,
    /// Rows.
    pub(crate) rows: usize,
    /// Rows for which an answer is generated.
    pub(crate) generated: usize,
}

/// The document of what these settings spend.
pub(crate) fn document(models: &ChatModels, planned: Planned, used: &[(&Settings, Spent)]) -> DryRun {
    let mut stages: Vec<DryRunStage> = Vec::new();
    for (settings, spent) in used {
        let named = chat_models::by_stage(settings);
        for (stage, usage) in spent.iter().filter(|(_, usage)| usage.requests > 0) {
            let Some(model) = named.get(stage) else { continue };
            let price = models.price(model);
            let most = u64::from(usage.requests) * u64::from(model.max_tokens);
            let cost = price.as_ref().map(|price| price.of_tokens(usage.prompt_tokens, 0));
            let at_most = price.as_ref().map(|price| price.of_tokens(usage.prompt_tokens, most));
            let same = |own: &&mut DryRunStage| own.stage == stage && own.model == model.model;
            if let Some(own) = stages.iter_mut().find(same) {
                own.calls += usage.requests;
                own.prompt_tokens += usage.prompt_tokens;
                own.prompt_cost = own.prompt_cost.zip(cost).map(|(a, b)| a + b);
                own.cost_at_most = own.cost_at_most.zip(at_most).map(|(a, b)| a + b);
                continue;
            }
            stages.push(DryRunStage {
                stage: stage.to_owned(),
                model: model.model.clone(),
                calls: usage.requests,
                prompt_tokens: usage.prompt_tokens,
                prompt_cost: cost,
                cost_at_most: at_most,
                price_read: price.map(|price| price.read).filter(|read| !read.is_empty()),
            });
        }
    }
    // An empty sum of floats is -0.
    let sum = |of: fn(&DryRunStage) -> Option<f64>| Some(0.0 + stages.iter().map(of).sum::<Option<f64>>()?);
    DryRun {
        query_set: planned.name,
        config_hash: used.first().map(|(settings, _)| settings.config_hash()).unwrap_or_default(),
        modes: planned.modes,
        questions: planned.questions,
        rows: planned.rows,
        generated: planned.generated,
        cached: models.counts().hits(),
        prompt_cost: sum(|stage| stage.prompt_cost),
        cost_at_most: sum(|stage| stage.cost_at_most),
        stages,
    }
}
