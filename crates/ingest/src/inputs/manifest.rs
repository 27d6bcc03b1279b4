//! `manifest.csv`: metadata that people wrote for the papers beside it.

mod edit;

pub use edit::{check, edit};

use super::{
    doi::{doi, doi_in_url},
    metadata_text,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use types::words::{NAMED, first_of};
use types::{SourceId, SourceMeta, csv::record, digest::sha256};

/// Name of the file.
pub const FILE: &str = "manifest.csv";

/// Most bytes of one row, and of one entry of a bibliography: 3,000 authors take 50,000.
const MAX_ROW_BYTES: usize = 256 << 10;
/// Most notes of one manifest; the rest is counted.
const MAX_NOTES: usize = 50;

/// The columns that are read, in the order in which they are written.
const COLUMNS: [&str; 10] = [
    "source_id",
    "title",
    "authors",
    "year",
    "venue",
    "doi",
    "url_or_doi",
    "tags",
    "relevance_note",
    "fictional",
];

/// A manifest, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The file.
    pub path: PathBuf,
    /// Its rows, in order, each source once.
    pub rows: Vec<Row>,
    /// What of it could not be used, with line numbers.
    pub notes: Vec<String>,
}

/// What a manifest says of one source. What it leaves empty is not touched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its line in the file, from 1.
    #[serde(skip)]
    pub line: u64,
    /// The source: the slug of the cell, as ids are made of file stems.
    #[serde(skip)]
    pub source_id: SourceId,
    /// Title.
    pub title: Option<String>,
    /// Authors, in order; cells separate them by semicolons.
    pub authors: Vec<String>,
    /// Year of publication.
    pub year: Option<u16>,
    /// Journal or venue.
    pub venue: Option<String>,
    /// DOI without a resolver's prefix, in lower case.
    pub doi: Option<String>,
    /// Labels; cells separate them by semicolons.
    pub tags: Vec<String>,
    /// Whether the paper is a fictional sample; cells say `yes` or `no`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fictional: Option<bool>,
    /// Where it is found, when that is no DOI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Why it is in the collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance_note: Option<String>,
}

impl Row {
    /// Puts what the row says in the place of what was guessed.
    pub fn apply(&self, meta: &mut SourceMeta) {
        let texts = [
            (&self.title, &mut meta.title),
            (&self.venue, &mut meta.venue),
            (&self.doi, &mut meta.doi),
            (&self.url, &mut meta.url),
            (&self.relevance_note, &mut meta.relevance_note),
        ];
        for (from, to) in texts {
            if from.is_some() {
                to.clone_from(from);
            }
        }
        meta.year = self.year.or(meta.year);
        meta.fictional = self.fictional.unwrap_or(meta.fictional);
        for (from, to) in [(&self.authors, &mut meta.authors), (&self.tags, &mut meta.tags)] {
            if !from.is_empty() {
                to.clone_from(from);
            }
        }
    }

    /// Whether everything that the row says is known already.
    pub fn changes_nothing(&self, meta: &SourceMeta) -> bool {
        let mut applied = meta.clone();
        self.apply(&mut applied);
        applied == *meta
    }

    /// This row, with what it leaves empty filled from another.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let text = |own: &Option<String>, other: &Option<String>| own.clone().or_else(|| other.clone());
        let list = |own: &Vec<String>, other: &Vec<String>| {
            if own.is_empty() { other.clone() } else { own.clone() }
        };
        Self {
            line: self.line,
            source_id: self.source_id.clone(),
            title: text(&self.title, &other.title),
            authors: list(&self.authors, &other.authors),
            year: self.year.or(other.year),
            venue: text(&self.venue, &other.venue),
            doi: text(&self.doi, &other.doi),
            tags: list(&self.tags, &other.tags),
            fictional: self.fictional.or(other.fictional),
            url: text(&self.url, &other.url),
            relevance_note: text(&self.relevance_note, &other.relevance_note),
        }
    }

    /// Whether the row says nothing of its source.
    pub fn is_empty(&self) -> bool {
        Self { line: 0, source_id: SourceId::default(), ..self.clone() } == Self::default()
    }

    /// # Errors
    /// When the row, with `more` bytes beside it, is longer than a row may be.
    pub(super) fn check_size(&self, more: usize) -> Result<(), String> {
        let texts = [&self.title, &self.venue, &self.doi, &self.url, &self.relevance_note];
        let lists = self.authors.iter().chain(&self.tags);
        check_size(more + texts.into_iter().flatten().chain(lists).map(String::len).sum::<usize>())
    }

    /// A hash of what the row says: another one where, and only where, it says something else.
    pub fn digest(&self) -> String {
        // A row of texts and numbers always serialises.
        sha256(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// Reads a manifest. Rows that cannot be used are named in [`Manifest::notes`]; the rest counts.
///
/// # Errors
/// When the file cannot be read, is no text, or has no column `source_id`, in words for people.
pub fn read(path: &Path) -> Result<Manifest, String> {
    let decoded = metadata_text(path, &[(b'\n', 350), (b';', 56), (b',', 32)])?;
    let mut manifest = rows(&decoded.text)?;
    path.clone_into(&mut manifest.path);
    manifest.notes.splice(0..0, decoded.warning);
    Ok(manifest)
}

/// # Errors
/// When a row is longer than a row may be.
pub(super) fn check_size(bytes: usize) -> Result<(), String> {
    if bytes > MAX_ROW_BYTES {
        return Err(format!("{bytes} bytes, more than the limit of {MAX_ROW_BYTES}"));
    }
    Ok(())
}

fn rows(text: &str) -> Result<Manifest, String> {
    let (delimiter, text) = types::csv::layout(text);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| e.to_string())?.clone();
    check_size(header.as_slice().len()).map_err(|error| format!("its first line has {error}"))?;
    let at = |name: &str| header.iter().position(|h| h.eq_ignore_ascii_case(name));
    if at("source_id").is_none() {
        let columns = first_of(header.iter(), NAMED);
        return Err(format!("it has no column source_id, only {columns:?}"));
    }
    let mut out = Manifest::default();
    let mut notes = Notes::default();
    let known = |name: &str| COLUMNS.iter().any(|c| c.eq_ignore_ascii_case(name));
    let others: Vec<&str> = header.iter().filter(|h| !known(h) && !h.is_empty()).collect();
    if !others.is_empty() {
        let others = first_of(others, NAMED);
        notes.list.push(format!("columns not used: {others}"));
    }
    let mut seen: BTreeMap<SourceId, u64> = BTreeMap::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                notes.list.push(error.to_string());
                continue;
            }
        };
        let line = record.position().map_or(0, |at| line_of(text, at));
        notes.line = line;
        if let Err(error) = check_size(record.as_slice().len()) {
            notes.add(&format!("{error}; the row is not used"));
            continue;
        }
        if record.len() != header.len() {
            notes.add(&format!(
                "{} cells in place of {}; the row is not used (quote cells that hold commas)",
                record.len(),
                header.len()
            ));
            continue;
        }
        let cell = |name: &str| {
            let text = types::csv::plain(record.get(at(name)?)?);
            (!text.is_empty()).then_some(text)
        };
        let Some(id) = cell("source_id") else {
            notes.add("no source_id; the row is not used");
            continue;
        };
        let source_id = SourceId::from_stem(id);
        if let Some(first) = seen.get(&source_id) {
            notes.add(&format!("{source_id} is already on line {first}; this row is not used"));
            continue;
        }
        seen.insert(source_id.clone(), line);
        let year = |text: &str| text.parse().ok().filter(|y| (1000..=2999).contains(y));
        let year = notes.read(cell("year"), "is no year", year);
        let own_doi = notes.read(cell("doi"), "is no DOI", doi);
        let fictional = "in column fictional is neither yes nor no";
        let fictional = notes.read(cell("fictional"), fictional, yes_or_no);
        let place = notes.read(cell("url_or_doi"), "is neither a URL nor a DOI", place);
        let (linked_doi, url) = place.unwrap_or_default();
        out.rows.push(Row {
            line,
            source_id,
            title: cell("title").map(str::to_owned),
            authors: cell("authors").map(list).unwrap_or_default(),
            year,
            venue: cell("venue").map(str::to_owned),
            doi: own_doi.or(linked_doi),
            tags: cell("tags").map(list).unwrap_or_default(),
            fictional,
            url,
            relevance_note: cell("relevance_note").map(str::to_owned),
        });
    }
    out.notes = notes.list;
    if out.notes.len() > MAX_NOTES {
        let more = out.notes.len() - MAX_NOTES;
        out.notes.truncate(MAX_NOTES);
        out.notes.push(format!("{more} further remarks are left out"));
    }
    Ok(out)
}

/// Remarks on the line at hand and those before it.
#[derive(Default)]
struct Notes {
    line: u64,
    list: Vec<String>,
}

impl Notes {
    fn add(&mut self, what: &str) {
        self.list.push(format!("line {}: {what}", self.line));
    }

    /// What a cell says; where it cannot be read, a note says why.
    fn read<T>(&mut self, cell: Option<&str>, why: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let text = cell?;
        let value = read(text);
        if value.is_none() {
            self.add(&format!("{text:?} {why}; the cell is not used"));
        }
        value
    }
}

/// The DOI of a cell that takes one or a URL; else the URL.
fn place(text: &str) -> Option<(Option<String>, Option<String>)> {
    if let Some(doi) = doi_in_url(text) {
        return Some((Some(doi), None));
    }
    let is_url = text.starts_with("http://") || text.starts_with("https://");
    is_url.then(|| (None, Some(text.to_owned())))
}

/// The line of a record: the reader counts the empty lines before it to its length.
fn line_of(text: &str, at: &csv::Position) -> u64 {
    let rest = usize::try_from(at.byte()).ok().and_then(|byte| text.get(byte..));
    let empty = rest.unwrap_or_default().bytes().take_while(|b| matches!(b, b'\n' | b'\r'));
    at.line() + empty.filter(|b| *b == b'\n').count() as u64
}

/// The parts of a list written with semicolons.
pub(super) fn list(text: &str) -> Vec<String> {
    parts(text, &[';'])
}

/// The parts of a text between separators, those without text left out.
pub(super) fn parts(text: &str, separators: &[char]) -> Vec<String> {
    let parts = text.split(separators).map(str::trim);
    parts.filter(|p| !p.is_empty()).map(str::to_owned).collect()
}

/// What a cell of yes or no says; `None` when it is neither.
pub(super) fn yes_or_no(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "yes" | "true" | "1" => Some(true),
        "no" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// The first year in a date as people write it.
pub(super) fn year_in(text: &str) -> Option<u16> {
    let years = text.split(|c: char| !c.is_ascii_digit()).filter(|d| d.len() == 4);
    years.filter_map(|d| d.parse().ok()).find(|y| (1000..=2999).contains(y))
}

/// A manifest with one row for each source, for a person to correct: all columns, filled as far as something is known.
pub fn write<'a>(sources: impl IntoIterator<Item = &'a SourceMeta>) -> String {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    // Semicolons separate the parts, so none may hold one.
    let list = |parts: &[String]| {
        let parts = parts.iter().map(|part| part.replace(';', ","));
        parts.collect::<Vec<_>>().join("; ")
    };
    let row = |meta: &SourceMeta| {
        record([
            meta.source_id.to_string(),
            text(&meta.title),
            list(&meta.authors),
            meta.year.map(|year| year.to_string()).unwrap_or_default(),
            text(&meta.venue),
            text(&meta.doi),
            text(&meta.url),
            list(&meta.tags),
            text(&meta.relevance_note),
            if meta.fictional { "yes" } else { "" }.to_owned(),
        ])
    };
    let rows = sources.into_iter().map(row);
    let lines = std::iter::once(record(COLUMNS)).chain(rows);
    lines.map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests;
