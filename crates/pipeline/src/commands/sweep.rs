//! `pipeline sweep`.

use super::{App, interrupt};
use crate::{args, printer::Outcome};
use anyhow::Result;
use lab::{
    eval_run::EvalRequest,
    sweep::{SweepRequest, sweep},
};

/// Evaluates the combinations and prints what they come to; negative when a row failed.
pub(super) async fn run(app: &App, args: &args::Sweep) -> Result<Outcome> {
    let request = SweepRequest {
        vary: args.vary.clone(),
        metric: args.metric.clone(),
        eval: EvalRequest {
            queries: args.queries.clone(),
            limit: args.limit,
            modes: args.mode.into_iter().collect(),
            max_cost: args.cost.max_cost,
            ..EvalRequest::default()
        },
    };
    let stop = interrupt::stop(&app.reporter, lab::remains(&app.settings))?;
    let done = sweep(&app.loaded, &request, &app.reporter, &stop).await?;
    app.printer.document(&done, &["config_hash", "run_id"])?;
    Ok(Outcome::of(done.combinations.iter().all(|one| one.failed == 0)))
}
