//! `pipeline queries`.

use super::{App, draft};
use crate::{
    args::Queries,
    page::Page,
    printer::Outcome,
    words::{count, value},
};
use anyhow::Result;
use lab::queries_check::check;
use lab::queries_plan::{Planned, QueriesPlan, plan};

/// Checks a query set and prints what is wrong; negative when the index lacks one of its papers.
pub(super) async fn run(app: &App, args: &Queries) -> Result<Outcome> {
    match args {
        Queries::Draft(args) => draft::run(app, args).await,
        Queries::Check { file } => {
            let checked = check(&app.settings, file).await?;
            app.printer.document(&checked, &[])?;
            Ok(Outcome::of(checked.refused.is_empty()))
        }
        Queries::Plan { file, differences, shares } => {
            let planned = plan(file.as_deref(), differences, shares)?;
            app.printer.page(&planned, || table(&planned, differences))?;
            Ok(Outcome::Done)
        }
    }
}

fn table(planned: &QueriesPlan, differences: &[f64]) -> Page {
    let mut page = Page::new();
    let (power, alpha) = (planned.power, planned.alpha);
    page.line(format!(
        "Questions that separate two systems in one metric (power {power}, p < {alpha}), by the share of questions on which \
         they differ and by the difference of their rates. Questions about the same papers count for less."
    ));
    let share = |one: &Planned| value(Some(one.discordant), 2);
    let mut rows = page.rows(&planned.plan).column("They differ on", |one| share(one));
    for (at, difference) in differences.iter().enumerate() {
        let needed = |one: &&Planned| one.needed[at].1.map_or_else(|| "-".to_owned(), |n| n.to_string());
        rows = rows.column(format!("by {difference}"), needed);
    }
    if let Some(questions) = planned.questions {
        let header = format!("{} separate", count(questions, "question"));
        rows.column(header, |one| value(one.detectable, 3));
    }
    page
}
