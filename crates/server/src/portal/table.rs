//! Tables over papers: a row for each paper, a column for each question, and in each cell what the paper says, with its quote.

use super::{
    evidence::FORMATS,
    export,
    saved::{by, capital, page_address},
    view::{View, check, count, encoded, shown},
};
use crate::{
    app::{App, Caller},
    extract::{Asked, Path, Sent},
    failed::Failed,
    operation::{Operation, Routes},
    routes::tables::{self, NAME_MOST},
    state::{
        jobs::Stage,
        keys::Role,
        tables::{self as state, Table},
    },
};
use axum::{
    extract::State,
    http::{HeaderValue, StatusCode},
    response::{IntoResponse as _, Redirect, Response},
    routing::{get, post},
};
use engine::{
    bibliography::Style,
    per_paper::{Cell, PaperRow, PaperTable},
};
use lab::paper_table::{NOT_COMPARABLE, NOT_FOUND, csv, said, wide};
use maud::{Markup, html};
use serde::Deserialize;
use std::cmp::Ordering;
use types::{SectionKind, SourceId};

/// Cells and rows that a page shows.
const CELLS: usize = 2000;
const ROWS: usize = 200;

/// How many rows of a table a page shows.
fn most(table: &PaperTable) -> usize {
    (CELLS / table.columns.len().max(1)).min(ROWS)
}

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/table", "The tables over papers").on_page().by(get(list)),
        Operation::post("/table", "Makes a table over papers").role(Role::Write).on_page().by(post(make)),
        Operation::get("/table/{id}", "A table over papers").on_page().by(get(page)),
        Operation::post("/table/{id}", "Changes a table over papers")
            .role(Role::Write)
            .on_page()
            .by(post(change)),
        Operation::get("/table/{id}/progress", "How much of a table is asked").on_page().by(get(progress)),
        Operation::get("/table/{id}/export/{format}", "A table over papers as a file")
            .on_page()
            .by(get(as_file)),
    ]
}

fn address(id: &str) -> String {
    format!("/table/{}", encoded(id))
}

async fn list(State(app): State<App>, caller: Caller) -> Result<Response, Failed> {
    let view = View::new(&app, &caller, "/evidence", "Tables over papers");
    let tenant = caller.tenant();
    let all = app.state.read(move |c| state::list(c, &tenant)).await?;
    Ok(view.page(&html! {
        h1 { "Tables over papers" }
        p { "A row for each paper, a column for each question. For a table of some papers, tick them in the " a href="/library" { "library" } "." }
        @if view.can_write { (form(&view, &[])) }
        @if !all.is_empty() {
            ul.tables {
                @for table in &all {
                    li {
                        a href=(address(&table.id)) dir="auto" { (table.name) } " "
                        span.note {
                            @if table.papers.is_empty() { "all papers" } @else { (count(table.papers.len(), "paper")) }
                            ", " (table.created.get(..10).unwrap_or_default())
                        }
                    }
                }
            }
        }
    }))
}

/// The fields of a new table of these papers, of all if there are none.
fn form(view: &View<'_>, papers: &[&str]) -> Markup {
    html! {
        form.fields action="/table" method="post" {
            (view.hidden())
            @for paper in papers { input type="hidden" name="paper" value=(paper); }
            label { "Name " input name="name" required maxlength=(NAME_MOST) dir="auto"; }
            label { "Questions, one on each line, for example “Sample size: How many people took part?” "
                textarea name="questions" rows="3" required dir="auto" {} }
            button type="submit" { "Ask " @if papers.is_empty() { "all papers" } @else { (count(papers.len(), "paper")) } }
        }
    }
}

/// Makes a table; for papers that are ticked in the library it first asks for the questions.
async fn make(
    State(app): State<App>,
    caller: Caller,
    Sent(fields): Sent<Vec<(String, String)>>,
) -> Result<Response, Failed> {
    let of = |wanted: &'static str| {
        fields.iter().filter(move |(name, _)| name == wanted).map(|(_, value)| value.as_str())
    };
    check(&app, &caller, of("token").next().unwrap_or_default())?;
    let papers: Vec<&str> = of("paper").collect();
    let Some(name) = of("name").next() else {
        let view = View::new(&app, &caller, "/evidence", "New table");
        return Ok(view.page(&html! { h1 { "New table" } (form(&view, &papers)) }));
    };
    let lines = of("questions").flat_map(str::lines).filter(|line| !line.trim().is_empty());
    let (lines, papers): (Vec<String>, Vec<SourceId>) =
        (lines.map(str::to_owned).collect(), papers.into_iter().map(SourceId::from).collect());
    let (id, _) = tables::add(&app, &caller, name, &papers, &lines).await?;
    Ok(Redirect::to(&address(&id)).into_response())
}

/// Which rows, and in which order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Shown {
    words: String,
    /// The place of a question, from 1; the title unless given.
    sort: usize,
}

impl Shown {
    /// The rows that are asked for.
    fn of(&self, mut table: PaperTable) -> PaperTable {
        let words = self.words.trim().to_lowercase();
        let has = |row: &PaperRow| {
            let cells = row.cells.iter().map(said);
            cells.chain([name(row)]).any(|text| text.to_lowercase().contains(&words))
        };
        table.papers.retain(has);
        table.papers.sort_by_cached_key(|row| name(row).to_lowercase());
        if let Some(at) = self.sort.checked_sub(1).filter(|at| *at < table.columns.len()) {
            table.papers.sort_by(|a, b| order(&a.cells[at], &b.cells[at]));
        }
        table
    }

    fn query(&self) -> String {
        format!("words={}&sort={}", encoded(&self.words), self.sort)
    }
}

/// Numbers by size, then words, then what has no answer.
fn order(a: &Cell, b: &Cell) -> Ordering {
    let key = |cell: &Cell| match cell {
        Cell::Stated { value, answer, .. } => {
            let number = value.as_ref().and_then(|value| value.replace([',', ' '], "").parse::<f64>().ok());
            (i32::from(number.is_none()), number.unwrap_or_default(), answer.to_lowercase())
        }
        _ => (2, 0.0, String::new()),
    };
    let (a, b) = (key(a), key(b));
    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
}

/// The title of a paper, or its id.
fn name(row: &PaperRow) -> String {
    row.source.title.clone().unwrap_or_else(|| row.source_id.to_string())
}

async fn page(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Asked(asked): Asked<Shown>,
) -> Result<Response, Failed> {
    let _turn = app.turn(&caller)?;
    let (kept, table) = tables::load(&app, &caller, &id).await?;
    let own = App::clone(&app);
    let write = move || {
        let view = View::new(&own, &caller, "/evidence", &kept.listed.name);
        let cells = table.papers.iter().flat_map(|row| &row.cells);
        let is_missing = |cell: &&Cell| matches!(cell, Cell::NotAsked {} | Cell::Failed { .. });
        let (missing, all) = (cells.filter(is_missing).count(), table.papers.len());
        let table = asked.of(table);
        view.page(&html! {
            p.note { a href="/table" { "Tables over papers" } }
            h1 dir="auto" { (kept.listed.name) }
            (state_of(&view, &kept, missing))
            @if view.can_write { (changes(&view, &kept)) }
            form.search action=(address(&id)) role="search" {
                label { "Filter " input type="search" name="words" dir="auto" value=(asked.words); }
                label { "Sort by " select name="sort" {
                    option value="0" { "paper" }
                    @for (at, column) in table.columns.iter().enumerate() { option value=(at + 1) selected[asked.sort == at + 1] { (column.name) } }
                } }
                button type="submit" { "Apply" }
            }
            p.note {
                (table.papers.len()) " of " (count(all, "paper")) @if table.papers.len() > most(&table) { "; the first " (most(&table)) } ". As a file: "
                @for (format, name, _) in FORMATS { a href=(format!("{}/export/{format}?{}", address(&id), asked.query())) { (name) } " " }
            }
            @if table.papers.is_empty() { p { "No row matches." } } @else { (grid(&table)) }
        })
    };
    Ok(app.pool().run(write).await)
}

/// How much is asked, and the ways to go on or to stop.
fn state_of(view: &View<'_>, Table { listed, job, told, .. }: &Table, missing: usize) -> Markup {
    let runs = job.as_ref().is_some_and(|job| !job.stage.has_ended());
    let error = job.as_ref().and_then(|job| job.error.as_ref()?["message"].as_str());
    let part = format!("{}/progress", address(&listed.id));
    html! {
        section.job role="status" hx-get=[runs.then_some(&part)] hx-trigger=[runs.then_some("every 2s")] hx-swap="outerHTML" {
            @if let Some(error) = error { p.problem { "Stopped: " (error) } }
            @if runs {
                p {
                    progress max=[told.total] value=(told.done) aria-label="Cells that are asked" {} " "
                    (told.done) @if let Some(total) = told.total { " of " (total) } " cells asked. "
                    a href=(address(&listed.id)) { "Show the answers so far" }
                }
            } @else if missing > 0 {
                p { (count(missing, "cell")) " not asked yet, or failed." }
            } @else if view.title.is_empty() {
                p.note { @if job.as_ref().is_some_and(|job| job.stage == Stage::Done) { "All cells are asked. " } a href=(address(&listed.id)) { "Show the answers" } }
            }
            @if view.can_write && (runs || missing > 0) {
                form action=(address(&listed.id)) method="post" {
                    (view.hidden())
                    @if runs { button.quiet type="submit" name="what" value="stop" { "Stop" } }
                    @else { button type="submit" name="what" value="ask" { "Ask what is missing" } }
                }
            }
        }
    }
}

/// The ways to change a table.
fn changes(view: &View<'_>, Table { listed, columns, .. }: &Table) -> Markup {
    html! {
        form.search action=(address(&listed.id)) method="post" {
            (view.hidden())
            label { "Add a column " input name="question" required maxlength="1000" size="40" dir="auto" placeholder="Sample size: How many people took part?"; }
            button type="submit" { "Ask" }
        }
        details {
            summary { "Remove columns, or the table" }
            ul {
                @for (number, column) in columns {
                    li {
                        form.search action=(address(&listed.id)) method="post" {
                            (view.hidden())
                            input type="hidden" name="column" value=(number);
                            bdi { (column.name) }
                            button.quiet type="submit" aria-label=(format!("Remove the column {}", column.name)) { "Remove" }
                        }
                    }
                }
            }
            form action=(address(&listed.id)) method="post" {
                (view.hidden())
                button.quiet type="submit" name="what" value="delete" { "Delete the table" }
            }
        }
    }
}

fn grid(table: &PaperTable) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Answers by paper" {
            table.grid {
                thead {
                    tr {
                        th scope="col" { "Paper" }
                        @for column in &table.columns {
                            th scope="col" {
                                span dir="auto" { (column.name) }
                                @if column.question != column.name { br; span.note dir="auto" { (column.question) } }
                            }
                        }
                    }
                }
                tbody {
                    @for (at, row) in table.papers.iter().take(most(table)).enumerate() {
                        tr {
                            th scope="row" {
                                a href=(page_address(&row.source_id, 1, None, None)) dir="auto" { (name(row)) }
                                br; span.note dir="auto" { (by(&row.source.authors, row.source.year)) }
                                @if row.source.fictional { " " span.flag { "fictional sample paper" } }
                            }
                            @for (column, cell) in table.columns.iter().zip(&row.cells).enumerate() {
                                // The start of a long name is enough: each cell repeats it.
                                td data-column=(format!("{:.60}", cell.0.name)) { (shown_cell(row, &format!("card-{at}-{column}"), cell.1)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What a paper says, with the mark of its quote.
fn shown_cell(row: &PaperRow, card: &str, cell: &Cell) -> Markup {
    let Cell::Stated { answer, value, unit, quote, section, page, confidence, comparable } = cell else {
        return match cell {
            Cell::Failed { error } => html! { span.problem { "failed: " (error) } },
            Cell::NotAsked {} => html! { span.absent { "not asked yet" } },
            _ => html! { span.absent { (NOT_FOUND) } },
        };
    };
    let opens = page_address(&row.source_id, page.unwrap_or(1), Some(quote), None);
    let section = section.filter(|kind| *kind != SectionKind::Body).map(|kind| capital(kind.as_str()));
    let place =
        [section, page.map(|page| format!("p. {page}"))].into_iter().flatten().collect::<Vec<_>>().join(", ");
    html! {
        @if let Some(value) = value { strong { bdi { (value) } @if let Some(unit) = unit { " " bdi { (unit) } } } " " }
        span.said dir="auto" { (answer) }
        a.mark href=(opens) data-card=(card) aria-label=(format!("Quote: {}, {place}", name(row))) { @if let Some(page) = page { "p. " (page) } @else { "quote" } }
        @if confidence == "low" { " " span.flag { "low confidence" } }
        @if *comparable == Some(false) { " " span.flag { (NOT_COMPARABLE) } }
        div.card id=(card) popover="manual" role="tooltip" {
            blockquote dir="auto" { (quote) }
            p.source { cite dir="auto" { (name(row)) } ", " (by(&row.source.authors, row.source.year)) ". " span.place { (place) } }
            p.note { "Confidence: " (confidence) }
        }
    }
}

async fn progress(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    let kept = tables::find(&app, &caller, &id).await?;
    let view = View::new(&app, &caller, "/evidence", "");
    let mut response = shown(StatusCode::OK, &state_of(&view, &kept, 0));
    // The page then shows the answers.
    if kept.job.as_ref().is_none_or(|job| job.stage.has_ended()) {
        response.headers_mut().insert("hx-refresh", HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// One change of a table.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Change {
    question: String,
    column: Option<i64>,
    /// `ask`, `stop` or `delete`.
    what: String,
    token: String,
}

async fn change(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Sent(sent): Sent<Change>,
) -> Result<Response, Failed> {
    check(&app, &caller, &sent.token)?;
    tables::find(&app, &caller, &id).await?;
    let (tenant, own) = (caller.tenant(), id.clone());
    match (&*sent.what, sent.column) {
        ("ask", _) => drop(tables::ask(&app, &caller, &id).await?),
        ("stop", _) => drop(app.state.run(move |c| state::stop(c, &tenant, &own)).await?),
        ("delete", _) => {
            app.state.run(move |c| state::delete(c, &tenant, &own)).await?;
            return Ok(Redirect::to("/table").into_response());
        }
        (_, Some(number)) => drop(app.state.run(move |c| state::remove_column(c, &own, number)).await?),
        _ => tables::add_question(&app, &caller, &id, &sent.question).await?,
    }
    Ok(Redirect::to(&address(&id)).into_response())
}

async fn as_file(
    State(app): State<App>,
    caller: Caller,
    Path((id, format)): Path<(String, String)>,
    Asked(asked): Asked<Shown>,
) -> Result<Response, Failed> {
    let known = FORMATS.iter().find(|(name, ..)| *name == format);
    let (ending, _, content) = known.ok_or_else(|| Failed::not_found("format", &format))?;
    let _turn = app.turn(&caller)?;
    let (kept, table) = tables::load(&app, &caller, &id).await?;
    let table = app.pool().run(move || asked.of(table)).await;
    if let Some(style) = Style::of(&format) {
        let has = |row: &&PaperRow| row.cells.iter().any(|cell| matches!(cell, Cell::Stated { .. }));
        let ids = table.papers.iter().filter(has).map(|row| row.source_id.clone()).collect();
        let text = export::papers(&app, &caller, ids, style).await?;
        return Ok(export::file(text, content, &format!("table.{}", style.extension())));
    }
    let own = App::clone(&app);
    let write = move || {
        let name = |row: &PaperRow| format!("{}. {}", by(&row.source.authors, row.source.year), name(row));
        let page = || wide(&table, table.papers.iter().map(name));
        Ok::<_, Failed>(match *ending {
            // With a mark of the byte order, as spreadsheets want it.
            "csv" => format!("\u{feff}{}", csv(&table)),
            "json" => own.indexes.shown(&caller.place(), &table)?.to_string(),
            "md" => page().markdown(),
            _ => page().html(&kept.listed.name),
        })
    };
    let text = app.pool().run(write).await?;
    Ok(export::file(text, content, &format!("table.{ending}")))
}
