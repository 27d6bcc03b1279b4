//! What a page says of its paper: the tags for Google Scholar (`citation_…`), Dublin Core, JSON-LD, and the authors of LaTeXML.

use super::super::{article::is_name, doi, manifest};
use super::{kinds::has_class, text_of};
use crate::draft::clean;
use scraper::{ElementRef, Html, Node};
use serde_json::Value;
use types::{Printed, SourceMeta};

/// The metadata of a page; no title where only its window has one.
pub(super) fn read(html: &Html) -> SourceMeta {
    let tags: Vec<(String, String)> = elements(html, "meta").filter_map(tag).collect();
    let many = |names: &str| -> Vec<String> {
        let of = |name: &str| -> Vec<String> {
            tags.iter().filter(|(own, _)| own == name).map(|(_, value)| value.clone()).collect()
        };
        names.split(' ').map(of).find(|values| !values.is_empty()).unwrap_or_default()
    };
    let one = |names: &str| many(names).into_iter().next();
    let json = elements(html, "script")
        .filter(|el| el.attr("type") == Some("application/ld+json"))
        .find_map(|el| article(&serde_json::from_str(&el.text().collect::<String>()).ok()?));
    let json = json.unwrap_or_default();
    let said = |keys: &[&str]| keys.iter().find_map(|key| json[*key].as_str()).map(clean);
    let mut authors: Vec<String> =
        many("citation_author dc.creator author").iter().flat_map(|all| names(all)).collect();
    if authors.is_empty() {
        let list = json["author"].as_array().cloned().unwrap_or_else(|| vec![json["author"].clone()]);
        authors = list.iter().filter_map(|of| of["name"].as_str().or(of.as_str())).map(clean).collect();
    }
    if authors.is_empty() {
        let printed = html.root_element().descendent_elements().filter(|el| has_class(*el, "ltx_personname"));
        authors = printed.take(500).flat_map(printed_names).collect();
    }
    let date = one(
        "citation_publication_date citation_date citation_online_date citation_year dc.date prism.publicationdate",
    );
    let dois = many("citation_doi prism.doi dc.identifier").into_iter().chain(said(&[
        "@id",
        "sameAs",
        "identifier",
    ]));
    SourceMeta {
        title: one("citation_title dc.title").or_else(|| said(&["headline", "name"])),
        authors,
        year: date.or_else(|| said(&["datePublished"])).and_then(|text| manifest::year_in(&text)),
        venue: one("citation_journal_title citation_conference_title prism.publicationname"),
        printed: Printed {
            volume: one("citation_volume prism.volume"),
            issue: one("citation_issue prism.number"),
            first_page: one("citation_firstpage prism.startingpage"),
            ..Printed::default()
        },
        doi: { dois }.find_map(|text| doi::doi(&text)),
        ..SourceMeta::default()
    }
}

/// What the window of a browser is called: the title, most often with the name of the website.
pub(super) fn title_of_window(html: &Html) -> Option<String> {
    elements(html, "title").map(text_of).find(|title| !title.is_empty())
}

fn elements<'h>(html: &'h Html, name: &'static str) -> impl Iterator<Item = ElementRef<'h>> {
    html.root_element().descendent_elements().filter(move |el| el.value().name() == name)
}

fn tag(el: ElementRef<'_>) -> Option<(String, String)> {
    let name = el.attr("name").or_else(|| el.attr("property"))?.to_lowercase();
    let value = clean(el.attr("content")?);
    (!value.is_empty() && value.len() <= 2_000).then(|| (name.replace("dcterms.", "dc."), value))
}

/// The object of JSON-LD that is an article.
fn article(json: &Value) -> Option<Value> {
    let is_one = |kind: &Value| kind.as_str().is_some_and(|kind| kind.ends_with("Article"));
    match json {
        Value::Array(all) => all.iter().find_map(article),
        Value::Object(of) => {
            let kind = &json["@type"];
            let found = is_one(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is_one));
            if found {
                Some(json.clone())
            } else {
                ["@graph", "mainEntity"].iter().find_map(|key| article(of.get(*key)?))
            }
        }
        _ => None,
    }
}

/// The names in one tag, each in the order in which it is printed: "Doe, Jane" is Jane Doe.
fn names(text: &str) -> Vec<String> {
    let degree = |part: &str| {
        ["md", "phd", "msc", "jr", "jr.", "iii"].contains(&part.replace('.', "").to_lowercase().as_str())
    };
    let name = |name: &String| match name.split_once(',') {
        Some((last, first)) if !first.contains(',') && !degree(first.trim()) => {
            format!("{} {}", first.trim(), last.trim())
        }
        _ => name.clone(),
    };
    manifest::list(text).iter().map(name).collect()
}

/// The names that LaTeXML prints: before the first line break, whatever parts them.
fn printed_names(el: ElementRef<'_>) -> Vec<String> {
    let is_break = |el: &ElementRef<'_>| el.value().name() == "br";
    let line = el.children().take_while(|node| !ElementRef::wrap(*node).is_some_and(|el| is_break(&el)));
    let text = line.filter_map(|node| match node.value() {
        Node::Text(text) => Some(text.to_string()),
        _ => ElementRef::wrap(node)
            .filter(|el| !matches!(el.value().name(), "sup" | "math") && !has_class(*el, "ltx_note"))
            .map(text_of),
    });
    let text = text.collect::<Vec<_>>().join(" ").replace(" and ", "&");
    text.split(['&', ',']).map(clean).filter(|name| is_name(name)).collect()
}
