//! `pipeline eval`.

mod against;
mod retrieval;

use super::{App, calls, gates, interrupt, runs::COMPARED_WITHOUT};
use crate::{args::Eval, document, page::Page, printer::Outcome, words::count};
use anyhow::Result;
use lab::{
    dry_run::dry_run,
    eval_run::{EvalRequest, Evaluated, evaluate},
};

/// Runs, prints the results and where the report is; negative when a gate failed, or a question got no answer.
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
    let compared = serde_json::to_value(&against)?;
    let compared = against.as_ref().map(|_| document::page(&compared, &COMPARED_WITHOUT));
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
    let outcome = gates::outcome(app, &done.gates);
    Ok(Outcome::of(outcome == Outcome::Done && done.failed == 0))
}

fn page(done: &Evaluated, compared: Option<Page>) -> Page {
    let mut page = done.page();
    page.gap();
    let rows = count(done.evaluation.rows.len(), "row");
    page.line(format!("{rows}, {} resumed, {} failed", done.resumed, done.failed));
    let (cached, asked) = done.cached_calls;
    let answered = format!("to language models, {cached} answered from the cache");
    page.tally(cached + asked, "call", answered);
    if let Some([markdown, html, ..]) = &done.written {
        page.code(format!("Markdown report: {}", markdown.display()));
        page.code(format!("HTML report: {}", html.display()));
    }
    page.append(compared.unwrap_or_default());
    page
}
