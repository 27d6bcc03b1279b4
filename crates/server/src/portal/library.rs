//! The papers: which there are, by what they can be chosen, and what could not be read.

use super::{
    ask, form, saved, upload,
    view::{View, check, count, encoded, shown, wants_part},
};
use crate::{
    app::{App, Caller},
    extract::{Asked, Sent},
    failed::Failed,
    operation::{Operation, Routes},
    routes::papers,
    state::opened,
};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
    routing::{get, post},
};
use engine::{
    EngineError, IndexerError,
    indexer::{Remarks, Source, UnreadFile},
    settings::Settings,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::collections::BTreeSet;
use types::{Explain as _, SourceId};

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/library", "The papers").on_page().by(get(page)),
        Operation::post("/library/ask", "Asks some of the papers").on_page().by(post(ask)),
        Operation::get("/library/remarks", "Papers that seem to be the same, and text that is missing")
            .on_page()
            .by(get(remarks)),
    ]
}

/// Papers that the list shows.
const SHOWN: usize = 1000;
/// What the list is sorted by, and the heads of its columns.
const COLUMNS: [(&str, &str); 6] = [
    ("title", "Paper"),
    ("author", "Authors"),
    ("year", "Year"),
    ("tags", "Tags"),
    ("passages", "Passages"),
    ("added", "Added"),
];

/// The view of first pages.
const TILES: &str = "tiles";

/// Which papers, and in which order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Shown {
    words: String,
    author: String,
    tag: String,
    year_from: String,
    year_to: String,
    /// A column, or `opened`; with a minus before it, downwards.
    sort: String,
    /// `tiles`, or nothing for the list.
    view: String,
    /// The job that was started last.
    job: String,
}

impl Shown {
    /// What chooses papers, by the names of the fields.
    fn chosen(&self) -> [(&'static str, &str); 5] {
        let fields = [
            ("words", &self.words),
            ("author", &self.author),
            ("tag", &self.tag),
            ("year_from", &self.year_from),
            ("year_to", &self.year_to),
        ];
        fields.map(|(name, value)| (name, value.trim()))
    }

    fn is_filtered(&self) -> bool {
        self.chosen().iter().any(|(_, value)| !value.is_empty())
    }

    /// The address of the same papers in another order.
    fn sorted_by(&self, sort: &str) -> String {
        self.shown_as(sort, &self.view)
    }

    /// The address of the same papers in this order, as a list or as tiles.
    fn shown_as(&self, sort: &str, view: &str) -> String {
        let fields: Vec<String> = self
            .chosen()
            .into_iter()
            .chain([("sort", sort), ("view", view)])
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={}", encoded(value)))
            .collect();
        format!("/library?{}", fields.join("&"))
    }

    /// The column, and whether it goes down.
    fn order(&self) -> (&str, bool) {
        match self.sort.strip_prefix('-') {
            Some(column) => (column, true),
            None if self.sort.is_empty() => ("title", false),
            None => (&self.sort, false),
        }
    }

    fn admits(&self, source: &Source) -> bool {
        let meta = &source.meta;
        let year = |text: &str| text.trim().parse::<u16>().ok();
        let within = |holds: fn(u16, u16) -> bool, bound: &str| {
            year(bound).is_none_or(|bound| meta.year.is_some_and(|year| holds(year, bound)))
        };
        let all = |words: &str, text: String| {
            let (words, text) = (words.to_lowercase(), text.to_lowercase());
            words.split_whitespace().all(|word| text.contains(word))
        };
        let known = [meta.title.clone(), meta.venue.clone(), meta.doi.clone()];
        let text = known.into_iter().flatten().chain(meta.year.map(|year| year.to_string()));
        let text = text.chain(meta.authors.clone()).chain(meta.tags.clone()).collect::<Vec<_>>().join(" ");
        all(&self.words, text)
            && all(&self.author, meta.authors.join(" "))
            && (self.tag.is_empty() || meta.tags.contains(&self.tag))
            && within(|year, from| year >= from, &self.year_from)
            && within(|year, to| year <= to, &self.year_to)
    }

    /// The papers that are asked for. `opened` are the ids of those that were opened last, the last one first.
    fn of(&self, mut all: Vec<Source>, opened: &[String]) -> Vec<Source> {
        all.retain(|source| self.admits(source));
        let lower = |text: Option<&String>| text.map(|text| text.to_lowercase());
        let (column, down) = self.order();
        match column {
            "year" => all.sort_by_key(|source| source.meta.year),
            "author" => all.sort_by_cached_key(|source| lower(source.meta.authors.first())),
            "tags" => all.sort_by_cached_key(|source| lower(source.meta.tags.first())),
            "passages" => all.sort_by_key(|source| source.chunks),
            "opened" => all.sort_by_cached_key(|source| {
                let place = opened.iter().position(|id| *id == *source.meta.source_id.as_str());
                place.unwrap_or(opened.len())
            }),
            "added" => all.sort_by(|a, b| a.ingested.cmp(&b.ingested)),
            _ => all.sort_by_cached_key(|source| name(source).to_lowercase()),
        }
        if down {
            all.reverse();
        }
        all
    }
}

/// The title of a paper, or its id.
fn name(source: &Source) -> String {
    let meta = &source.meta;
    meta.title.clone().unwrap_or_else(|| meta.source_id.to_string())
}

/// The papers, and the files that could not be read; no papers while there is no index.
///
/// # Errors
/// When the index cannot be read.
pub(super) async fn papers(app: &App, settings: Settings) -> Result<(Vec<Source>, Vec<UnreadFile>), Failed> {
    let read = move || {
        let indexer = engine::indexer(&settings);
        let sources = match indexer.sources() {
            Err(error) if error.explain().code == "index_missing" => Vec::new(),
            sources => sources?,
        };
        Ok((sources, indexer.unread()?))
    };
    let found: Result<_, IndexerError> = app.pool().run(read).await;
    Ok(found.map_err(EngineError::from)?)
}

async fn page(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<Shown>,
) -> Result<Response, Failed> {
    let view = View::new(&app, &caller, "/library", "Library");
    let settings = app.indexes.settings_of(&caller.place());
    let turn = app.turn(&caller)?;
    let (all, failed) = papers(&app, settings).await?;
    drop(turn);
    let total = all.len();
    let tags: BTreeSet<String> = all.iter().flat_map(|source| source.meta.tags.clone()).collect();
    let jobs = upload::jobs(&app, &caller, &asked.job).await?;
    let place = caller.place();
    let opened = app.state.read(move |c| opened::newest(c, &place)).await?;
    let papers = asked.of(all, &opened);
    Ok(view.page(&html! {
        h1 { "Library" }
        (search(&asked, &tags))
        @if view.can_write { (upload::form(&view)) }
        @for job in jobs { (job) }
        @if !failed.is_empty() { (upload::unread(&view, &failed)) }
        @if total > 0 {
            div hx-get="/library/remarks" hx-trigger="load" hx-swap="outerHTML" {
                p.note { a href="/library/remarks" { "Duplicates and missing text" } }
            }
        }
        form action="/library/ask" method="post" {
            (view.hidden())
            @for (name, value) in asked.chosen() { @if !value.is_empty() { input type="hidden" name=(name) value=(value); } }
            p.note.actions {
                (papers.len()) " of " (count(total, "paper"))
                @if papers.len() > SHOWN { "; the first " (SHOWN) }
                ". " button.quiet type="submit" { @if asked.is_filtered() { "Ask the ticked papers, or all of these" } @else { "Ask the ticked papers" } }
                @if view.can_write { " " button.quiet type="submit" formaction="/table" { "Table of the ticked papers" } }
                " " a href=(asked.sorted_by("opened")) { "Last opened first" } " "
                @if asked.view == TILES { a href=(asked.shown_as(&asked.sort, "")) { "List" } } @else { a href=(asked.shown_as(&asked.sort, TILES)) { "Tiles" } }
            }
            @if asked.view == TILES { (tiles(&papers)) } @else { (table(&view, &asked, &papers)) }
        }
    }))
}

fn search(asked: &Shown, tags: &BTreeSet<String>) -> Markup {
    html! {
        form.search action="/library" role="search" {
            label { "Search " input type="search" name="words" dir="auto" value=(asked.words); }
            label { "Author " input name="author" size="12" dir="auto" value=(asked.author); }
            @if !tags.is_empty() {
                label { "Tag " select name="tag" {
                    option value="" { "any" }
                    @for tag in tags { option value=(tag) selected[asked.tag == *tag] { (tag) } }
                } }
            }
            label { "From " input name="year_from" inputmode="numeric" size="4" value=(asked.year_from); }
            label { "to " input name="year_to" inputmode="numeric" size="4" value=(asked.year_to); }
            @for (name, value) in [("sort", &asked.sort), ("view", &asked.view)] { @if !value.is_empty() { input type="hidden" name=(name) value=(value); } }
            button type="submit" { "Apply" }
            @if asked.is_filtered() { a href="/library" { "Show all" } }
        }
    }
}

/// The first pages of the papers.
fn tiles(papers: &[Source]) -> Markup {
    html! {
        ul.tiles {
            @for source in papers.iter().take(SHOWN) {
                @let id = &source.meta.source_id;
                li {
                    a href=(saved::page_address(id, 1, None, None)) {
                        img src=(format!("/paper/{}/page/1/image", encoded(id.as_str()))) alt="" loading="lazy";
                        span dir="auto" { (name(source)) }
                    }
                    label { input type="checkbox" name="paper" value=(id) aria-label=(format!("Ask {}", name(source))); " Ask" }
                }
            }
        }
    }
}

fn table(view: &View<'_>, asked: &Shown, papers: &[Source]) -> Markup {
    let (by, down) = asked.order();
    html! {
        table.papers {
            thead { tr {
                th scope="col" { span.unseen { "Ask" } }
                @for (column, head) in COLUMNS {
                    @let own = (column == by).then_some(if down { "descending" } else { "ascending" });
                    @let next = if own == Some("ascending") { format!("-{column}") } else { column.to_owned() };
                    th scope="col" aria-sort=[own] { a href=(asked.sorted_by(&next)) { (head) } @if own.is_some() { span aria-hidden="true" { @if down { " ▼" } @else { " ▲" } } } }
                }
            } }
            tbody {
                @for source in papers.iter().take(SHOWN) {
                    @let meta = &source.meta;
                    tr {
                        td { input type="checkbox" name="paper" value=(meta.source_id) aria-label=(format!("Ask {}", name(source))); }
                        td {
                            a href=(saved::page_address(&meta.source_id, 1, None, None)) dir="auto" { (name(source)) }
                            @if let Some(place) = meta.printed.place(meta.venue.as_deref()) { br; bdi.note { (place) } }
                            @if meta.fictional { " " span.flag { "fictional sample paper" } }
                            @if source.paths.len() > 1 { " " span.note { "(" (source.paths.len()) " copies)" } }
                            @if view.can_write {
                                br; a.edit href={ "/library/paper/" (encoded(meta.source_id.as_str())) } aria-label=(format!("Edit the details of {}", name(source))) { "Edit details" }
                            }
                        }
                        td dir="auto" { (saved::by(&meta.authors, None)) }
                        td { @if let Some(year) = meta.year { (year) } }
                        td dir="auto" { (meta.tags.join(", ")) }
                        td { (source.chunks) }
                        td { @if let Some(day) = source.ingested.get(..10) { time datetime=(source.ingested) { (day) } } }
                    }
                }
            }
        }
    }
}

/// The page with the question, for the papers that are ticked; with none ticked, for those that the list shows.
async fn ask(
    State(app): State<App>,
    caller: Caller,
    Sent(fields): Sent<Vec<(String, String)>>,
) -> Result<Response, Failed> {
    let of = |wanted: &'static str| {
        fields.iter().filter(move |(name, _)| name == wanted).map(|(_, value)| value.as_str())
    };
    let one = |wanted| of(wanted).next().unwrap_or_default().to_owned();
    check(&app, &caller, &one("token"))?;
    let mut form = form::Form::default();
    form.papers = of("paper").collect::<Vec<_>>().join("\n");
    if form.papers.is_empty() {
        (form.year_from, form.year_to, form.tags) = (one("year_from"), one("year_to"), one("tag"));
        let asked = Shown { words: one("words"), author: one("author"), tag: one("tag"), ..Shown::default() };
        if !asked.words.is_empty() || !asked.author.is_empty() {
            // Passages have no such filter: the papers are named.
            let (all, _) = papers(&app, app.indexes.settings_of(&caller.place())).await?;
            let ids = all.iter().filter(|source| asked.admits(source)).map(|own| own.meta.source_id.as_str());
            form.papers = ids.collect::<Vec<_>>().join("\n");
            if form.papers.is_empty() {
                return Err(Failed::invalid("no_paper", "no paper matches"));
            }
        }
    }
    Ok(ask::page_with(&app, &caller, &form).await)
}

async fn remarks(State(app): State<App>, caller: Caller, headers: HeaderMap) -> Result<Response, Failed> {
    let turn = app.turn(&caller)?;
    let found = papers::remarks_of(&app, &caller.place()).await?;
    drop(turn);
    let part = remarked(&found);
    if wants_part(&headers) {
        return Ok(shown(StatusCode::OK, &part));
    }
    let view = View::new(&app, &caller, "/library", "Duplicates and missing text");
    Ok(view.page(&html! {
        h1 { "Duplicates and missing text" }
        @if found.same.is_empty() && found.doubtful.is_empty() { p { "Nothing was noticed." } }
        (part)
        p { a href="/library" { "Back to the library" } }
    }))
}

/// Papers that seem to be the same, and those whose text is incomplete.
fn remarked(found: &Remarks) -> Markup {
    let paper = |id: &SourceId| html! { a href=(saved::page_address(id, 1, None, None)) { bdi { (id) } } };
    html! {
        div.remarks {
            @if !found.same.is_empty() {
                details {
                    summary { (count(found.same.len(), "group")) " of papers that seem to be the same" }
                    ul { @for same in &found.same {
                        li { @for (at, id) in same.papers.iter().enumerate() { @if at > 0 { ", " } (paper(id)) } ": " bdi { (same.why) } }
                    } }
                    p.note { "If they are one paper, remove the file of one from its folder and ingest again, or with a key: DELETE /v1/papers/ID. Files with the same content are one paper already." }
                }
            }
            @if !found.doubtful.is_empty() {
                details {
                    summary { (count(found.doubtful.len(), "paper")) " with text that is missing or doubtful" }
                    ul { @for own in &found.doubtful {
                        li { (paper(&own.source_id)) ul { @for warning in &own.warnings { li dir="auto" { (saved::capital(warning)) "." } } } }
                    } }
                    p.note { "Install tesseract and set " code { "ingest.ocr = \"auto\"" } "; then pages that are only pictures are read when you ingest again." }
                }
            }
        }
    }
}
