//! `pipeline report`.

use super::App;
use crate::{args::Report, page::Page, printer::Outcome};
use anyhow::Result;
use lab::report_run::{ReportRequest, report, write_evaluation_report};

/// Builds the report and writes it to a folder or to standard output.
pub(super) async fn run(app: &App, args: &Report) -> Result<Outcome> {
    let request = ReportRequest {
        log: args.log.clone(),
        run: args.run.clone(),
        queries: args.queries.clone(),
        max_cost: args.cost.max_cost,
    };
    let evaluation = report(&app.loaded, &request, &app.reporter).await?;
    if let Some(path) = &args.phase2 {
        write_evaluation_report(&evaluation, path)?;
    }
    let json = evaluation.json()?;
    match &args.out {
        None => app.printer.listing(&json, || Page::from(evaluation.markdown()))?,
        Some(folder) => {
            let written = evaluation.write(folder)?;
            for note in &evaluation.notes {
                app.reporter.note(note);
            }
            let (report, page) = (written.markdown.display(), written.page.display());
            let text = format!("report: {report}\npage: {page}");
            app.printer.listing(&json, || Page::from(text))?;
        }
    }
    Ok(Outcome::Done)
}
