//! What a sweep would ask of language models, and what that would cost.

use super::{
    SweepRequest,
    combinations::Combinations,
    run::{Job, measure},
    watch::Watch,
};
use crate::{
    dry_run::{DryRun, Planned, document},
    error::LabError,
    eval_run,
};
use engine::{chat_models::ChatModels, settings::Loaded};
use eval::Row;
use std::{collections::BTreeMap, sync::Arc};
use types::{Reporter, Spent, Stop, Usage};

/// Runs every stage of a sweep with stand-ins for the language models, and adds up the calls that it would send. Nothing is
/// sent or written. Calls that two combinations share because their prompts are equal are counted twice, though the cache
/// answers the second.
///
/// # Errors
/// As [`super::sweep`].
pub async fn plan(
    loaded: &Loaded,
    request: &SweepRequest,
    reporter: &dyn Reporter,
    stop: &Stop,
) -> Result<DryRun, LabError> {
    let measure = measure(request)?;
    let combinations = Combinations::new(loaded, request)?;
    let set = eval_run::questions(&request.queries, request.limit, reporter)?;
    let models = Arc::new(ChatModels::new(&loaded.settings)?.as_stand_ins());
    let (pipeline, judge) = eval_run::open(&loaded.settings, &models, reporter).await?;
    let job = Job {
        loaded,
        combinations: &combinations,
        set: &set,
        pipeline: &pipeline,
        models: &models,
        judge: measure.needs_judge().then_some(&*judge),
        stop,
    };
    let rows = combinations.all.len() * set.queries.len();
    let watch = Watch::new(reporter, rows as u64);
    let mut used: Vec<Spent> = Vec::new();
    let (mut generated, mut failed) = (0, 0);
    for combination in &combinations.all {
        let mut sink: Vec<Row> = Vec::new();
        let mut spent = Spent::default();
        for row in job.ask(combination, &set, Vec::new(), &mut sink, &watch).await? {
            spent.merge(&row.usage);
            generated += usize::from(row.usage.get(Spent::GENERATE).is_some());
            failed += usize::from(row.error.is_some());
            watch.advance(1);
        }
        used.push(spent);
    }
    if failed > 0 {
        reporter.warn(&format!(
            "{failed} of {rows} rows failed in the dry run, so that their calls are missing"
        ));
    }
    let mut whole: Option<DryRun> = None;
    for (combination, spent) in combinations.all.iter().zip(&used) {
        let stages: BTreeMap<&str, Usage> = spent.iter().collect();
        let one = document(
            &combination.settings,
            &models,
            Planned {
                name: eval_run::name_of(&request.queries),
                modes: vec![combination.mode().to_string()],
                questions: set.queries.len(),
                rows,
                generated,
                used: stages,
            },
        );
        whole = Some(match whole {
            None => one,
            Some(whole) => joined(whole, one),
        });
    }
    let mut whole = whole.ok_or_else(|| LabError::Message("the grid is empty".to_owned()))?;
    whole.config_hash = loaded.settings.config_hash();
    Ok(whole)
}

/// The calls of two plans together. Stages with the same model are one line.
fn joined(mut whole: DryRun, other: DryRun) -> DryRun {
    for mode in other.modes {
        if !whole.modes.contains(&mode) {
            whole.modes.push(mode);
        }
    }
    let sum = |a: Option<f64>, b: Option<f64>| Some(a? + b?);
    for stage in other.stages {
        let same = whole
            .stages
            .iter_mut()
            .find(|own| own.stage == stage.stage && own.model == stage.model);
        match same {
            Some(own) => {
                own.calls += stage.calls;
                own.prompt_tokens += stage.prompt_tokens;
                own.completion_tokens += stage.completion_tokens;
                own.cost = sum(own.cost, stage.cost);
                own.cost_at_most = sum(own.cost_at_most, stage.cost_at_most);
            }
            None => whole.stages.push(stage),
        }
    }
    whole.cost = sum(whole.cost, other.cost);
    whole.cost_at_most = sum(whole.cost_at_most, other.cost_at_most);
    for (own, other) in whole.at_prices.iter_mut().zip(other.at_prices) {
        own.cost += other.cost;
    }
    whole
}
