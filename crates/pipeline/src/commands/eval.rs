//! `pipeline eval`.

mod against;
mod retrieval;

use super::{App, baseline, calls, gates, interrupt, runs::compare};
use crate::{args::Eval, page::Page, printer::Outcome, words::count};
use anyhow::Result;
use lab::{
    dry_run::dry_run,
    eval_run::{EvalRequest, Evaluated, evaluate},
};
use types::Reporter;

/// Runs, prints the results and where the report is; negative when a gate or the baseline failed, or a question got
/// no answer.
pub(super) async fn run(app: &App, args: &Eval) -> Result<Outcome> {
    if args.retrieval.on {
        return retrieval::run(app, args).await;
    }
    let request = EvalRequest {
        queries: args.queries.clone(),
        modes: args.mode.0.clone(),
        limit: args.limit,
        fresh: args.fresh,
        min: args.gates.min.clone(),
        max: args.gates.max.clone(),
        controls: args.controls,
        baseline: args.baseline.clone(),
        write_baseline: args.write_baseline,
        max_cost: args.cost.max_cost,
        name: args.name.clone(),
    };
    gates::check_junit(&args.gates)?;
    let stop = interrupt::stop(&app.reporter, lab::eval::Remains::Work)?;
    if args.dry_run {
        let planned = dry_run(&app.loaded, &request, &app.reporter, &stop).await?;
        return calls::print(app, &planned, calls::of_questions(&planned));
    }
    let against = args.against.as_deref().map(|wanted| against::target(app, wanted)).transpose()?;
    let done = evaluate(&app.loaded, &request, &app.reporter, &stop).await?;
    let against = match against {
        Some(target) => Some(against::compare(app, &request, &done, target, &stop).await?),
        None => None,
    };
    let compared = against.as_ref().map(|against| compare::page(&against.comparisons));
    app.printer.page_or_markdown(
        &done.document(against.as_ref()),
        || page(&done, compared.clone()),
        || {
            let mut page = done.pull_request();
            page.append(compared.clone().unwrap_or_default());
            page
        },
    )?;
    gates::write_junit(&args.gates, || done.junit())?;
    let outcome = gates::outcome(app, done.gates.iter().map(|gate| (gate, gate.passed)));
    let passed = done.baseline.as_ref().is_none_or(|baseline| baseline.passed);
    if let (false, Some(result)) = (passed, &done.baseline) {
        app.reporter.warn(&baseline::failure(result));
    }
    let all_well = outcome == Outcome::Done && passed && done.failed == 0;
    Ok(Outcome::of(all_well))
}

fn page(done: &Evaluated, compared: Option<Page>) -> Page {
    let mut page = done.page();
    if let Some(result) = &done.baseline {
        baseline::add(&mut page, result);
    }
    page.gap();
    let rows = count(done.evaluation.rows.len(), "row");
    page.line(format!("{rows}, {} resumed, {} failed", done.resumed, done.failed));
    let (cached, asked) = done.cached_calls;
    let answered = format!("to language models, {cached} answered from the cache");
    page.tally(cached + asked, "call", answered);
    if let Some(written) = &done.written {
        page.code(format!("Markdown report: {}", written.markdown.display()));
        page.code(format!("HTML report: {}", written.page.display()));
    }
    page.append(compared.unwrap_or_default());
    page
}
