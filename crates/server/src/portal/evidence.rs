//! Evidence tables: quotes of several answers, with the reader's own notes and verdicts.

use super::{
    docx::{Paragraph, docx},
    export, saved,
    view::{View, check, count, encoded, shown, wants_part},
};
use crate::{
    app::{App, Caller},
    extract::{Asked, Path, Sent},
    failed::Failed,
    operation::{Operation, Routes},
    state::{
        evidence::{self, Kept},
        keys::Role,
    },
};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Redirect, Response},
    routing::{get, post},
};
use engine::bibliography::Style;
use lab::report::page::{Line, Page};
use maud::{Markup, html};
use serde::Deserialize;
use types::SourceId;

/// The table of quotes for which none is named.
const UNNAMED: &str = "Evidence";
/// Characters of a name, a claim and a note.
const NAME_MOST: usize = 100;
/// Quotes that a page shows.
const SHOWN: usize = 300;
const TEXT_MOST: usize = 2000;

/// The formats of a table: the ending of the address, its name, and its content type.
pub(super) const FORMATS: [(&str, &str, &str); 7] = [
    ("csv", "CSV", "text/csv; charset=utf-8"),
    ("md", "Markdown", "text/markdown; charset=utf-8"),
    ("html", "HTML", "text/html; charset=utf-8"),
    ("json", "JSON", "application/json"),
    ("bibtex", "BibTeX", "application/x-bibtex; charset=utf-8"),
    ("ris", "RIS", "application/x-research-info-systems; charset=utf-8"),
    ("csl", "CSL-JSON", "application/vnd.citationstyles.csl+json"),
];

/// Those of kept quotes.
fn formats() -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    FORMATS.iter().chain(&[("docx", "DOCX", export::DOCX)])
}

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/evidence", "The evidence tables").on_page().by(get(page)),
        Operation::post("/evidence", "Keeps a quote").role(Role::Write).on_page().by(post(keep)),
        Operation::post("/evidence/{id}", "Changes or removes a kept quote")
            .role(Role::Write)
            .on_page()
            .by(post(change)),
        Operation::get("/evidence/export/{format}", "An evidence table as a file").on_page().by(get(as_file)),
    ]
}

/// Which rows, and in which order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Shown {
    table: String,
    words: String,
    verdict: String,
    sort: String,
}

impl Shown {
    /// The rows that are asked for.
    fn of(&self, all: Vec<Kept>) -> Vec<Kept> {
        let words = self.words.trim().to_lowercase();
        let holds = |kept: &Kept| {
            let text = [&kept.claim, &kept.quote, &kept.paper, &kept.note].map(|text| text.to_lowercase());
            (self.table.is_empty() || kept.list == self.table)
                && (self.verdict.is_empty() || kept.verdict == self.verdict)
                && text.iter().any(|text| text.contains(&words))
        };
        let mut rows: Vec<Kept> = all.into_iter().filter(holds).collect();
        rows.sort_by_cached_key(|kept| match &*self.sort {
            "paper" => kept.paper.clone(),
            "verdict" => kept.verdict.clone(),
            "claim" => kept.claim.clone(),
            // As they were kept.
            _ => String::new(),
        });
        rows
    }

    fn query(&self) -> String {
        let Self { table, words, verdict, sort } = self;
        let all = [("table", table), ("words", words), ("verdict", verdict), ("sort", sort)];
        let set = all.into_iter().filter(|(_, value)| !value.is_empty());
        set.map(|(name, value)| format!("{name}={}", encoded(value))).collect::<Vec<_>>().join("&")
    }
}

async fn rows(app: &App, caller: &Caller, asked: &Shown) -> Result<(Vec<String>, Vec<Kept>), Failed> {
    let tenant = caller.tenant();
    let all = app.state.read(move |c| evidence::all(c, &tenant)).await?;
    let mut tables: Vec<String> = all.iter().map(|kept| kept.list.clone()).collect();
    tables.dedup();
    Ok((tables, asked.of(all)))
}

async fn page(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<Shown>,
) -> Result<Response, Failed> {
    let view = View::new(&app, &caller, "/evidence", "Evidence");
    let (tables, rows) = rows(&app, &caller, &asked).await?;
    let option =
        |value: &str, own: &str, name: &str| html! { option value=(value) selected[value == own] { (name) } };
    let content = html! {
        h1 { "Evidence" }
        p { a href="/table" { "Tables over papers" } ": the same questions to every paper." }
        @if tables.is_empty() {
            p { "Nothing is kept yet. " a href="/" { "Ask a question" } ", and choose “Keep” beside a quote." }
        } @else {
            form.search action="/evidence" role="search" {
                label { "Table " select name="table" { (option("", &asked.table, "all")) @for table in &tables { (option(table, &asked.table, table)) } } }
                label { "Search " input type="search" name="words" dir="auto" value=(asked.words); }
                label { "Verdict " select name="verdict" { @for (value, name) in [("", "any"), ("agree", "agree"), ("doubt", "doubt")] { (option(value, &asked.verdict, name)) } } }
                label { "Sort by " select name="sort" { @for (value, name) in [("", "as kept"), ("claim", "claim"), ("paper", "paper"), ("verdict", "verdict")] { (option(value, &asked.sort, name)) } } }
                button type="submit" { "Apply" }
            }
            p.note { (count(rows.len(), "quote")) @if rows.len() > SHOWN { "; the first " (SHOWN) } ". " "As a file: "
                @for (format, name, _) in formats() { a href=(format!("/evidence/export/{format}?{}", asked.query())) { (name) } " " }
            }
            @if rows.is_empty() { p { "No quote matches." } } @else { (table(&view, &asked.table, &rows[..rows.len().min(SHOWN)])) }
        }
    };
    Ok(view.page(&content))
}

fn table(view: &View<'_>, list: &str, rows: &[Kept]) -> Markup {
    html! {
        table.evidence {
            thead { tr { th scope="col" { "Claim and note" } th scope="col" { "Quote" } th scope="col" { "Paper" } th scope="col" { "Table" } } }
            tbody {
                @for kept in rows {
                    tr id={ "kept-" (kept.id) } {
                        td {
                            form.change action=(format!("/evidence/{}", kept.id)) method="post" {
                                (view.hidden())
                                input type="hidden" name="table" value=(list);
                                label.unseen for={ "claim-" (kept.id) } { "Claim" }
                                textarea id={ "claim-" (kept.id) } name="claim" rows="2" dir="auto" maxlength=(TEXT_MOST) { (kept.claim) }
                                label { "Note " input name="note" dir="auto" maxlength=(TEXT_MOST) value=(kept.note); }
                                label { "Verdict " select name="verdict" {
                                    @for (value, name) in [("", "none"), ("agree", "agree"), ("doubt", "doubt")] { option value=(value) selected[kept.verdict == value] { (name) } }
                                } }
                                span.open {
                                    button.quiet type="submit" { "Save" }
                                    button.quiet type="submit" name="remove" value="1" { "Remove" }
                                }
                            }
                        }
                        td { a href=(opens(kept)) { blockquote dir="auto" { (kept.quote) } } p.note { "Confidence: " (kept.confidence) } }
                        td { span dir="auto" { (kept.paper) } @if !kept.place.is_empty() { br; (kept.place) } @if !kept.verified { br; span.flag { "unverified" } } }
                        td dir="auto" { (kept.list) }
                    }
                }
            }
        }
    }
}

/// The page of the paper with the quote marked.
fn opens(kept: &Kept) -> String {
    let id = SourceId::from(kept.source_id.as_str());
    let cited = (!kept.answer.is_empty()).then_some((&*kept.answer, kept.cite as usize));
    saved::page_address(&id, kept.page.unwrap_or(1), Some(&kept.quote), cited)
}

#[derive(Deserialize)]
struct Keep {
    answer: String,
    cite: usize,
    #[serde(default)]
    table: String,
    token: String,
}

async fn keep(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Sent(keep): Sent<Keep>,
) -> Result<Response, Failed> {
    check(&app, &caller, &keep.token)?;
    let (saved, document) = saved::load(&app, &caller, &keep.answer).await?;
    let quoted = keep.cite.checked_sub(1).and_then(|at| document.ask.citations.get(at));
    let quoted = quoted.ok_or_else(|| Failed::not_found("quote", &keep.cite.to_string()))?;
    let list: String = keep.table.trim().chars().take(NAME_MOST).collect();
    let new = Kept {
        list: if list.is_empty() { UNNAMED.to_owned() } else { list },
        claim: saved.question.chars().take(TEXT_MOST).collect(),
        quote: quoted.citation.relevant_quote.clone(),
        source_id: quoted.citation.source_id.to_string(),
        paper: quoted.named(),
        place: quoted.place(),
        page: Some(quoted.page_number()),
        verified: quoted.is_verified(),
        confidence: document.ask.confidence.clone(),
        answer: saved.id,
        cite: u32::try_from(keep.cite).unwrap_or_default(),
        ..Kept::default()
    };
    let (tenant, list) = (caller.tenant(), new.list.clone());
    let address = of_table(&list);
    if !app.state.run(move |c| evidence::add(c, &tenant, &new)).await? {
        return Err(Failed::full("too many quotes are kept").hint("remove some first"));
    }
    if wants_part(&headers) {
        let kept = html! { p.note role="status" { "Kept in " a href=(address) dir="auto" { (list) } "." } };
        return Ok(shown(StatusCode::OK, &kept));
    }
    Ok(Redirect::to(&address).into_response())
}

fn of_table(list: &str) -> String {
    if list.is_empty() { "/evidence".to_owned() } else { format!("/evidence?table={}", encoded(list)) }
}

#[derive(Deserialize)]
struct Change {
    /// The table that is shown.
    #[serde(default)]
    table: String,
    #[serde(default)]
    claim: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    verdict: String,
    remove: Option<String>,
    token: String,
}

async fn change(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<i64>,
    Sent(sent): Sent<Change>,
) -> Result<Response, Failed> {
    check(&app, &caller, &sent.token)?;
    if !["", "agree", "doubt"].contains(&&*sent.verdict) {
        return Err(Failed::invalid("verdict", "a verdict is agree or doubt").value(sent.verdict));
    }
    let tenant = caller.tenant();
    let cut = |text: &str| text.chars().take(TEXT_MOST).collect::<String>();
    let (claim, note) = (cut(&sent.claim), cut(&sent.note));
    let is_gone = sent.remove.is_some();
    let done = app.state.run(move |c| {
        if is_gone {
            evidence::remove(c, &tenant, id)
        } else {
            evidence::change(c, &tenant, id, &claim, &note, &sent.verdict)
        }
    });
    if !done.await? {
        return Err(Failed::not_found("quote", &id.to_string()));
    }
    let place = if is_gone { String::new() } else { format!("#kept-{id}") };
    Ok(Redirect::to(&(of_table(&sent.table) + &place)).into_response())
}

async fn as_file(
    State(app): State<App>,
    caller: Caller,
    Path(format): Path<String>,
    Asked(asked): Asked<Shown>,
) -> Result<Response, Failed> {
    let known = formats().find(|(name, ..)| *name == format);
    let (_, _, content) = known.ok_or_else(|| Failed::not_found("format", &format))?;
    let (_, rows) = rows(&app, &caller, &asked).await?;
    let title = if asked.table.is_empty() { UNNAMED } else { &*asked.table };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name = title.chars().map(plain).collect::<String>();
    if format == "docx" {
        return Ok(export::file(docx(&written(title, &rows))?, content, &format!("{name}.docx")));
    }
    let (text, ending) = match (&*format, Style::of(&format)) {
        (_, Some(style)) => {
            let ids = rows.iter().map(|kept| SourceId::from(kept.source_id.as_str())).collect();
            (export::papers(&app, &caller, ids, style).await?, style.extension())
        }
        ("csv", _) => (csv(&rows), "csv"),
        ("json", _) => (serde_json::to_string_pretty(&rows).map_err(Failed::inside)?, "json"),
        ("md", _) => (listed(title, &rows).markdown(), "md"),
        _ => (listed(title, &rows).html(title), "html"),
    };
    Ok(export::file(text, content, &format!("{name}.{ending}")))
}

const COLUMNS: [&str; 10] = [
    "Table",
    "Claim",
    "Quote",
    "Quote found in the paper",
    "Paper",
    "Place",
    "Confidence",
    "Verdict",
    "Note",
    "Source",
];

fn cells(kept: &Kept) -> [&str; 10] {
    let Kept { list, claim, quote, paper, place, confidence, verdict, note, source_id, verified, .. } = kept;
    let verified = if *verified { "yes" } else { "unverified" };
    [list, claim, quote, verified, paper, place, confidence, verdict, note, source_id]
}

/// With a mark of the byte order, as spreadsheets want it.
fn csv(rows: &[Kept]) -> String {
    let line = |cells: [&str; 10]| types::csv::record(cells) + "\r\n";
    let lines: String = rows.iter().map(|kept| line(cells(kept))).collect();
    format!("\u{feff}{}{lines}", line(COLUMNS))
}

/// Claims with their quotes; only a quote that was found in its paper has a footnote.
fn written(title: &str, rows: &[Kept]) -> Vec<Paragraph> {
    let mut all = vec![Paragraph::plain("Title", title)];
    for kept in rows {
        all.push(Paragraph::plain("Heading1", &*kept.claim));
        let unverified = if kept.verified { String::new() } else { format!(" [unverified: {}]", kept.paper) };
        let mut quote = Paragraph::plain("Quote", format!("“{}”{unverified}", kept.quote));
        if kept.verified {
            quote.pieces[0].1.push(format!("{}. {}", kept.paper, kept.place));
        }
        all.push(quote);
        let said = [&kept.verdict, &kept.note].map(String::as_str);
        let said = said.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ");
        all.extend((!said.is_empty()).then(|| Paragraph::plain("", said)));
    }
    all
}

fn listed(title: &str, rows: &[Kept]) -> Page {
    let mut page = Page::new();
    page.document(title);
    for kept in rows {
        page.heading(kept.claim.as_str());
        page.quote_line(Line::new().quoted(kept.quote.as_str()));
        let place = if kept.verified { &*kept.place } else { "unverified" };
        page.line(format!("{}. {place}", kept.paper));
        page.fact("confidence", kept.confidence.as_str());
        page.fact("verdict", kept.verdict.as_str());
        page.fact("note", kept.note.as_str());
    }
    page
}
