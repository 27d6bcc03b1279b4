//! `eval --against`.

use crate::commands::{App, load};
use anyhow::{Context, Result, bail};
use engine::settings::Loaded;
use lab::{
    eval::stored::RunComparison,
    eval_run::{EvalRequest, Evaluated, evaluate},
    runs,
};
use types::Stop;

/// What a run is compared with.
pub(super) enum Target {
    /// A run of the log, by its id.
    Run(String),
    /// Settings that are evaluated too.
    Settings(Box<Loaded>),
}

/// The run of this name or, if there is none, the settings file or preset.
///
/// # Errors
/// When there is neither, or no log in which the run is found again.
pub(super) fn target(app: &App, wanted: &str) -> Result<Target> {
    if app.settings.log.file.as_os_str().is_empty() {
        bail!("--against needs the run log, but the setting log.file is empty");
    }
    if let Some(run) = runs::find(&app.settings, wanted)? {
        return Ok(Target::Run(run));
    }
    let mut loaded = load(Some(wanted), &app.overrides).with_context(|| {
        format!("{wanted:?} is no run of the log; list the runs with `pipeline runs`, or name a settings file or preset")
    })?;
    // Both runs are read from one log.
    loaded.settings.log.file.clone_from(&app.settings.log.file);
    Ok(Target::Settings(Box::new(loaded)))
}

/// Compares a finished evaluation with the target, after evaluating that if it is settings.
pub(super) async fn compare(
    app: &App,
    request: &EvalRequest,
    done: &Evaluated,
    target: Target,
    stop: &Stop,
) -> Result<RunComparison> {
    let other = match target {
        Target::Run(id) => id,
        Target::Settings(loaded) => {
            let request = EvalRequest {
                min: Vec::new(),
                max: Vec::new(),
                controls: false,
                name: None,
                ..request.clone()
            };
            let other = evaluate(&loaded, &request, &app.reporter, stop).await?;
            other.evaluation.summary.run_id
        }
    };
    let own = &done.evaluation.summary.run_id;
    Ok(runs::compare(&app.settings, None, (own, &other), &app.reporter).await?)
}
