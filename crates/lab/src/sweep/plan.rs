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
use engine::{
    chat_models::ChatModels,
    settings::{Loaded, Settings},
};
use std::sync::Arc;
use types::{Reporter, Spent, Stop};

/// Runs every stage of a sweep and adds up the calls to language models that it would send. Nothing is
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
    let models = Arc::new(ChatModels::new(&loaded.settings)?.counting());
    let (pipeline, judge) = eval_run::open(&loaded.settings, &models, reporter).await?;
    let job = Job {
        loaded,
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
        let mut spent = Spent::default();
        for row in job.ask(combination, &watch).await? {
            spent.merge(&row.usage);
            generated += usize::from(row.usage.get(Spent::GENERATE).is_some());
            failed += usize::from(row.error.is_some());
        }
        used.push(spent);
    }
    if failed > 0 {
        reporter
            .warn(&format!("{failed} of {rows} rows failed in the dry run, so that their calls are missing"));
    }
    let planned = Planned {
        name: eval_run::name_of(&request.queries),
        modes: modes(&combinations),
        questions: set.queries.len(),
        rows,
        generated,
    };
    let own = combinations.all.iter().map(|combination| &combination.settings);
    let used: Vec<(&Settings, Spent)> = own.zip(used).collect();
    Ok(DryRun { config_hash: loaded.settings.config_hash(), ..document(&models, planned, &used) })
}

/// The modes of the combinations, each once.
fn modes(combinations: &Combinations) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for mode in combinations.all.iter().map(|one| one.mode().to_string()) {
        if !out.contains(&mode) {
            out.push(mode);
        }
    }
    out
}
