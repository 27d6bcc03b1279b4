//! A page of a paper: its picture under the marks of a quote and a text that can be selected.

use super::{
    cache::{Entry, Kept, Wanted, files_of},
    saved::{by, load, page_address},
    view::{View, encoded, shown, wants_part},
};
use crate::{
    app::{App, Caller},
    asked::within,
    extract::{Asked, Path},
    failed::Failed,
    limits::QUOTES_MOST,
    operation::{Operation, PNG, Routes},
    routes::own::{looked_up, paper_of, pdf_with},
    state::{
        evidence::{self, Kept as KeptQuote},
        opened,
    },
    versions,
};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use engine::{
    EngineError,
    indexer::SourceDetails,
    page::{Page, PageRequest, QUOTE_MOST, QuoteNote, page as page_of, page_image},
    settings::Settings,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::sleep;
use types::SourceId;

/// How long a page waits for others that are read, and looks again.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/paper/{id}", "The first page of a paper").on_page().by(get(first)),
        Operation::get("/paper/{id}/page/{page}", "A page of a paper, with a quote marked")
            .on_page()
            .by(get(page)),
        Operation::get("/paper/{id}/page/{page}/image", "The picture of a page").on_page().by(get(image)),
        Operation::get(
            "/paper/{id}/pdf",
            "The PDF with the quotes of an answer, and the kept ones, highlighted",
        )
        .on_page()
        .by(get(pdf)),
    ]
}

/// What a page is looked up for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Look {
    /// The quote that is marked.
    pub(super) quote: Option<String>,
    /// The answer that cites it.
    pub(super) answer: Option<String>,
    /// Which citation of that answer it is, from 1.
    pub(super) cite: Option<usize>,
}

async fn first(Path(id): Path<String>) -> Redirect {
    Redirect::to(&page_address(&SourceId::from(id.as_str()), 1, None, None))
}

async fn page(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Path((id, number)): Path<(String, u32)>,
    Asked(asked): Asked<Look>,
) -> Result<Response, Failed> {
    let id = SourceId::from(id.as_str());
    let content = beside(&app, &caller, &id, number, &asked).await?;
    let (place, source) = (caller.place(), id.to_string());
    app.state.run(move |c| opened::add(c, &place, &source)).await?;
    if wants_part(&headers) {
        return Ok(shown(StatusCode::OK, &content));
    }
    let title = format!("{id}, page {number}");
    let view = View::new(&app, &caller, "", &title);
    Ok(view.page(&html! { div.alone { (content) } }))
}

async fn image(
    State(app): State<App>,
    caller: Caller,
    Path((id, number)): Path<(String, u32)>,
) -> Result<impl IntoResponse, Failed> {
    let wanted = Wanted { source: SourceId::from(id.as_str()), page: number, quote: None, is_image: true };
    let (_, Kept::Image(image)) = look(&app, &caller, wanted).await? else {
        return Err(Failed::inside("a page in place of a picture"));
    };
    Ok(([(header::CONTENT_TYPE, PNG)], image))
}

#[derive(Deserialize)]
struct Of {
    #[serde(default)]
    answer: String,
}

/// The PDF with the quotes of an answer, and those that are kept, highlighted.
async fn pdf(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Asked(Of { answer }): Asked<Of>,
) -> Result<Response, Failed> {
    let mut quotes: Vec<QuoteNote> = Vec::new();
    if !answer.is_empty() {
        let (saved, document) = load(&app, &caller, &answer).await?;
        let of_paper = document
            .ask
            .citations
            .into_iter()
            .filter(|quoted| quoted.citation.source_id.as_str() == id && quoted.is_verified());
        quotes.extend(of_paper.map(|quoted| QuoteNote {
            page: quoted.page_number(),
            quote: quoted.citation.relevant_quote,
            note: saved.question.clone(),
        }));
    }
    for kept in kept_of(&app, &caller, &id).await? {
        let note = [kept.claim, kept.note].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        let note = note.join("\n");
        match quotes.iter_mut().find(|own| own.quote == kept.quote) {
            Some(own) => own.note = note,
            None => quotes.push(QuoteNote { page: kept.page.unwrap_or(1), quote: kept.quote, note }),
        }
    }
    if quotes.is_empty() {
        return Err(Failed::invalid("no_quotes", "there is no quote to highlight in this paper").value(id));
    }
    within("quotes", quotes.len(), QUOTES_MOST)?;
    pdf_with(&app, &caller, id, quotes).await
}

/// The quotes of a paper that are kept and were found in it.
async fn kept_of(app: &App, caller: &Caller, id: &str) -> Result<Vec<KeptQuote>, Failed> {
    let (tenant, id) = (caller.tenant(), id.to_owned());
    Ok(app.state.read(move |c| evidence::of_paper(c, &tenant, &id)).await?)
}

/// What is kept of a page, or what its file has.
///
/// # Errors
/// When there is no such paper or page, or it cannot be read; for a picture, when the paper has none.
async fn look(app: &App, caller: &Caller, wanted: Wanted) -> Result<(Arc<SourceDetails>, Kept), Failed> {
    let place = caller.place();
    let index = app.pipeline(&place).await?;
    let paper = Arc::new(paper_of(app, caller, &wanted.source).await?);
    let own = Arc::clone(&paper);
    let files = app.disk.run(move || files_of(&own)).await;
    if let Some(kept) = app.read_pages.find(&place, &wanted, &index, &files) {
        return Ok((paper, kept));
    }
    let (id, quote) = (wanted.source.to_string(), wanted.quote.clone());
    let is_image = wanted.is_image;
    let read =
        move |settings: &Settings, id: &SourceId, request: &PageRequest| -> Result<Kept, EngineError> {
            if is_image {
                page_image(settings, id, request).map(|(_, image)| Kept::Image(image.into()))
            } else {
                page_of(settings, id, request).map(|page| Kept::Page(Arc::new(page)))
            }
        };
    let since = Instant::now();
    let kept = loop {
        match looked_up(app, caller, id.clone(), wanted.page, quote.clone(), read).await {
            // A reader who turns pages quickly waits.
            Err(failed) if failed.parts.code == "busy" && since.elapsed() < PATIENCE => sleep(PAUSE).await,
            read => break read?,
        }
    };
    let index = Arc::downgrade(&index);
    app.read_pages.keep(Entry { place, wanted, index, files, kept: kept.clone() });
    Ok((paper, kept))
}

/// A page with its quote, and the ways to others.
pub(super) async fn beside(
    app: &App,
    caller: &Caller,
    id: &SourceId,
    number: u32,
    asked: &Look,
) -> Result<Markup, Failed> {
    let answer = match &asked.answer {
        Some(answer) => load(app, caller, answer).await.ok(),
        None => None,
    };
    let since = match &answer {
        Some((saved, _)) => versions::since(app, caller, &saved.library, [id].into_iter()).await.remove(id),
        None => None,
    };
    let (paper, page, missing) = match found(app, caller, id, number, asked.quote.clone()).await {
        Err(failed) if since.is_some() => return Err(failed.hint(since.unwrap_or_default())),
        found => found?,
    };
    let citations = answer.map(|(_, document)| document.ask.citations);
    // Beside an answer, a step leads to the answer with another page, and a script fetches the page alone.
    let quote = asked.quote.as_deref();
    let cited = asked.answer.as_deref().zip(asked.cite);
    let to_quote = |at: usize| {
        let (answer, quoted) = (asked.answer.as_deref()?, citations.as_ref()?.get(at.checked_sub(1)?)?);
        Some((format!("/answer/{}?cite={at}", encoded(answer)), Some(quoted.address(answer, at))))
    };
    let to_page = |page: u32| {
        let part = page_address(id, page, quote, cited);
        match cited {
            Some((answer, cite)) => {
                (format!("/answer/{}?cite={cite}&page={page}", encoded(answer)), Some(part))
            }
            None => (part, None),
        }
    };
    let has_quotes = asked.answer.is_some() || !kept_of(app, caller, id.as_str()).await?.is_empty();
    let highlighted = (has_quotes && page.width.is_some()).then(|| {
        let answer = asked.answer.as_ref().map(|answer| format!("?answer={}", encoded(answer)));
        format!("/paper/{}/pdf{}", encoded(id.as_str()), answer.unwrap_or_default())
    });
    let last = paper.sections.iter().map(|section| section.page_end).max();
    let pages = page.pages.or(last).unwrap_or(number);
    let step = |name: &str, key: &str, way: Option<(String, Option<String>)>| {
        html! {
            @match way {
                Some((whole, Some(part))) => a.step data-key=(key) href=(whole) hx-get=(part) hx-target="#pane" hx-push-url=(whole) { (name) },
                Some((whole, None)) => a.step data-key=(key) href=(whole) { (name) },
                None => span.step.off { (name) },
            }
        }
    };
    let meta = &paper.source.meta;
    let title = meta.title.as_deref().unwrap_or(meta.source_id.as_str());
    Ok(html! {
        section.paper aria-label=(format!("{title}, page {number}")) data-part=(page_address(id, number, quote, cited)) {
            header {
                h2 dir="auto" { (title) }
                p.source dir="auto" { (by(&meta.authors, meta.year)) }
                nav.steps aria-label="Pages and quotes" {
                    (step("Previous page", "ArrowLeft", number.checked_sub(1).filter(|page| *page > 0).map(to_page)))
                    span { "Page " (number) " of " (pages) }
                    (step("Next page", "ArrowRight", Some(number + 1).filter(|page| *page <= pages).map(to_page)))
                    @if let Some(cite) = asked.cite.filter(|_| cited.is_some()) {
                        (step("Previous quote", "p", to_quote(cite.saturating_sub(1))))
                        (step("Next quote", "n", to_quote(cite + 1)))
                    }
                    button.quiet type="button" data-zoom="in" hidden { "Zoom in" }
                    button.quiet type="button" data-zoom="out" hidden { "Zoom out" }
                    a.step href=(page_address(id, number, asked.quote.as_deref(), None)) { "Link to this page" }
                    @if let Some(highlighted) = &highlighted { a.step data-file href=(highlighted) { "PDF with the quotes" } }
                    @if let Some((answer, _)) = cited {
                        label.step data-pin hidden { input type="checkbox"; " Keep open" }
                        a.step data-close href=(format!("/answer/{}", encoded(answer))) { "Close" }
                    }
                }
                @if missing.is_some() || since.is_some() { p.problem role="status" { @for says in [&missing, &since].into_iter().flatten() { (says) " " } } }
            }
            (sheet(&page, quote))
            details.sections {
                summary { "Sections of this paper" }
                ul { @for section in &paper.sections { li { a href=(page_address(id, section.page_start, None, None)) { bdi { (section.heading) } } ", p. " (section.page_start) } } }
            }
        }
    })
}

/// The page, and why the quote is not marked if it is not.
async fn found(
    app: &App,
    caller: &Caller,
    id: &SourceId,
    number: u32,
    quote: Option<String>,
) -> Result<(Arc<SourceDetails>, Arc<Page>, Option<String>), Failed> {
    let is_long = quote.as_ref().is_some_and(|quote| quote.chars().count() > QUOTE_MOST);
    let quote = quote.map(|quote| quote.chars().take(QUOTE_MOST).collect());
    let has_quote = quote.is_some();
    let wanted = |quote| Wanted { source: id.clone(), page: number, quote, is_image: false };
    let mut missing = None;
    let found = match look(app, caller, wanted(quote)).await {
        Err(failed) if failed.parts.code == "quote_not_on_page" => {
            let says = "The quote is not on this page of the current index: the paper may have changed.";
            missing = Some(says.to_owned());
            look(app, caller, wanted(None)).await
        }
        found => found,
    };
    let (paper, Kept::Page(page)) = found? else {
        return Err(Failed::inside("a picture in place of a page"));
    };
    let is_unmarked = page.quote.as_ref().is_some_and(Vec::is_empty) && page.text_only.is_none();
    if missing.is_none() && has_quote && is_unmarked {
        missing = Some("The place of the quote on this page is not known, so nothing is marked.".to_owned());
    } else if missing.is_none() && is_long {
        missing = Some(format!("The quote is long: only its first {QUOTE_MOST} characters are marked."));
    }
    Ok((paper, page, missing))
}

/// The picture of a page with its marks and its text; the text alone, with its mark, where there is no picture.
fn sheet(page: &Page, quote: Option<&str>) -> Markup {
    let (Some(width), Some(height)) = (page.width, page.height) else {
        let marked = quote.filter(|_| page.quote.is_some()).and_then(|quote| found_in(&page.text, quote));
        return html! {
            div.plain dir="auto" {
                @if let Some(why) = &page.text_only { p.note { "Only the text of this page is shown: " (why) "." } }
                @if let Some((before, quote, after)) = marked {
                    p.printed { (before) mark.quoted { (quote) } (after) }
                } @else {
                    @if quote.is_some() { p.problem role="status" { "The place of the quote in this text is not known, so nothing is marked." } }
                    p.printed { (page.text) }
                }
            }
        };
    };
    let image = format!("/paper/{}/page/{}/image", encoded(page.source_id.as_str()), page.page);
    html! {
        div.sheet tabindex="0" role="region" aria-label="Page" {
            svg viewBox=(format!("0 0 {width} {height}")) xmlns="http://www.w3.org/2000/svg" {
                image href=(image) width=(width) height=(height) {}
                @for area in page.quote.iter().flatten() {
                    rect.quoted x=(area.x) y=(area.y) width=(area.width) height=(area.height) {}
                }
                g.text {
                    @for line in page.boxes.iter().filter(|line| line.area.width > 0.0) {
                        text x=(line.area.x) y=(line.area.y + 0.78 * line.area.height) font-size=(line.area.height)
                            textLength=(line.area.width) lengthAdjust="spacingAndGlyphs" { (line.text) "\n" }
                    }
                }
            }
        }
    }
}

/// The text before a quote, the quote as it stands in the text, and the text after it, whatever white space parts the words.
fn found_in<'t>(text: &'t str, quote: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let words: Vec<&str> = quote.split_whitespace().collect();
    let first = *words.first()?;
    text.match_indices(first).find_map(|(start, _)| {
        let mut end = start;
        for (at, word) in words.iter().enumerate() {
            let rest = &text[end..];
            let trimmed = if at == 0 { rest } else { rest.trim_start() };
            end = text.len() - trimmed.strip_prefix(word)?.len();
        }
        Some((&text[..start], &text[start..end], &text[end..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_found_over_line_breaks_and_nowhere_else() {
        let text = "They slept. They  slept\n3 hours, é.";
        assert_eq!(
            found_in(text, "They slept 3 hours"),
            Some(("They slept. ", "They  slept\n3 hours", ", é."))
        );
        assert_eq!(found_in(text, "They slept 4 hours"), None);
        assert_eq!(found_in(text, " "), None);
    }

    #[test]
    fn an_address_keeps_any_quote() {
        let id = SourceId::from("a_1");
        let address = page_address(&id, 2, Some("5 % & \"é\""), Some(("x", 1)));
        assert_eq!(address, "/paper/a_1/page/2?quote=5%20%25%20%26%20%22%C3%A9%22&answer=x&cite=1");
    }
}
