//! Papers as entries for a reference manager: BibTeX, RIS and CSL-JSON.
//!
//! An entry has what is known of a paper and nothing made up: a paper without a venue is `@misc`, and a year that is not known is
//! left out. Keys and ids are those of the sources.

use biblatex::{Bibliography, Chunk, Entry, EntryType, Spanned};
use serde_json::{Map, Value, json};
use std::str::FromStr;
use types::{SourceMeta, surname};

/// A format of reference managers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Style {
    /// BibTeX.
    Bibtex,
    /// RIS, which EndNote, Zotero and Mendeley read.
    Ris,
    /// CSL-JSON, a list of items.
    Csl,
}

impl Style {
    /// The ending of such a file.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Bibtex => "bib",
            Self::Ris => "ris",
            Self::Csl => "json",
        }
    }

    /// The style of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::from_str(name).ok()
    }
}

/// The entries of these papers, in their order, each once.
pub fn bibliography<'m>(papers: impl IntoIterator<Item = &'m SourceMeta>, style: Style) -> String {
    let mut papers: Vec<&SourceMeta> = papers.into_iter().collect();
    let mut seen = std::collections::BTreeSet::new();
    papers.retain(|meta| seen.insert(&meta.source_id));
    match style {
        Style::Bibtex => bibtex(&papers),
        Style::Ris => papers.iter().map(|meta| ris(meta)).collect(),
        Style::Csl => {
            let items: Vec<Value> = papers.iter().map(|meta| csl(meta)).collect();
            format!("{:#}\n", Value::from(items))
        }
    }
}

/// The journal or venue.
fn venue(meta: &SourceMeta) -> Option<&str> {
    meta.printed.journal.as_deref().or(meta.venue.as_deref())
}

/// The first and the last printed page, as far as they are known.
fn pages(meta: &SourceMeta) -> Option<(String, Option<String>)> {
    let Some(pages) = &meta.printed.pages else {
        return meta.printed.first_page.clone().map(|first| (first, None));
    };
    let on = |page| meta.printed.on_page(page);
    let (first, last) = pages.range;
    on(first).map(|first| (first, on(last)))
}

/// What is known beside title, authors, venue and year, by the names of BibTeX.
fn rest(meta: &SourceMeta) -> Vec<(&'static str, String)> {
    let printed = &meta.printed;
    let pages =
        pages(meta).map(|(first, last)| last.map_or(first.clone(), |last| format!("{first}--{last}")));
    let note = meta.fictional.then(|| "Fictional sample paper".to_owned());
    let all = [
        ("volume", printed.volume.clone()),
        ("number", printed.issue.clone()),
        ("pages", pages),
        ("doi", meta.doi.clone()),
        ("url", meta.url.clone()),
        ("note", note),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn bibtex(papers: &[&SourceMeta]) -> String {
    let mut all = Bibliography::new();
    for meta in papers {
        let kind = if venue(meta).is_some() { EntryType::Article } else { EntryType::Misc };
        let mut entry = Entry::new(meta.source_id.to_string(), kind);
        let known = [
            ("title", meta.title.clone()),
            ("journal", venue(meta).map(str::to_owned)),
            ("year", meta.year.map(|year| year.to_string())),
        ];
        let known = known.into_iter().filter_map(|(name, value)| Some((name, value?)));
        for (name, value) in known.chain(rest(meta)) {
            // A title keeps its capitals.
            let chunk = if name == "title" { Chunk::Verbatim(value) } else { Chunk::Normal(value) };
            entry.set(name, vec![Spanned::detached(chunk)]);
        }
        let mut authors = Vec::new();
        for author in &meta.authors {
            if !authors.is_empty() {
                authors.push(Spanned::detached(Chunk::Normal(" and ".to_owned())));
            }
            // A group is one author, whatever words its name has.
            let group = is_group(author) || author.contains(" and ");
            authors.push(Spanned::detached(if group {
                Chunk::Verbatim(author.clone())
            } else {
                Chunk::Normal(author.clone())
            }));
        }
        if !authors.is_empty() {
            entry.set("author", authors);
        }
        all.insert(entry);
    }
    all.to_bibtex_string()
}

fn ris(meta: &SourceMeta) -> String {
    let kind = if venue(meta).is_some() { "JOUR" } else { "GEN" };
    let mut lines = vec![("TY", kind.to_owned()), ("ID", meta.source_id.to_string())];
    lines.extend(meta.title.iter().map(|title| ("TI", title.clone())));
    for author in &meta.authors {
        let (family, given) = name(author);
        lines.push(("AU", if given.is_empty() { family } else { format!("{family}, {given}") }));
    }
    lines.extend(meta.year.map(|year| ("PY", year.to_string())));
    lines.extend(venue(meta).map(|venue| ("JO", venue.to_owned())));
    if let Some((first, last)) = pages(meta) {
        lines.push(("SP", first));
        lines.extend(last.map(|last| ("EP", last)));
    }
    let tags = [("volume", "VL"), ("number", "IS"), ("doi", "DO"), ("url", "UR"), ("note", "N1")];
    for (name, value) in rest(meta) {
        lines.extend(tags.iter().filter(|(own, _)| *own == name).map(|(_, tag)| (*tag, value.clone())));
    }
    lines.push(("ER", String::new()));
    let line = |(tag, value): &(&str, String)| {
        format!("{tag}  - {}\r\n", value.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    lines.iter().map(line).collect()
}

fn csl(meta: &SourceMeta) -> Value {
    let mut item = Map::new();
    item.insert("id".to_owned(), json!(meta.source_id));
    item.insert("type".to_owned(), json!(if venue(meta).is_some() { "article-journal" } else { "document" }));
    let mut set = |key: &str, value: Option<Value>| value.map(|value| item.insert(key.to_owned(), value));
    set("title", meta.title.as_ref().map(|title| json!(title)));
    let authors: Vec<Value> = meta
        .authors
        .iter()
        .map(|author| {
            let (family, given) = name(author);
            if given.is_empty() {
                json!({ "literal": family })
            } else {
                json!({ "family": family, "given": given })
            }
        })
        .collect();
    set("author", (!authors.is_empty()).then(|| authors.into()));
    set("issued", meta.year.map(|year| json!({ "date-parts": [[year]] })));
    set("container-title", venue(meta).map(|venue| json!(venue)));
    for (name, value) in rest(meta) {
        match name {
            "number" => set("issue", Some(json!(value))),
            "pages" => set("page", Some(json!(value.replace("--", "-")))),
            "doi" => set("DOI", Some(json!(value))),
            "url" => set("URL", Some(json!(value))),
            name => set(name, Some(json!(value))),
        };
    }
    Value::Object(item)
}

/// Whether an author is a group of people: its name has a word for one.
fn is_group(author: &str) -> bool {
    const WORDS: &str = "Association Authority Center Centers Centre Collaboration Collaborators Committee Consortium Council Federation \
         Foundation Group Initiative Institute Investigators Network Organisation Organization Society Team University";
    author.split_whitespace().any(|word| WORDS.split_whitespace().any(|own| own == word))
}

/// The surname of an author, and the rest of the name.
fn name(author: &str) -> (String, String) {
    if let Some((family, given)) = author.split_once(',') {
        return (family.trim().to_owned(), given.trim().to_owned());
    }
    match surname(author) {
        Some(family) if author.trim() != family && !is_group(author) => {
            let at = author.rfind(family).unwrap_or_default();
            let given = format!("{} {}", &author[..at], &author[at + family.len()..]);
            (family.to_owned(), given.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        _ => (author.trim().to_owned(), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{PageNumbers, Printed};

    fn paper() -> SourceMeta {
        SourceMeta {
            source_id: "orvella_2021".into(),
            title: Some("Walking & health: 10 % {more}".to_owned()),
            authors: vec![
                "Jane Q. Orvella".to_owned(),
                "Tandrik, Otto".to_owned(),
                "WHO".to_owned(),
                "Centers for Disease Control and Prevention".to_owned(),
                "Hanna Han".to_owned(),
            ],
            year: Some(2021),
            doi: Some("10.1000/x_1".to_owned()),
            printed: Printed {
                journal: Some("Nutr J".to_owned()),
                volume: Some("20".to_owned()),
                pages: Some(PageNumbers { prefix: String::new(), range: (1, 6), first: 45 }),
                ..Printed::default()
            },
            ..SourceMeta::default()
        }
    }

    #[test]
    fn an_entry_has_what_is_known_and_reads_back() {
        let text = bibliography([&paper(), &paper()], Style::Bibtex);
        let back = Bibliography::parse(&text).expect("valid BibTeX");
        let entry = back.get("orvella_2021").expect("an entry");
        assert_eq!(back.len(), 1);
        assert_eq!(entry.entry_type, EntryType::Article);
        let field = |name: &str| biblatex::ChunksExt::format_verbatim(entry.get(name).expect(name));
        assert_eq!(field("title"), "Walking & health: 10 % {more}");
        assert_eq!(
            field("author"),
            "Jane Q. Orvella and Tandrik, Otto and WHO and Centers for Disease Control and Prevention and Hanna Han"
        );
        assert!(text.contains("45--50"), "{text}");
        assert_eq!(entry.author().expect("people").len(), 5);
        let bare = SourceMeta { source_id: "bare".into(), ..SourceMeta::default() };
        let text = bibliography([&bare], Style::Bibtex);
        assert!(text.starts_with("@misc{bare") && !text.contains("year"), "{text}");
    }

    #[test]
    fn other_formats_name_people_by_surname() {
        let text = bibliography([&paper()], Style::Ris);
        for line in [
            "TY  - JOUR",
            "AU  - Orvella, Jane Q.",
            "AU  - Tandrik, Otto",
            "AU  - WHO",
            "AU  - Centers for Disease Control and Prevention",
            "AU  - Han, Hanna",
            "SP  - 45",
            "EP  - 50",
            "ER  - ",
        ] {
            assert!(text.lines().any(|own| own == line), "{line} in {text}");
        }
        let items: Value = serde_json::from_str(&bibliography([&paper()], Style::Csl)).expect("JSON");
        assert_eq!(items[0]["author"][0], json!({ "family": "Orvella", "given": "Jane Q." }));
        assert_eq!(items[0]["page"], json!("45-50"));
        assert_eq!(items[0]["issued"]["date-parts"][0][0], json!(2021));
    }
}
