//! `pipeline sweep`.

mod page;

use super::{App, calls, interrupt};
use crate::{args::Sweep, printer::Outcome, words::count};
use anyhow::Result;
use lab::sweep::{SweepRequest, plan, sweep};
use types::path_text::shown;

/// Evaluates the combinations and prints what they come to; negative when a row failed.
pub(super) async fn run(app: &App, args: &Sweep) -> Result<Outcome> {
    let request = SweepRequest {
        vary: args.vary.clone(),
        queries: args.queries.clone(),
        limit: args.limit,
        mode: args.mode,
        metric: args.metric.clone(),
        folds: usize::from(args.folds),
        sample: args.sample,
        limit_grid: args.limit_grid,
        output: args.output.clone(),
        csv: args.csv.clone(),
        max_cost: args.cost.max_cost,
    };
    let stop = interrupt::stop(&app.reporter, lab::remains(&app.settings))?;
    if args.dry_run {
        let planned = plan(&app.loaded, &request, &app.reporter, &stop).await?;
        let (questions, set) = (count(planned.questions, "question"), &planned.query_set);
        let combinations = count(planned.rows / planned.questions.max(1), "combination");
        let head = format!("{questions} from {set}, {combinations}");
        return calls::print(app, &planned, head);
    }
    let done = sweep(&app.loaded, &request, &app.reporter, &stop).await?;
    app.printer.page(&done, || page::page(&done))?;
    for path in [&args.output, &args.csv].into_iter().flatten() {
        app.reporter.remark(&format!("written to {}", shown(path)));
    }
    Ok(Outcome::of(done.failed == 0))
}
