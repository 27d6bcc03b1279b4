//! BibTeX and BibLaTeX.

use super::{Reference, doi_of, keywords, line};
use crate::inputs::manifest::{self, Row};
use biblatex::{Bibliography, ChunksExt as _, Entry, Person};

/// The entries of a file. One bad entry costs that entry alone.
pub(super) fn entries(text: &str) -> (Vec<Reference>, Vec<String>) {
    if let Ok(all) = Bibliography::parse(text) {
        return (all.iter().map(reference).collect(), Vec::new());
    }
    let (mut out, mut bad) = (Vec::new(), Vec::new());
    let mut macros = String::new();
    for entry in parts(text) {
        if entry.to_lowercase().starts_with("@string") {
            if Bibliography::parse(entry).is_ok() {
                macros.push_str(entry);
                macros.push('\n');
            }
            continue;
        }
        match Bibliography::parse(&format!("{macros}{entry}")) {
            Ok(one) => out.extend(one.iter().map(reference)),
            Err(_) => bad.push(name(entry)),
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
    (out, note.into_iter().collect())
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
fn name(entry: &str) -> String {
    let first = entry.lines().next().unwrap_or_default();
    let key = first.split_once('{').map_or(first, |(_, key)| key);
    key.split(',').next().unwrap_or_default().trim().to_owned()
}

fn reference(entry: &Entry) -> Reference {
    let field = |names: &[&str]| {
        let value = names.iter().find_map(|name| entry.get(name))?;
        line(&value.format_verbatim())
    };
    let people = entry.get_as::<Vec<Person>>("author").unwrap_or_default();
    let authors = people.iter().filter_map(author);
    Reference {
        key: entry.key.clone(),
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
        let (entries, notes) = entries(text);
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
        let (entries, notes) = entries(text);
        let keys: Vec<&str> = entries.iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["good", "also"]);
        assert_eq!(notes, ["1 entry cannot be read: bad"]);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[@a-c{}=,\"\\\\\n #0-9\u{e9}]{0,80}") {
            let _ = entries(&text);
        }
    }
}
