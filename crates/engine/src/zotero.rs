//! What Zotero, if it runs on this machine, knows of a paper. It is only read, over its local API (Zotero 7, "Allow other applications on
//! this computer to communicate with Zotero").

use crate::indexer::MetadataChange;
use reqwest::{Client, Url, redirect::Policy};
use serde::Deserialize;
use std::time::Duration;
use types::{Explain, SourceMeta};

/// Where Zotero listens.
const API: &str = "http://127.0.0.1:23119/api/users/0/items";
/// A library on the same machine answers at once.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of an answer at most.
const BYTES: usize = 8 << 20;

/// Why Zotero says nothing of a paper.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "zotero")]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum ZoteroError {
    /// Nothing listens.
    #[error("Zotero does not run on this machine; start it")]
    NotRunning,
    /// Its API is off.
    #[error(
        "Zotero lets no other program read; allow it in its settings: Advanced, “Allow other applications on this computer to communicate with Zotero”"
    )]
    NotAllowed,
    /// Its answer cannot be read.
    #[error("the answer of Zotero cannot be read: {reason}")]
    Unreadable { reason: String },
}

/// An entry, as far as it is used.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Item {
    #[serde(rename = "itemType")]
    kind: String,
    title: String,
    creators: Vec<Creator>,
    date: String,
    #[serde(rename = "DOI")]
    doi: String,
    publication_title: String,
    proceedings_title: String,
    book_title: String,
    tags: Vec<Tag>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Creator {
    #[serde(rename = "creatorType")]
    role: String,
    first_name: String,
    last_name: String,
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tag {
    tag: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Found {
    data: Item,
}

/// What Zotero knows of a paper: that of the entry with its DOI, else with its title; `None` if it has neither.
///
/// # Errors
/// When Zotero does not run, lets nobody read, or its answer cannot be read.
pub async fn metadata(meta: &SourceMeta) -> Result<Option<MetadataChange>, ZoteroError> {
    let unreadable =
        |error: reqwest::Error| ZoteroError::Unreadable { reason: error.without_url().to_string() };
    // Fails only when some other part of the process has chosen a provider already, which then serves too.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().no_proxy().tls_certs_only([]).redirect(Policy::none()).timeout(PATIENCE);
    let client = client.build().map_err(unreadable)?;
    let asked = [(meta.doi.as_deref(), "everything"), (meta.title.as_deref(), "titleCreatorYear")];
    for (words, mode) in asked.into_iter().filter_map(|(words, mode)| Some((words?, mode))) {
        let query = [("q", words), ("qmode", mode), ("format", "json"), ("include", "data"), ("limit", "50")];
        let address = Url::parse_with_params(API, query)
            .map_err(|error| ZoteroError::Unreadable { reason: error.to_string() })?;
        let answer = client.get(address).send().await;
        let mut answer = answer
            .map_err(|error| if error.is_connect() { ZoteroError::NotRunning } else { unreadable(error) })?;
        if answer.status() == reqwest::StatusCode::FORBIDDEN {
            return Err(ZoteroError::NotAllowed);
        }
        let mut bytes = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(unreadable)? {
            bytes.extend_from_slice(&part);
            if bytes.len() > BYTES {
                return Err(ZoteroError::Unreadable {
                    reason: format!("it is larger than {} MiB", BYTES >> 20),
                });
            }
        }
        let items: Vec<Found> = serde_json::from_slice(&bytes)
            .map_err(|error| ZoteroError::Unreadable { reason: error.to_string() })?;
        if let Some(found) = items.iter().find(|found| is_of(&found.data, meta)) {
            return Ok(Some(change(&found.data, meta)));
        }
    }
    Ok(None)
}

/// Whether an entry is of this paper: by its DOI, where both have one, else by its title.
fn is_of(item: &Item, meta: &SourceMeta) -> bool {
    let plain = |doi: &str| doi.rsplit("doi.org/").next().unwrap_or_default().trim().to_lowercase();
    if ["attachment", "note", "annotation"].contains(&&*item.kind) {
        return false;
    }
    match meta.doi.as_deref() {
        Some(doi) if !item.doi.is_empty() => plain(doi) == plain(&item.doi),
        _ => {
            let letters = |text: &str| text::folded_words(text).concat();
            let title = meta.title.as_deref().map(letters).unwrap_or_default();
            !title.is_empty() && title == letters(&item.title)
        }
    }
}

fn change(item: &Item, meta: &SourceMeta) -> MetadataChange {
    let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let authors = item.creators.iter().filter(|creator| creator.role == "author");
    let authors: Vec<String> = authors
        .filter_map(|Creator { first_name, last_name, name, .. }| {
            some(&format!("{first_name} {last_name} {name}"))
        })
        .collect();
    // "2021-03-04", "March 2021", "03/2021"
    let year = item.date.split(|c: char| !c.is_ascii_digit()).find(|part| part.len() == 4);
    let mut tags = meta.tags.clone();
    tags.extend(item.tags.iter().filter_map(|tag| some(&tag.tag)).filter(|tag| !meta.tags.contains(tag)));
    let venues = [&item.publication_title, &item.proceedings_title, &item.book_title];
    MetadataChange {
        title: some(&item.title),
        authors: (!authors.is_empty()).then_some(authors),
        year: year.and_then(|year| year.parse().ok()),
        venue: venues.into_iter().find_map(|venue| some(venue)),
        doi: some(&item.doi),
        tags: Some(tags),
    }
}
