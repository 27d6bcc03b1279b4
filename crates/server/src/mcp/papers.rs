//! The papers: lists of them, and what they say, as tools and as resources.

use super::{
    Session,
    results::{DATA, Detail, Reply, flag, items, named, offset, part, put},
};
use crate::{failed::Failed, portal::view::encoded, routes::own::no_paper};
use engine::{
    EngineError,
    indexer::Source,
    page::{text_of, text_of_page},
    tokens,
};
use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use types::{Chunk, SourceId, SourceMeta};

/// Papers of a page of the list of resources.
const RESOURCES: usize = 200;
/// What resources begin with.
const SCHEME: &str = "paper://";

/// `fetch`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Fetch {
    id: String,
    /// next_cursor of the part before
    cursor: Option<String>,
}

/// `read_section`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadSection {
    source_id: String,
    /// A kind such as methods, or words of a heading
    section: Option<String>,
    page: Option<u32>,
    /// next_cursor of the part before
    cursor: Option<String>,
    /// detailed returns longer parts
    #[serde(default)]
    detail: Detail,
}

/// `list_sources`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListSources {
    /// Words of title, authors, year or id
    query: Option<String>,
    /// detailed adds authors and DOI
    #[serde(default)]
    detail: Detail,
    /// next_cursor of the part before
    cursor: Option<String>,
}

/// A paper and its text.
struct Paper {
    meta: SourceMeta,
    chunks: Vec<Arc<Chunk>>,
}

impl Paper {
    fn chunks<'a>(&'a self, keep: impl Fn(&Chunk) -> bool + 'a) -> impl Iterator<Item = &'a Chunk> {
        self.chunks.iter().map(AsRef::as_ref).filter(move |chunk| keep(chunk))
    }

    /// What these chunks say, on a page if one is named.
    fn text(&self, keep: impl Fn(&Chunk) -> bool, page: Option<u32>) -> String {
        let chunks = self.chunks(keep);
        match page {
            Some(page) => text_of_page(chunks, page),
            None => text_of(chunks),
        }
    }
}

/// The papers of the caller, by id.
async fn all(session: &Session) -> Result<Vec<Source>, Failed> {
    let settings = session.settings();
    let read = move || engine::indexer(&settings).sources();
    Ok(session.app.disk.run(read).await.map_err(EngineError::from)?)
}

async fn paper(session: &Session, id: &str) -> Result<Paper, Failed> {
    let (settings, source) = (session.settings(), SourceId::from(id));
    let read = move || {
        let indexer = engine::indexer(&settings);
        let meta = indexer.source(&source)?.source.meta;
        Ok(Paper { chunks: indexer.printed(&source)?.chunks, meta })
    };
    let read = session.app.disk.run(read).await;
    read.map_err(|error: engine::IndexerError| no_paper(error.into(), id))
}

pub(super) async fn fetch(session: &Session, args: Fetch) -> Result<Reply, Failed> {
    let (found, is_paper) = match paper(session, &args.id).await {
        Err(failed) if failed.parts.code == "not_found" => {
            // The id of a passage is that of its paper, its section and a number.
            let of_passage = args.id.rsplitn(3, "__").nth(2).unwrap_or_default();
            (paper(session, of_passage).await.map_err(|_| failed)?, false)
        }
        found => (found?, true),
    };
    let own = found.chunks(|chunk| chunk.chunk_id.as_str() == args.id).next();
    let (text, page, section) = match own {
        Some(chunk) => (chunk.with_table_head().into_owned(), chunk.page_start, Some(chunk.section.as_str())),
        None if is_paper => (found.text(|_| true, None), 1, None),
        None => return Err(Failed::not_found("passage", &args.id)),
    };
    let (text, next) = part(&text, args.cursor.as_deref(), Detail::Detailed.tokens())?;
    let meta = &found.meta;
    let mut metadata = json!({ "source_id": meta.source_id, "note": DATA });
    describe(&mut metadata, meta);
    put(&mut metadata, "section", section);
    put(&mut metadata, "page", section.map(|_| page));
    put(&mut metadata, "next_cursor", next);
    flag(&mut metadata, &[&named(meta), &text]);
    Ok(Reply::json(json!({
        "id": args.id, "title": named(meta), "text": text, "url": session.link(&meta.source_id, page, None), "metadata": metadata,
    })))
}

fn describe(to: &mut Value, meta: &SourceMeta) {
    put(to, "authors", (!meta.authors.is_empty()).then(|| meta.authors.clone()));
    put(to, "year", meta.year);
    put(to, "doi", meta.doi.clone());
    put(to, "fictional", meta.fictional.then_some(true));
}

pub(super) async fn read_section(session: &Session, args: ReadSection) -> Result<Reply, Failed> {
    let found = paper(session, &args.source_id).await?;
    let id = &found.meta.source_id;
    let title = named(&found.meta);
    let section = args.section.as_deref().map(str::trim).filter(|section| !section.is_empty());
    if section.is_none() && args.page.is_none() {
        return contents(session, &found, args.cursor.as_deref(), args.detail);
    }
    let wanted = section.map(str::to_lowercase);
    let is_in = |chunk: &Chunk| match &wanted {
        Some(wanted) => {
            chunk.section.as_str() == wanted || chunk.heading.to_lowercase().contains(wanted.as_str())
        }
        None => true,
    };
    let page = args.page;
    let text = found.text(is_in, page);
    if text.is_empty() {
        let failed = Failed::invalid(
            "no_section",
            "the paper has no such section or page, or no text is indexed there",
        );
        let asked = [section.map(str::to_owned), page.map(|page| format!("page {page}"))];
        let asked = asked.into_iter().flatten().collect::<Vec<_>>().join(", ");
        return Err(failed.value(asked).hint("call read_section with the source_id alone for the sections"));
    }
    let pages = found.chunks(is_in).map(|chunk| (chunk.page_start, chunk.page_end));
    let (first, last) =
        pages.fold((u32::MAX, 0), |(first, last), (from, to)| (first.min(from), last.max(to)));
    let (first, last) = page.map_or((first, last), |page| (page, page));
    let (text, next) = part(&text, args.cursor.as_deref(), args.detail.tokens())?;
    let url = session.link(id, first, None);
    let mut structured = json!({
        "source_id": id, "title": title, "page_start": first, "page_end": last, "url": url, "note": DATA, "text": text,
    });
    flag(&mut structured, &[&title, &text]);
    put(&mut structured, "section", section);
    put(&mut structured, "next_cursor", next);
    Ok(Reply::of(structured))
}

/// The sections of a paper.
fn contents(session: &Session, found: &Paper, cursor: Option<&str>, detail: Detail) -> Result<Reply, Failed> {
    let meta = &found.meta;
    let mut sections: Vec<(&Chunk, Vec<&str>, u32, usize)> = Vec::new();
    for chunk in found.chunks(|_| true) {
        // A chunk of several short sections has all their headings.
        let own = chunk.heading.split("; ").filter(|heading| !heading.is_empty());
        let (size, last) = (tokens::estimate(&chunk.text), chunk.page_end);
        match sections.last_mut() {
            Some((first, headings, end, all)) if first.section == chunk.section => {
                for heading in own.filter(|heading| !headings.contains(heading)).collect::<Vec<_>>() {
                    headings.push(heading);
                }
                *end = last.max(*end);
                *all += size;
            }
            _ => sections.push((chunk, own.collect(), last, size)),
        }
    }
    let sections = sections.into_iter().map(|(first, headings, last, size)| {
        json!({
            "section": first.section, "headings": headings, "page_start": first.page_start, "page_end": last, "tokens": size
        })
    });
    let (sections, next) = items(sections, cursor, detail.tokens())?;
    let title = named(meta);
    let url = session.link(&meta.source_id, 1, None);
    let mut structured = json!({ "source_id": meta.source_id, "title": title, "url": url, "sections": sections, "note": DATA });
    describe(&mut structured, meta);
    flag(&mut structured, &[&title]);
    put(&mut structured, "next_cursor", next);
    Ok(Reply::of(structured))
}

pub(super) async fn list_sources(session: &Session, args: ListSources) -> Result<Reply, Failed> {
    let words: Vec<String> =
        args.query.iter().flat_map(|query| query.split_whitespace()).map(str::to_lowercase).collect();
    let mut papers = all(session).await?;
    papers.retain(|paper| {
        let SourceMeta { source_id, title, authors, year, .. } = &paper.meta;
        let year = year.map(|year| year.to_string()).unwrap_or_default();
        let title = title.as_deref().unwrap_or_default();
        let known = format!("{source_id} {title} {} {year}", authors.join(" ")).to_lowercase();
        words.iter().all(|word| known.contains(word.as_str()))
    });
    let total = papers.len();
    let each = papers.iter().map(|paper| {
        let meta = &paper.meta;
        let mut own = json!({
            "source_id": meta.source_id, "title": meta.title, "year": meta.year, "url": session.link(&meta.source_id, 1, None),
        });
        if args.detail == Detail::Detailed {
            describe(&mut own, meta);
            put(&mut own, "venue", meta.venue.clone());
            put(&mut own, "tags", (!meta.tags.is_empty()).then(|| meta.tags.clone()));
        }
        flag(&mut own, &[&named(meta)]);
        own
    });
    let (sources, next) = items(each, args.cursor.as_deref(), args.detail.tokens())?;
    let mut structured = json!({ "total": total, "note": DATA, "sources": sources });
    put(&mut structured, "next_cursor", next);
    Ok(Reply::of(structured))
}

/// A part of the list of papers as resources.
pub(super) async fn resources(
    session: &Session,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, Failed> {
    let from = offset(cursor)?;
    let papers = all(session).await?;
    let listed = papers.iter().skip(from).take(RESOURCES).map(|paper| {
        let meta = &paper.meta;
        let uri = format!("{SCHEME}{}", encoded(meta.source_id.as_str()));
        Resource::new(uri, meta.source_id.as_str()).with_title(named(meta)).with_mime_type("text/plain")
    });
    let mut result = ListResourcesResult::with_all_items(listed.collect());
    let end = from + result.resources.len();
    result.next_cursor = (end < papers.len()).then(|| end.to_string());
    Ok(result)
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let paper = ResourceTemplate::new(format!("{SCHEME}{{source_id}}"), "paper");
    let page = ResourceTemplate::new(format!("{SCHEME}{{source_id}}/page/{{page}}"), "page");
    vec![paper.with_title("The text of a paper"), page.with_title("The text of a page of a paper")]
}

/// What a paper or a page of it says.
pub(super) async fn resource(session: &Session, asked: &str) -> Result<ReadResourceResult, Failed> {
    let missing = || Failed::not_found("resource", asked);
    let (name, page) = match asked.strip_prefix(SCHEME).ok_or_else(missing)?.split_once("/page/") {
        Some((name, page)) => (name, Some(page.parse::<u32>().map_err(|_| missing())?)),
        None => (&asked[SCHEME.len()..], None),
    };
    let _turn = session.app.turn(&session.caller)?;
    let known = all(session).await?.into_iter().map(|paper| paper.meta.source_id);
    let id = known.into_iter().find(|id| encoded(id.as_str()) == name);
    let found = paper(session, id.ok_or_else(missing)?.as_str()).await?;
    let text = found.text(|_| true, page);
    if text.is_empty() {
        return Err(missing());
    }
    let url = session.link(&found.meta.source_id, page.unwrap_or(1), None);
    let mut own = json!({ "title": named(&found.meta), "url": url, "note": DATA, "text": text });
    flag(&mut own, &[&named(&found.meta), &text]);
    let text = Reply::of(own).text;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, asked)]))
}
