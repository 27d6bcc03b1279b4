//! BibTeX and BibLaTeX, as libraries hold it: read entry by entry, so that none is lost because another one is odd.

use super::{Reference, doi_of, keywords, line};
use crate::inputs::{
    MAX_METADATA_BYTES,
    manifest::{self, Row},
    tex,
};
use biblatex::{
    Bibliography, Chunk, ChunksExt as _, ChunksRef, Entry, Field, RawBibliography, RawChunk, RawEntry,
};
use std::collections::{BTreeMap, HashMap};
use text::{Pattern, WordList};
use types::words::first_of;

/// Entries that one entry takes fields from.
const MAX_PARENTS: usize = 8;
/// Braces in braces: the crate goes into them by recursion.
const MAX_DEPTH: usize = 50;
/// Parts of a value, joined by `#`: the crate joins them in time that grows with their square.
const MAX_PARTS: usize = 1000;
/// What finding the ends of all entries may cost: the longest file four times.
const MAX_STEPS: usize = 4 * MAX_METADATA_BYTES as usize;
/// What is read of an entry: the abstract of one may be damaged.
static FIELDS: WordList = WordList::new(
    "title journaltitle journal booktitle eventtitle publisher author year date keywords doi url",
);

/// A comment, or the beginning of an entry.
static BEGIN: Pattern = Pattern::new(r"%[^\n]*|\B@\s*([A-Za-z]+)\s*[{(]");
static BEGIN_OF_LINE: Pattern = Pattern::new(r"\n[ \t]*@\s*[A-Za-z]+\s*[{(]");

/// An accent on a command, `\'\i`: the crate reads it in braces only.
static STACKED: Pattern = Pattern::new(r#"\\(['"`^~=.])\\([ij]\b|[\^u] ?\{?\p{L}\}?)"#);

/// The entries of a file, and what of it is left out.
///
/// # Errors
/// When the limit of the whole file is passed, in words for people.
pub(super) fn entries(text: &str) -> Result<(Vec<Reference>, Vec<String>), String> {
    let text = &STACKED.replace_all(text, r"\${1}{\${2}}");
    let mut macros: HashMap<String, Field<'_>> = HashMap::new();
    let mut entries: Vec<(Entry, Vec<String>)> = Vec::new();
    let mut faults: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (piece, closed) in pieces(text)? {
        let mut read = || {
            if !closed {
                return Err(format!("a brace is not closed, or more than {MAX_DEPTH} are open"));
            }
            let raw = RawBibliography::parse(piece).map_err(|error| error.kind.to_string())?;
            for pair in raw.abbreviations {
                let value = expanded(pair.value.v, &macros, &mut 0)?;
                macros.insert(pair.key.v.to_lowercase(), value);
            }
            raw.entries.into_iter().map(|raw| entry(raw.v, &macros)).collect::<Result<Vec<_>, String>>()
        };
        match read() {
            Ok(read) => entries.extend(read),
            Err(error) => faults.entry(error).or_default().push(key_of(piece)),
        }
    }
    let mut by_key: HashMap<&str, &Entry> = HashMap::new();
    for (entry, _) in &entries {
        by_key.entry(&entry.key).or_insert(entry);
    }
    let reference = |(entry, links): &(Entry, Vec<String>)| {
        let parents = links.iter().filter_map(|key| by_key.get(key.as_str()).copied());
        reference(entry, &parents.take(MAX_PARENTS).collect::<Vec<_>>())
    };
    let note = |(fault, keys): (String, Vec<String>)| {
        let entries = if keys.len() == 1 { "entry" } else { "entries" };
        format!("{} {entries} cannot be read: {} ({fault})", keys.len(), first_of(&keys, 3))
    };
    Ok((entries.iter().map(reference).collect(), faults.into_iter().map(note).collect()))
}

/// The text of each entry, and whether it is closed. One that is not ends where a line begins another one.
fn pieces(text: &str) -> Result<Vec<(&str, bool)>, String> {
    let (mut out, mut at, mut next, mut steps) = (Vec::new(), 0, 0, 0_usize);
    while let Some(found) = BEGIN.captures_at(text, at) {
        let begin = found.get_match();
        at = begin.end();
        let Some(kind) = found.get(1) else { continue };
        if next <= begin.start() {
            next = BEGIN_OF_LINE.find_at(text, at).map_or(text.len(), |next| next.start());
        }
        let piece = &text[begin.start()..next];
        let end = end_of(piece);
        steps += end.unwrap_or(piece.len());
        if steps > MAX_STEPS {
            return Err(format!("its entries take more than {MAX_STEPS} steps, the limit"));
        }
        at = end.map_or(at, |end| begin.start() + end);
        if !["comment", "preamble"].contains(&kind.as_str().to_lowercase().as_str()) {
            out.push((&piece[..end.unwrap_or(piece.len())], end.is_some()));
        }
    }
    Ok(out)
}

/// Where the braces of an entry are closed.
fn end_of(piece: &str) -> Option<usize> {
    let (mut depth, mut escaped) = (0_usize, false);
    for (at, byte) in piece.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' if depth == MAX_DEPTH => return None,
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at + 1),
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The key of an entry that could not be read.
fn key_of(piece: &str) -> String {
    let key = piece.split_once(['{', '(']).map_or("", |(_, rest)| rest);
    key.trim_start().chars().take_while(|c| !c.is_whitespace() && !",={}".contains(*c)).take(100).collect()
}

/// An entry with its macros expanded, and the keys of the entries that it takes fields from.
fn entry<'s>(
    mut raw: RawEntry<'s>,
    macros: &HashMap<String, Field<'s>>,
) -> Result<(Entry, Vec<String>), String> {
    let mut bytes = 0;
    let mut links = Vec::new();
    for mut pair in std::mem::take(&mut raw.fields) {
        let name = pair.key.v.to_lowercase();
        // The crate would follow links without end.
        let is_link = ["xdata", "crossref"].contains(&name.as_str());
        if !is_link && !FIELDS.contains(&name) {
            continue;
        }
        pair.value.v = expanded(pair.value.v, macros, &mut bytes)?;
        if is_link {
            let keys = pair.value.v.iter().filter_map(|chunk| match chunk.v {
                RawChunk::Normal(keys) => Some(keys.split(',').map(|key| key.trim().to_owned())),
                RawChunk::Abbreviation(_) => None,
            });
            links.extend(keys.flatten());
        } else {
            raw.fields.push(pair);
        }
    }
    let raw = RawBibliography {
        preamble: String::new(),
        entries: vec![biblatex::Spanned::detached(raw)],
        abbreviations: Vec::new(),
    };
    let read = Bibliography::from_raw(raw).map_err(|error| error.kind.to_string())?;
    read.into_iter().next().map(|entry| (entry, links)).ok_or_else(|| "it is empty".to_owned())
}

/// A value with its macros expanded; one that is not defined stands for its name. `bytes` counts what the entry has so far.
fn expanded<'s>(
    value: Field<'s>,
    macros: &HashMap<String, Field<'s>>,
    bytes: &mut usize,
) -> Result<Field<'s>, String> {
    let mut out = Vec::new();
    for mut chunk in value {
        let known = match chunk.v {
            RawChunk::Abbreviation(name) => {
                chunk.v = RawChunk::Normal(name);
                macros.get(&name.to_lowercase())
            }
            RawChunk::Normal(_) => None,
        };
        for chunk in known.map_or(std::slice::from_ref(&chunk), Vec::as_slice) {
            if let RawChunk::Normal(text) = chunk.v {
                *bytes += 1 + text.len();
                manifest::check_size(*bytes)?;
            }
            out.push(chunk.clone());
        }
        if out.len() > MAX_PARTS {
            return Err(format!("a value of more than {MAX_PARTS} parts"));
        }
    }
    Ok(out)
}

/// What an entry says, and where it says nothing, those that it names.
fn reference(entry: &Entry, parents: &[&Entry]) -> Reference {
    let first = |of: &[&Entry], names: &[&str]| {
        let mut each = of.iter().flat_map(|entry| names.iter().filter_map(|name| entry.get(name)));
        each.find_map(|chunks| line(&text(chunks)))
    };
    let all = [&[entry], parents].concat();
    let title = first(&all, &["title"]);
    let venue = first(&all, &["journaltitle", "journal", "booktitle", "eventtitle"])
        // What is printed in a book is published under the title of the book.
        .or_else(|| first(parents, &["title"]).filter(|book| title.as_ref() != Some(book)))
        .or_else(|| first(&all, &["publisher"]));
    let authors = all.iter().find_map(|entry| entry.author().ok()).unwrap_or_default();
    let authors = authors.iter().filter_map(|person| line(&person.to_string().replace('~', " ")));
    let address = |name| {
        entry
            .get(name)
            .and_then(|chunks| line(&chunks.format_verbatim().replace("\\url", "").replace('\\', "")))
    };
    let (doi, url) = (address("doi"), address("url"));
    Reference {
        key: entry.key.clone(),
        row: Row {
            title,
            // "and others" says that names are missing.
            authors: authors.filter(|name| name != "others").collect(),
            year: first(&all, &["year", "date"]).and_then(|date| manifest::year_in(&date)),
            venue,
            doi: doi_of(doi.as_deref(), url.as_deref()),
            tags: first(&all, &["keywords"]).map(|text| keywords(&text)).unwrap_or_default(),
            ..Row::default()
        },
    }
}

/// The text of a field, with the symbols of its formulas and typographic quotation marks.
fn text(chunks: ChunksRef<'_>) -> String {
    let of = |chunk: &biblatex::Spanned<Chunk>| match &chunk.v {
        Chunk::Normal(text) | Chunk::Verbatim(text) => {
            let text = if text.contains('\\') { without_commands(text) } else { text.clone() };
            text.replace('~', " ").replace("``", "“").replace("''", "”")
        }
        Chunk::Math(tex) => without_commands(tex).replace(['^', '_'], ""),
    };
    chunks.iter().map(of).collect()
}

/// The text with symbols in the place of commands; what those that are not known apply to stays.
fn without_commands(tex: &str) -> String {
    static COMMAND: Pattern = Pattern::new(r"\\([A-Za-z]+)\s*");
    let symbol = |found: &regex::Captures<'_>| tex::symbol(&found[1]).unwrap_or_default();
    COMMAND.replace_all(tex, symbol).replace(['{', '}', '\\'], "")
}

#[cfg(test)]
mod tests;
