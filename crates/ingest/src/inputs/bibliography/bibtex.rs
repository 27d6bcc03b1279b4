//! BibTeX and BibLaTeX, as libraries hold it: no entry is lost because another one is odd.

mod entries;
mod tex;

use super::{Reference, doi_of, keywords, line};
use crate::inputs::{
    MAX_METADATA_BYTES,
    manifest::{self, Row},
};
use entries::{Part, RawEntry, Value};
use std::collections::{BTreeMap, HashMap};
use types::words::first_of;

/// Macros in macros: more stand in no bibliography.
const MAX_DEPTH: usize = 30;
/// Entries that one entry takes fields from.
const MAX_PARENTS: usize = 8;
/// What reading one file and expanding its macros may cost: the longest file four times.
const MAX_STEPS: usize = 4 * MAX_METADATA_BYTES as usize;

/// The entries of a file, and what of it is left out.
///
/// # Errors
/// When the limit of the whole file is passed, in words for people.
pub(super) fn entries(text: &str) -> Result<(Vec<Reference>, Vec<String>), String> {
    let mut steps = Steps(0);
    let raw = entries::read(text, |more| steps.spend(more))?;
    let mut file = File::default();
    for entry in &raw {
        if entry.kind == "string" {
            file.macros.extend(entry.fields.iter().map(|(name, value)| (name.as_str(), value)));
        } else {
            file.by_key.entry(entry.key).or_insert(entry);
        }
    }
    let mut out = Vec::new();
    let mut faults: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    for entry in raw.iter().filter(|entry| entry.kind != "string") {
        let mut fault = entry.fault.map(str::to_owned);
        let mut what = "cannot be read";
        if entry.fault != Some(entries::OPEN) {
            match file.reference(entry, &mut steps) {
                Ok(reference) => {
                    what = "read in part";
                    out.push(reference);
                }
                Err(error) => fault = Some(error),
            }
        }
        steps.spend(0)?;
        if let Some(fault) = fault {
            let keys = faults.entry((what, fault)).or_default();
            keys.push(entry.key.chars().take(100).collect());
        }
    }
    let note = |((what, fault), keys): ((&str, String), Vec<String>)| {
        let entries = if keys.len() == 1 { "entry" } else { "entries" };
        format!("{} {entries} {what}: {} ({fault})", keys.len(), first_of(&keys, 3))
    };
    Ok((out, faults.into_iter().map(note).collect()))
}

struct Steps(usize);

impl Steps {
    fn spend(&mut self, more: usize) -> Result<(), String> {
        self.0 = self.0.saturating_add(more);
        if self.0 > MAX_STEPS {
            return Err(format!("its entries take more than {MAX_STEPS} steps, the limit"));
        }
        Ok(())
    }
}

/// What entries refer to: macros in lower case, and other entries.
#[derive(Default)]
struct File<'e, 's> {
    macros: HashMap<&'e str, &'e Value<'s>>,
    by_key: HashMap<&'s str, &'e RawEntry<'s>>,
}

impl<'e, 's> File<'e, 's> {
    /// # Errors
    /// Why the entry is left out.
    fn reference(&self, entry: &'e RawEntry<'s>, steps: &mut Steps) -> Result<Reference, String> {
        let mut parents = Vec::new();
        for link in ["xdata", "crossref"] {
            let keys = self.tex(&[entry], &[link], steps)?;
            parents.extend(keys.split(',').filter_map(|key| self.by_key.get(key.trim()).copied()));
        }
        parents.truncate(MAX_PARENTS);
        let all = [&[entry], parents.as_slice()].concat();
        let mut text = |of: &[&RawEntry<'s>], names: &[&str]| {
            Ok::<_, String>(line(&tex::text(&self.tex(of, names, steps)?)))
        };
        let title = text(&all, &["title"])?;
        let places = ["journaltitle", "journal", "booktitle", "eventtitle"];
        let mut venue = text(&all, &places)?;
        if venue.is_none() {
            // What is printed in a book is published under the title of the book.
            venue = text(&parents, &["title"])?.filter(|book| title.as_ref() != Some(book));
        }
        if venue.is_none() {
            venue = text(&all, &["publisher"])?;
        }
        let date = text(&all, &["year", "date"])?;
        let tags = text(&all, &["keywords"])?;
        let authors = self.tex(&all, &["author"], steps)?;
        let [doi, url] = [["doi"], ["url"]].map(|name| self.tex(&[entry], &name, steps));
        let (doi, url) = (line(&tex::address(&doi?)), line(&tex::address(&url?)));
        Ok(Reference {
            key: entry.key.to_owned(),
            row: Row {
                title,
                authors: names(&authors),
                year: date.and_then(|date| manifest::year_in(&date)),
                venue,
                doi: doi_of(doi.as_deref(), url.as_deref()),
                tags: tags.map(|text| keywords(&text)).unwrap_or_default(),
                ..Row::default()
            },
        })
    }

    /// The first of these fields that one of the entries has, its macros expanded.
    fn tex(&self, entries: &[&RawEntry<'s>], names: &[&str], steps: &mut Steps) -> Result<String, String> {
        let mut out = String::new();
        for (entry, name) in entries.iter().flat_map(|entry| names.iter().map(move |name| (entry, name))) {
            if let Some((_, value)) = entry.fields.iter().find(|(own, _)| own == name) {
                self.expand(value, 0, &mut out, steps)?;
            }
            if !out.trim().is_empty() {
                break;
            }
        }
        Ok(out)
    }

    /// Appends a value to `out`. A macro that is not defined stands for its name.
    fn expand(
        &self,
        value: &Value<'_>,
        depth: usize,
        out: &mut String,
        steps: &mut Steps,
    ) -> Result<(), String> {
        for part in value {
            let inner = match part {
                Part::Word(name) => self.macros.get(name.to_lowercase().as_str()),
                Part::Tex(_) => None,
            };
            let (Part::Word(text) | Part::Tex(text)) = part;
            steps.spend(1 + text.len())?;
            match inner {
                Some(_) if depth == MAX_DEPTH => {
                    return Err(format!("macros more than {MAX_DEPTH} deep, the limit"));
                }
                Some(inner) => self.expand(inner, depth + 1, out, steps)?,
                None => out.push_str(text),
            }
            manifest::check_size(out.len())?;
        }
        Ok(())
    }
}

/// The names of a list, each with the given name first. "and others" says that names are missing.
fn names(tex: &str) -> Vec<String> {
    let tex = tex.split_whitespace().collect::<Vec<_>>().join(" ");
    let one = |name: &str| {
        let parts: Vec<String> = split(name, ",").into_iter().map(tex::text).collect();
        match parts.as_slice() {
            [last, first] => line(&format!("{first} {last}")),
            [last, suffix, first, ..] => line(&format!("{first} {last} {suffix}")),
            whole => line(&whole.concat()),
        }
    };
    let named = split(&tex, " and ").into_iter();
    named.filter(|name| name.trim() != "others").filter_map(one).collect()
}

/// The parts of a text between separators outside braces.
fn split<'t>(tex: &'t str, separator: &str) -> Vec<&'t str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in tex.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 && at >= start && tex[at..].starts_with(separator) => {
                parts.push(&tex[start..at]);
                start = at + separator.len();
            }
            _ => {}
        }
    }
    parts.push(&tex[start..]);
    parts
}

#[cfg(test)]
mod tests;
