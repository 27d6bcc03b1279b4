//! `pipeline report`.

use super::App;
use crate::{args::Report, page::Page, printer::Outcome};
use anyhow::Result;
use lab::report::{evaluation, phase};
use lab::report_run::{ReportRequest, report};

/// Builds the report and writes it to a folder or to standard output.
pub(super) async fn run(app: &App, args: &Report) -> Result<Outcome> {
    let request = ReportRequest {
        log: args.log.clone(),
        run: args.run.clone(),
        queries: args.queries.clone(),
        max_cost: args.cost.max_cost,
    };
    let done = report(&app.loaded, &request, &app.reporter).await?;
    let page = || {
        if args.phase { phase::page(&done) } else { evaluation::page(&done) }
    };
    let Some(folder) = &args.output_dir else {
        return app.printer.page(&done, page);
    };
    for note in &done.notes {
        app.reporter.note(note);
    }
    let [markdown, html] = if args.phase {
        phase::write(&done, folder)?
    } else {
        let [markdown, html, ..] = evaluation::write(&done, folder)?;
        [markdown, html]
    };
    let text = format!("Markdown report: {}\nHTML report: {}", markdown.display(), html.display());
    app.printer.listing(&done, || Page::from(text))
}
