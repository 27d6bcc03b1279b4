//! `pipeline ask --per-paper`.

use super::{STOPPED, log};
use crate::{
    args,
    commands::{App, references::named},
    page::{Line, Page},
    printer::Outcome,
};
use anyhow::{Context as _, Result, bail};
use engine::{
    Pipeline,
    per_paper::{Cell, Column, PaperTable},
    show::Reference,
};
use lab::paper_table::{csv, said, wide};
use std::path::Path;
use types::{
    Reporter as _,
    path_text::shown,
    written::{marked, refuse_foreign, write_output},
};

/// How a file holds the table.
#[derive(Clone, Copy)]
enum Kind {
    Csv,
    Markdown,
    Html,
    Json,
}

impl Kind {
    fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        Ok(match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("csv") => Self::Csv,
            Some("md") => Self::Markdown,
            Some("html") => Self::Html,
            Some("json") => Self::Json,
            _ => bail!("{} is no .csv, .md, .html or .json; name the file so", shown(path)),
        })
    }
}

/// Asks the questions of every paper, and prints or writes the table; the result is negative if no cell is filled or one failed.
pub(super) async fn run(
    app: &App,
    pipeline: &Pipeline,
    args: &args::Ask,
    questions: &[String],
) -> Result<Outcome> {
    let output = args.output.as_deref();
    let cannot_write = || format!("cannot write {}", output.map(shown).unwrap_or_default());
    output.map_or(Ok(()), refuse_foreign).with_context(cannot_write)?;
    let kind = output.map(Kind::of).transpose()?;
    let columns: Vec<Column> = questions.iter().map(|line| Column::parse(line)).collect();
    let (filter, mode) = (args.filters.to_filter()?, app.settings.retrieve.mode);
    let papers = pipeline.papers(&filter).await?;
    if papers.is_empty() {
        bail!("no paper is left by the filters; `pipeline papers` prints the papers");
    }
    let task = app.reporter.task("asking", "papers", Some(papers.len() as u64));
    let (mut rows, mut failed) = (Vec::new(), 0);
    for paper in &papers {
        let (row, answers) = tokio::select! {
            biased;
            _ = tokio::signal::ctrl_c() => bail!(STOPPED),
            asked = pipeline.ask_of_paper(paper, &columns, mode, &filter) => asked?,
        };
        for (column, cell) in columns.iter().zip(&row.cells) {
            if let Cell::Failed { error } = cell {
                failed += 1;
                app.reporter.warn(&format!("{}: {}: {error}", row.source_id, column.name));
            }
        }
        for answer in &answers {
            log(app, answer);
        }
        rows.push(row);
        task.advance(1);
    }
    drop(task);
    let model = pipeline.models().get("generator").cloned().unwrap_or_default();
    let table = PaperTable::new(columns, rows, model, pipeline.config_hash().to_owned());
    let cells = table.papers.iter().flat_map(|row| &row.cells);
    let filled = cells.filter(|cell| matches!(cell, Cell::Stated { .. })).count();
    let names = || papers.iter().map(|paper| named(paper).words());
    if let (Some(path), Some(kind)) = (output, kind) {
        let text = match kind {
            Kind::Csv => csv(&table),
            Kind::Markdown => marked(&wide(&table, names()).markdown()),
            Kind::Html => wide(&table, names()).html("Answers of each paper"),
            Kind::Json => serde_json::to_string_pretty(&table)? + "\n",
        };
        write_output(path, &[text.as_bytes()]).with_context(cannot_write)?;
        app.reporter.remark(&format!(
            "{filled} of {} cells are filled; the table is in {}",
            table.columns.len() * table.papers.len(),
            shown(path)
        ));
    } else {
        app.printer.page_or_markdown(&table, || long(&table, &papers), || wide(&table, names()))?;
    }
    Ok(Outcome::of(filled > 0 && failed == 0))
}

/// A heading for each paper: a terminal is too narrow for the columns.
fn long(table: &PaperTable, papers: &[Reference]) -> Page {
    let mut page = Page::new();
    for (row, paper) in table.papers.iter().zip(papers) {
        page.heading(named(paper).words());
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            let name = Line::new().strong(format!("{}: ", column.name));
            page.line(name.text(said(cell)));
        }
    }
    page
}
