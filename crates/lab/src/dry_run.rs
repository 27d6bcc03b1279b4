//! What an evaluation, or a few questions, would ask of language models, and what its prompts would cost: every stage runs, but calls are
//! counted and not sent.

use crate::{
    error::LabError,
    eval_run::EvalRequest,
    logged::{finished, run_settings},
    provenance::name_of,
    query_set,
    system::open,
};
use engine::{
    Pipeline,
    chat_models::{self, ChatModels},
    settings::{Loaded, Settings},
};
use eval::{PartialRows, Remains, Row, RunJob};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use types::{BoxError, Filter, Mode, Reporter, RunRecord, Spent, Stop, Usage};

/// The calls to language models that an evaluation would make, and what their prompts would cost. Retries and corrections of
/// replies that cannot be used come on top.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
    let set = query_set::questions(&request.queries, request.limit, reporter)?;
    let models = Arc::new(ChatModels::new(settings)?.counting());
    let (pipeline, judge) = open(settings, &models, reporter).await?;
    let own = run_settings(settings);
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
    let planned = DryRun {
        query_set: name_of(&request.queries),
        modes: request.modes.iter().map(|mode: &Mode| mode.to_string()).collect(),
        questions: set.queries.len(),
        rows: rows.len(),
        generated,
        ..DryRun::default()
    };
    let mut used = Spent::default();
    for row in &rows {
        used.merge(&row.usage);
    }
    Ok(document(&models, settings, &used, planned))
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
    let planned = DryRun {
        query_set: name.to_owned(),
        modes: vec![mode.to_string()],
        questions: questions.len(),
        rows: questions.len(),
        generated,
        ..DryRun::default()
    };
    Ok(document(&models, settings, &used, planned))
}

/// The rows of a run that is only counted, and how many of them a model wrote: nothing is tried twice, and no failure ends it.
pub(crate) async fn counted(mut job: RunJob<'_>, stop: &Stop) -> Result<(Vec<Row>, usize), LabError> {
    (job.settings.retries, job.settings.stop_after) = (0, 0);
    let mut written = 0;
    let mut on_record = |record: RunRecord| -> Result<(), BoxError> {
        written += usize::from(record.response_raw.is_some());
        Ok(())
    };
    let outcome = finished(job, &mut PartialRows::none(Remains::Nothing), &mut on_record, stop).await?;
    Ok((outcome.rows, written))
}

/// The document of what was counted, with what it would spend.
pub(crate) fn document(models: &ChatModels, settings: &Settings, spent: &Spent, counted: DryRun) -> DryRun {
    let named = chat_models::by_stage(settings);
    let stage = |(stage, usage): (&str, Usage)| {
        let model = named.get(stage).filter(|_| usage.requests > 0)?;
        let price = models.price(model);
        let most = u64::from(usage.requests) * u64::from(model.max_tokens);
        Some(DryRunStage {
            stage: stage.to_owned(),
            model: model.model.clone(),
            calls: usage.requests,
            prompt_tokens: usage.prompt_tokens,
            prompt_cost: price.as_ref().map(|price| price.of_tokens(usage.prompt_tokens, 0)),
            cost_at_most: price.as_ref().map(|price| price.of_tokens(usage.prompt_tokens, most)),
            price_read: price.map(|price| price.read).filter(|read| !read.is_empty()),
        })
    };
    let stages: Vec<DryRunStage> = spent.iter().filter_map(stage).collect();
    // An empty sum of floats is -0.
    let sum = |of: fn(&DryRunStage) -> Option<f64>| Some(0.0 + stages.iter().map(of).sum::<Option<f64>>()?);
    DryRun {
        config_hash: settings.config_hash(),
        cached: models.counts().hits(),
        prompt_cost: sum(|stage| stage.prompt_cost),
        cost_at_most: sum(|stage| stage.cost_at_most),
        stages,
        ..counted
    }
}
