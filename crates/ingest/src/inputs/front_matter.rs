//! The metadata block at the head of a Markdown file: the part of YAML that such blocks are written in.

use super::{doi, manifest};
use types::SourceMeta;

/// A key of the block and what stands behind it.
type Entry = (String, Vec<String>);

/// What the block says of title, authors, year, venue, DOI and tags. Other keys, and YAML beyond plain texts,
/// lists and lists of named things, are passed over.
pub(super) fn read(block: &str) -> SourceMeta {
    let entries = entries(block);
    let values = |names: &[&str]| {
        let mut entry = names.iter().filter_map(|name| entries.iter().find(|(key, _)| key == name));
        entry.next().map(|(_, values)| values.clone()).unwrap_or_default()
    };
    let one = |names: &[&str]| values(names).into_iter().next();
    let many = |names: &[&str], separators: &[char]| -> Vec<String> {
        let values = values(names);
        match values.as_slice() {
            [only] => manifest::parts(only, separators),
            _ => values,
        }
    };
    SourceMeta {
        title: one(&["title"]),
        // "Barry, R. J." holds a comma: only semicolons part authors.
        authors: many(&["authors", "author"], &[';']),
        year: one(&["year", "date", "published"]).and_then(|text| manifest::year_in(&text)),
        venue: one(&["venue", "journal"]),
        doi: one(&["doi"]).and_then(|text| doi::doi(&text)),
        tags: many(&["tags", "keywords"], &[';', ',']),
        fictional: one(&["fictional"]).and_then(|text| manifest::yes_or_no(&text)) == Some(true),
        ..SourceMeta::default()
    }
}

fn entries(block: &str) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    // Whether the texts of the last entry go on in indented lines ("key: >").
    let mut folded = false;
    for line in block.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        if let Some(item) = trimmed.strip_prefix("- ").filter(|_| !folded) {
            if let Some((_, values)) = out.last_mut() {
                values.extend(item_text(item));
            }
            continue;
        }
        if indented {
            let Some((_, values)) = out.last_mut() else {
                continue;
            };
            if folded {
                let text = values.first().map_or("", String::as_str);
                *values = vec![format!("{text} {trimmed}").trim().to_owned()];
            } else if let (Some("name"), Some(name)) = (key_of(trimmed), after_key(trimmed)) {
                // "- orcid: …" came first in its item.
                values.push(unquoted(name));
            }
            continue;
        }
        let (Some(key), Some(value)) = (key_of(trimmed), after_key(trimmed)) else {
            continue;
        };
        folded = matches!(value, ">" | "|" | ">-" | "|-" | ">+" | "|+");
        let values = match value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) {
            Some(inside) => flow_items(inside),
            None if folded || value.is_empty() => Vec::new(),
            None => vec![unquoted(value)],
        };
        let values = values.into_iter().filter(|v| !v.is_empty());
        out.push((key.to_lowercase(), values.collect()));
    }
    out
}

/// The text of a list's item: itself, or the name in "name: Jane Doe"; `None` for other keys of a named thing.
fn item_text(item: &str) -> Option<String> {
    let item = item.trim();
    match (key_of(item), after_key(item)) {
        (Some("name"), Some(name)) => Some(unquoted(name)),
        (Some("orcid" | "affiliation" | "email" | "given-names" | "surname" | "corresponding"), _) => None,
        _ => Some(unquoted(item)).filter(|text| !text.is_empty()),
    }
}

fn key_of(line: &str) -> Option<&str> {
    let (key, rest) = line.split_once(':')?;
    let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    (plain && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some(key)
}

fn after_key(line: &str) -> Option<&str> {
    line.split_once(':').map(|(_, value)| value.trim())
}

/// The items between brackets, commas inside quotes left alone.
fn flow_items(inside: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut quote = None;
    for c in inside.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == ',' => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(item) = items.last_mut() {
            item.push(c);
        }
    }
    items.iter().map(|item| unquoted(item)).collect()
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    for quote in ['"', '\''] {
        let inside = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote));
        if let Some(inside) = inside {
            let doubled = [quote, quote].iter().collect::<String>();
            return match quote {
                '\'' => inside.replace(&doubled, "'"),
                _ => inside.replace("\\\"", "\""),
            };
        }
    }
    // A comment needs a space before it, so that "C#" stays.
    let end = text.find(" #").unwrap_or(text.len());
    text[..end].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn common_blocks_are_understood() {
        let meta = read(
            "title: 'It''s: a study' \nauthor: Jane Doe; Li Wei\ndate: 3 May 2021 # preprint\n\
             doi: https://doi.org/10.1000/x\ntags: [sleep, \"snails, garden\"]\njournal: J Slime\nfictional: true\n",
        );
        assert!(meta.fictional);
        assert_eq!(meta.title.as_deref(), Some("It's: a study"));
        assert_eq!(meta.authors, ["Jane Doe", "Li Wei"]);
        assert_eq!((meta.year, meta.doi.as_deref()), (Some(2021), Some("10.1000/x")));
        assert_eq!(meta.tags, ["sleep", "snails, garden"]);
        assert_eq!(meta.venue.as_deref(), Some("J Slime"));
        let meta = read(
            "title: >\n  A long\n  title\nauthors:\n  - name: Jane Doe\n    orcid: 0000\n    affiliation: \"1, 2\"\n  \
             - orcid: 1\n    name: Li Wei\naffiliations:\n - name: Nowhere\n   index: 1\nkeywords:\n- a\n- b\n",
        );
        assert_eq!(meta.title.as_deref(), Some("A long title"));
        assert_eq!(meta.authors, ["Jane Doe", "Li Wei"]);
        assert_eq!(meta.tags, ["a", "b"]);
        assert_eq!(read("authors: Barry, R. J.").authors, ["Barry, R. J."]);
        assert_eq!(read("just words\n- x\n  y: z"), SourceMeta::default());
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "(title|authors|- name|tags|[:\\[\\]\"',# \n>|é-]){0,40}") {
            read(&text);
        }
    }
}
