//! What an evaluation would ask of language models, and what that would cost: every stage runs, but with a stand-in for
//! each model that sends nothing.

use crate::{
    error::LabError,
    eval_run::{self, EvalRequest},
};
use engine::{
    chat_models::{self, ChatModels},
    settings::{Loaded, Prices, Settings},
};
use eval::{Row, RunJob, RunSettings};
use schemars::JsonSchema;
use serde::Serialize;
use std::{collections::BTreeMap, sync::Arc};
use types::{BoxError, Mode, Reporter, RunRecord, Stop, Usage};

/// The calls to language models that an evaluation would make, and what they would cost. Retries and corrections of replies
/// that cannot be used come on top.
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
    /// Expected cost in US dollars; null if a price is not known.
    pub cost: Option<f64>,
    /// Cost in US dollars if every reply is as long as it may be; null if a price is not known.
    pub cost_at_most: Option<f64>,
    /// Calls by stage.
    pub stages: Vec<DryRunStage>,
    /// What the same tokens would cost with other models.
    pub at_prices: Vec<DryRunPrice>,
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
    /// Tokens of replies of usual length.
    pub completion_tokens: u64,
    /// Expected cost in US dollars; null if the price is not known.
    pub cost: Option<f64>,
    /// Cost in US dollars if every reply is as long as it may be.
    pub cost_at_most: Option<f64>,
    /// When the price was read; null if it comes from the settings, or is not known.
    pub price_read: Option<String>,
}

/// What the tokens would cost with a model of the list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DryRunPrice {
    /// The model.
    pub model: String,
    /// Expected cost in US dollars.
    pub cost: f64,
    /// US dollars per million tokens read.
    pub input: f64,
    /// US dollars per million tokens written.
    pub output: f64,
    /// When the price was read.
    pub read: String,
}

/// Runs every stage of an evaluation with stand-ins for the language models, and adds up their calls. Replies that the
/// cache has are used, and cost nothing. Nothing is sent, logged or written.
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
    let models = Arc::new(ChatModels::new(settings)?.as_stand_ins());
    let (pipeline, judge) = eval_run::open(settings, &models, reporter).await?;
    let job = RunJob {
        set: &set,
        modes: &request.modes,
        answerer: &pipeline,
        judge: &*judge,
        settings: RunSettings {
            run_id: "dry-run".to_owned(),
            workers: settings.eval.workers,
            retries: 0,
            perfect_refusals: false,
            stop_after: 0,
        },
        done: Vec::new(),
        answers: Vec::new(),
        reporter,
        gold: None,
    };
    let mut rows: Vec<Row> = Vec::new();
    let mut answered = 0;
    let mut on_record = |record: RunRecord| -> Result<(), BoxError> {
        answered += usize::from(record.response_raw.is_some());
        Ok(())
    };
    let outcome = eval::run(job, &mut rows, &mut on_record, stop).await?;
    if outcome.interrupted {
        return Err(LabError::Stopped);
    }
    if let Some(reason) = outcome.rows.iter().find_map(|row| row.error.as_deref()) {
        reporter.warn(&format!(
            "{} of {} rows failed in the dry run, so that their calls are missing: {reason}",
            outcome.failed,
            outcome.rows.len()
        ));
    }
    let mut used: BTreeMap<&str, Usage> = BTreeMap::new();
    for row in &outcome.rows {
        for (stage, usage) in row.usage.iter() {
            used.entry(stage).or_default().add(usage);
        }
    }
    let planned = Planned {
        name: eval_run::name_of(&request.queries),
        modes: request.modes.iter().map(|mode: &Mode| mode.to_string()).collect(),
        questions: set.queries.len(),
        rows: outcome.rows.len(),
        generated: answered,
        used,
    };
    Ok(document(settings, &models, planned))
}

/// What was counted.
pub(crate) struct Planned<'a> {
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
    /// What each stage would use.
    pub(crate) used: BTreeMap<&'a str, Usage>,
}

/// The document of what was counted, with prices.
pub(crate) fn document(settings: &Settings, models: &ChatModels, planned: Planned<'_>) -> DryRun {
    let named = chat_models::by_stage(settings);
    let stage = |(stage, usage): (&&str, &Usage)| {
        let model = named.get(*stage)?;
        let price = models.price(model);
        let most = u64::from(usage.requests) * u64::from(model.max_tokens);
        Some(DryRunStage {
            stage: (*stage).to_owned(),
            model: model.model.clone(),
            calls: usage.requests,
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            cost: price.as_ref().map(|price| price.of(*usage)),
            cost_at_most: price
                .as_ref()
                .map(|price| price.of_tokens(usage.prompt_tokens, most)),
            price_read: price.map(|price| price.read).filter(|read| !read.is_empty()),
        })
    };
    let used = planned.used.iter().filter(|(_, usage)| usage.requests > 0);
    let stages: Vec<DryRunStage> = used.filter_map(stage).collect();
    let sum = |of: fn(&DryRunStage) -> Option<f64>| stages.iter().map(of).sum::<Option<f64>>();
    let total = stages.iter().fold(Usage::default(), |mut all, stage| {
        all.prompt_tokens += stage.prompt_tokens;
        all.completion_tokens += stage.completion_tokens;
        all
    });
    DryRun {
        query_set: planned.name,
        config_hash: settings.config_hash(),
        modes: planned.modes,
        questions: planned.questions,
        rows: planned.rows,
        generated: planned.generated,
        cached: models.counts().hits(),
        cost: sum(|stage| stage.cost),
        cost_at_most: sum(|stage| stage.cost_at_most),
        at_prices: prices(total),
        stages,
    }
}

/// What the same tokens would cost with the models of the list.
fn prices(total: Usage) -> Vec<DryRunPrice> {
    let Ok(prices) = Prices::shipped() else {
        return Vec::new();
    };
    let price = |(model, price): (&str, &types::Price)| DryRunPrice {
        model: model.to_owned(),
        cost: price.of(total),
        input: price.input,
        output: price.output,
        read: price.read.clone(),
    };
    prices.iter().map(price).collect()
}
