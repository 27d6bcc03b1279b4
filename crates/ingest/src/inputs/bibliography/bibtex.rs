//! BibTeX and BibLaTeX.

use super::{Reference, doi_of, keywords, line};
use crate::inputs::{
    MAX_METADATA_BYTES,
    manifest::{self, Row},
};
use biblatex::{
    Bibliography, ChunksExt as _, Entry, Field, Pair, Person, RawBibliography, RawChunk, RawEntry, Spanned,
};
use std::collections::HashMap;

/// The fields that are read, and those that name the entries from which others are taken.
const FIELDS: [&str; 12] = [
    "title",
    "author",
    "year",
    "date",
    "journaltitle",
    "journal",
    "booktitle",
    "eventtitle",
    "publisher",
    "doi",
    "url",
    "keywords",
];
const LINKS: [&str; 2] = ["crossref", "xdata"];

/// Braces in braces, and macros in macros: more stand in no bibliography.
const MAX_DEPTH: u64 = 30;
/// What expanding macros and braces may cost in one file: four steps for a byte, which allows 32 MiB of these fields.
const MAX_STEPS: u64 = 2 * MAX_METADATA_BYTES;
/// The key of the entry that is read. No text holds this character, so that no entry can name it.
const SELF: &str = "\0";

type Macros<'r, 's> = HashMap<&'r str, &'r Field<'s>>;

/// The entries of a file. One bad entry costs that entry alone.
///
/// # Errors
/// When a limit is passed, in words for people.
pub(super) fn entries(text: &str) -> Result<(Vec<Reference>, Vec<String>), String> {
    let mut bad = Vec::new();
    let raw = RawBibliography::parse(text).unwrap_or_else(|_| one_by_one(text, &mut bad));
    let abbreviations = raw.abbreviations.iter();
    let macros: Macros<'_, '_> = abbreviations.map(|pair| (pair.key.v, &pair.value.v)).collect();
    let all: HashMap<&str, &RawEntry<'_>> = raw.entries.iter().map(|e| (e.v.key.v, &e.v)).collect();
    let mut steps = 0;
    let mut out = Vec::new();
    for entry in &raw.entries {
        let key = entry.v.key.v;
        let mut own = expanded(&entry.v, &macros, &mut steps)?;
        let mut others: Vec<RawEntry<'_>> = Vec::new();
        for name in links(&own) {
            let Some(other) = all.get(name.as_str()) else {
                continue;
            };
            // What an entry takes from another is not taken from a third one: links may form a circle.
            let other = without_links(expanded(other, &macros, &mut steps)?);
            if others.iter().all(|known| known.key.v != name) {
                others.push(other);
            }
        }
        own.key.v = SELF;
        let alone = without_links(own.clone());
        let linked = [own].into_iter().chain(others).collect();
        match parsed(linked).or_else(|| parsed(vec![alone])) {
            Some(read) => out.push(reference(key, &read)),
            None => bad.push(short(key)),
        }
    }
    let note = match bad.as_slice() {
        [] => None,
        [one] => Some(format!("1 entry cannot be read: {one}")),
        _ => Some(format!(
            "{} entries cannot be read: {}",
            bad.len(),
            super::named(&bad)
        )),
    };
    Ok((out, note.into_iter().collect()))
}

/// The entries and macros of a file that cannot be read as a whole.
fn one_by_one<'s>(text: &'s str, bad: &mut Vec<String>) -> RawBibliography<'s> {
    let mut out = RawBibliography {
        preamble: String::new(),
        entries: Vec::new(),
        abbreviations: Vec::new(),
    };
    for part in parts(text) {
        match RawBibliography::parse(part) {
            Ok(one) => {
                out.entries.extend(one.entries);
                out.abbreviations.extend(one.abbreviations);
            }
            Err(_) if part.to_lowercase().starts_with("@string") => {}
            Err(_) => bad.push(short(name(part))),
        }
    }
    out
}

/// The first of these entries, with what it takes from the others.
fn parsed(entries: Vec<RawEntry<'_>>) -> Option<Entry> {
    let raw = RawBibliography {
        preamble: String::new(),
        entries: entries.into_iter().map(Spanned::detached).collect(),
        abbreviations: Vec::new(),
    };
    Bibliography::from_raw(raw).ok()?.into_iter().next()
}

/// The keys that an entry takes fields from.
fn links(entry: &RawEntry<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for pair in entry.fields.iter().filter(|pair| is_one_of(pair, &LINKS)) {
        let names: String = pair.value.v.iter().map(text_of).collect();
        out.extend(names.split(',').map(|name| name.trim().to_owned()));
    }
    out
}

fn text_of<'s>(chunk: &Spanned<RawChunk<'s>>) -> &'s str {
    match chunk.v {
        RawChunk::Normal(text) | RawChunk::Abbreviation(text) => text,
    }
}

fn without_links(mut entry: RawEntry<'_>) -> RawEntry<'_> {
    entry.fields.retain(|pair| !is_one_of(pair, &LINKS));
    entry
}

fn is_one_of(pair: &Pair<'_>, names: &[&str]) -> bool {
    names.iter().any(|name| pair.key.v.eq_ignore_ascii_case(name))
}

/// An entry with the fields that are read, its macros expanded.
fn expanded<'s>(
    entry: &RawEntry<'s>,
    macros: &Macros<'_, 's>,
    steps: &mut u64,
) -> Result<RawEntry<'s>, String> {
    let named = |error| format!("entry {}: {error}", short(entry.key.v));
    let mut size = 0;
    let mut out = RawEntry {
        key: entry.key.clone(),
        kind: entry.kind.clone(),
        fields: Vec::new(),
    };
    let read = |pair: &&Pair<'s>| is_one_of(pair, &FIELDS) || is_one_of(pair, &LINKS);
    for pair in entry.fields.iter().filter(read) {
        let mut value = Vec::new();
        expand(&pair.value.v, macros, 0, &mut value, steps).map_err(named)?;
        size += value.iter().map(|chunk| text_of(chunk).len()).sum::<usize>();
        manifest::check_size(size).map_err(named)?;
        count_braces(&value, steps).map_err(named)?;
        out.fields
            .push(Pair::new(pair.key.clone(), Spanned::detached(value)));
    }
    spend(steps, 64 + entry.fields.len() as u64).map_err(named)?;
    Ok(out)
}

fn expand<'s>(
    field: &[Spanned<RawChunk<'s>>],
    macros: &Macros<'_, 's>,
    depth: u64,
    out: &mut Field<'s>,
    steps: &mut u64,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("macros more than {MAX_DEPTH} deep, the limit"));
    }
    for chunk in field {
        if let RawChunk::Abbreviation(name) = chunk.v
            && let Some(inner) = macros.get(name)
        {
            expand(inner, macros, depth + 1, out, steps)?;
            continue;
        }
        // The parser joins each part to all before it.
        spend(steps, 4 * text_of(chunk).len() as u64 + out.len() as u64)?;
        out.push(chunk.clone());
    }
    Ok(())
}

/// Counts what the parser does with braces: it reads the argument of a command once for each command around it, and joins
/// the texts of nested braces, each to all before it.
fn count_braces(field: &Field<'_>, steps: &mut u64) -> Result<(), String> {
    let (mut braces, mut nested) = (0, 0);
    for chunk in field {
        let text = text_of(chunk);
        let (mut depth, mut deepest) = (0_u64, 0);
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' => {
                    bytes.next();
                    continue;
                }
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                b'$' => {}
                _ => continue,
            }
            braces += 1;
            nested += u64::from(depth > 1);
            deepest = depth.max(deepest);
        }
        if deepest > MAX_DEPTH {
            return Err(format!("braces more than {MAX_DEPTH} deep, the limit"));
        }
        spend(steps, deepest * text.len() as u64)?;
    }
    spend(steps, nested * braces)
}

fn spend(steps: &mut u64, more: u64) -> Result<(), String> {
    *steps = steps.saturating_add(more);
    if *steps > MAX_STEPS {
        return Err(format!(
            "macros and braces expand beyond the limit of {MAX_STEPS} steps"
        ));
    }
    Ok(())
}

/// The text of each entry: each begins a line with `@`.
fn parts(text: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('@') {
            starts.push(at + line.len() - line.trim_start().len());
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .filter_map(|(from, to)| text.get(*from..to))
        .collect()
}

/// What an entry that cannot be parsed calls itself.
fn name(entry: &str) -> &str {
    let first = entry.lines().next().unwrap_or_default();
    let key = first.split_once('{').map_or(first, |(_, key)| key);
    key.split(',').next().unwrap_or_default().trim()
}

/// A key for a message.
fn short(key: &str) -> String {
    key.chars().take(100).collect()
}

fn reference(key: &str, entry: &Entry) -> Reference {
    let field = |names: &[&str]| {
        let value = names.iter().find_map(|name| entry.get(name))?;
        line(&value.format_verbatim())
    };
    let people = entry.get_as::<Vec<Person>>("author").unwrap_or_default();
    let authors = people.iter().filter_map(author);
    Reference {
        key: key.to_owned(),
        row: Row {
            title: field(&["title"]),
            authors: authors.collect(),
            year: field(&["year", "date"]).and_then(|date| manifest::year_in(&date)),
            venue: field(&["journaltitle", "journal", "booktitle", "eventtitle", "publisher"]),
            doi: doi_of(field(&["doi"]).as_deref(), field(&["url"]).as_deref()),
            tags: field(&["keywords"])
                .map(|text| keywords(&text))
                .unwrap_or_default(),
            ..Row::default()
        },
    }
}

fn author(person: &Person) -> Option<String> {
    // "and others" is how an entry says that names are missing.
    if person.name == "others" && person.given_name.is_empty() {
        return None;
    }
    line(
        &[&person.given_name, &person.prefix, &person.name, &person.suffix]
            .map(String::as_str)
            .join(" "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tex_becomes_text_and_macros_are_expanded() {
        let text = r#"
            @string{jib = "Journal of Invented Biology"}
            @comment{x}
            @Article{m1, author = {M{\"u}ller, J{\'o}zsef and others}, title = "{DNA} \& sleep", journal = jib, date = {2020-05-01},
              url = {https://doi.org/10.99999/jib.9}}
        "#;
        let (entries, notes) = entries(text).expect("read");
        assert!(notes.is_empty(), "{notes:?}");
        let row = &entries[0].row;
        assert_eq!(row.authors, ["József Müller"]);
        assert_eq!(row.title.as_deref(), Some("DNA & sleep"));
        assert_eq!(row.venue.as_deref(), Some("Journal of Invented Biology"));
        assert_eq!(
            (row.year, row.doi.as_deref()),
            (Some(2020), Some("10.99999/jib.9"))
        );
    }

    #[test]
    fn a_bad_entry_costs_itself() {
        let text =
            "@article{good, title = {One}}\n@article{bad, title = {Two\n\n@article{also, title = {Three}}\n";
        let (entries, notes) = entries(text).expect("read");
        let keys: Vec<&str> = entries.iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["good", "also"]);
        assert_eq!(notes, ["1 entry cannot be read: bad"]);
    }

    #[test]
    fn bombs_are_refused() {
        let check = |text: &str, want: Result<usize, &str>| match (entries(text), want) {
            (Ok((entries, _)), Ok(count)) => assert_eq!(entries.len(), count, "{text}"),
            (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
            (got, want) => panic!("{got:?} in place of {want:?}"),
        };
        let entry = |title: &str| format!("@article{{k, title = {title}}}");
        let nested = |deep: usize, times: usize| {
            let doubled = |i: usize| {
                format!(
                    "@string{{s{i} = {}}}\n",
                    vec![format!("s{}", i - 1); times].join(" # ")
                )
            };
            let macros: String = (1..deep).map(doubled).collect();
            format!(
                "@string{{s0 = \"lol\"}}\n{macros}{}",
                entry(&format!("s{}", deep - 1))
            )
        };
        check(&nested(3, 10), Ok(1));
        check(
            &nested(12, 10),
            Err("entry k: macros and braces expand beyond the limit"),
        );
        check(&nested(32, 1), Err("macros more than 30 deep"));
        check(
            &format!("@string{{a = a # a}}{}", entry("a")),
            Err("macros more than 30 deep"),
        );
        check(
            &entry(&vec!["\"x\""; 30_000].join(" # ")),
            Err("beyond the limit"),
        );
        check(
            &entry(&format!("{{{}}}", "{{x}}".repeat(10_000))),
            Err("beyond the limit"),
        );
        check(
            &entry(&format!("{}x{}", "{".repeat(32), "}".repeat(32))),
            Err("braces more than 30 deep"),
        );
        check(
            &entry(&format!("{{{}x{}}}", "\\a{".repeat(31), "}".repeat(31))),
            Err("braces more than 30 deep"),
        );
        check(&"@article{k, title = {".repeat(10_000), Ok(0));
        // Links that form circles, and one that names its entry again and again.
        check(
            "@book{a, crossref = {b}}\n@book{b, crossref = {a}}\n@book{c, crossref = {c}, xdata = {c, a, a}}",
            Ok(3),
        );
    }

    #[test]
    fn an_entry_takes_what_it_lacks_from_the_one_that_it_names() {
        let text = "@inproceedings{p, title = {Snails}, crossref = {all}}\n@proceedings{all, title = {Talks}, year = 2020}";
        for bad in ["", "\n@book{bad, title = {"] {
            let (entries, _) = entries(&format!("{text}{bad}")).expect("read");
            let row = &entries[0].row;
            assert_eq!(
                (row.title.as_deref(), row.venue.as_deref()),
                (Some("Snails"), Some("Talks"))
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[@a-c{}=,\"\\\\\n #0-9\u{e9}]{0,80}") {
            let _ = entries(&text);
        }
    }
}
