//! `pipeline sweep`.

use super::{App, interrupt};
use crate::{args, printer::Outcome};
use anyhow::Result;
use lab::sweep::{SweepRequest, sweep};

/// Evaluates the combinations and prints what they come to; negative when a row failed.
pub(super) async fn run(app: &App, args: &args::Sweep) -> Result<Outcome> {
    let request = SweepRequest {
        vary: args.vary.clone(),
        queries: args.queries.clone(),
        limit: args.limit,
        mode: args.mode,
        metric: args.metric.clone(),
        max_cost: args.cost.max_cost,
    };
    let stop = interrupt::stop(&app.reporter, lab::remains(&app.settings))?;
    let done = sweep(&app.loaded, &request, &app.reporter, &stop).await?;
    app.printer.document(&done, &["config_hash", "run_id"])?;
    Ok(Outcome::of(done.combinations.iter().all(|one| one.failed == 0)))
}
