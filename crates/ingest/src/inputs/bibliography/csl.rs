//! CSL-JSON: a list of items, or an object with one under `items`.

use super::{Reference, doi_of, keywords, line};
use crate::inputs::manifest::{self, Row};
use serde_json::Value;

/// Whether a JSON file begins like CSL-JSON.
pub(super) fn looks_like(head: &str) -> bool {
    let start = head.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    let has = |key: &str| start.contains(key);
    start.starts_with(['[', '{'])
        && has("\"type\"")
        && (has("\"title\"") || has("\"DOI\"") || has("\"author\""))
}

/// The entries of a file. A file of another kind has none, and a note.
pub(super) fn entries(text: &str) -> (Vec<Reference>, Vec<String>) {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return (Vec::new(), vec![format!("not used: {error}")]),
    };
    let Some(items) = value.as_array().or_else(|| value["items"].as_array()) else {
        return (Vec::new(), vec!["not used: it holds no list of items".to_owned()]);
    };
    let entries: Vec<Reference> = items.iter().filter(|item| item.is_object()).map(reference).collect();
    let note = match items.len() - entries.len() {
        0 => None,
        1 => Some("1 item is not an object".to_owned()),
        bad => Some(format!("{bad} items are not objects")),
    };
    (entries, note.into_iter().collect())
}

fn reference(item: &Value) -> Reference {
    let field = |name: &str| item[name].as_str().and_then(line);
    let authors = item["author"].as_array().map(Vec::as_slice).unwrap_or_default();
    Reference {
        key: field("citation-key")
            .or_else(|| field("id"))
            .or_else(|| item["id"].as_u64().map(|id| id.to_string()))
            .unwrap_or_default(),
        row: Row {
            title: field("title"),
            authors: authors.iter().filter_map(author).collect(),
            year: year(&item["issued"]),
            venue: field("container-title"),
            doi: doi_of(field("DOI").as_deref(), field("URL").as_deref()),
            tags: field("keyword").map(|text| keywords(&text)).unwrap_or_default(),
            ..Row::default()
        },
    }
}

fn author(person: &Value) -> Option<String> {
    let parts = ["given", "dropping-particle", "non-dropping-particle", "family", "suffix"];
    let parts = parts.map(|part| person[part].as_str().unwrap_or_default());
    line(&parts.join(" ")).or_else(|| person["literal"].as_str().and_then(line))
}

/// A year stands as a number or as text, in a list of parts or in words.
fn year(issued: &Value) -> Option<u16> {
    let first = &issued["date-parts"][0][0];
    let text = match first {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => ["raw", "literal"].iter().find_map(|key| issued[*key].as_str())?.to_owned(),
    };
    manifest::year_in(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_names_come_in_several_forms() {
        let text = r#"{"items": [
            {"id": 7, "type": "article", "title": "One", "issued": {"date-parts": [["2018"]]}, "author": [{"literal": "Snail Group"}]},
            {"id": "b", "type": "article", "issued": {"raw": "May 2017"}, "DOI": "https://doi.org/10.99999/X"}, 3]}"#;
        assert!(looks_like(text));
        let (entries, notes) = entries(text);
        let seen: Vec<_> = entries.iter().map(|e| (e.key.as_str(), e.row.year)).collect();
        assert_eq!(seen, [("7", Some(2018)), ("b", Some(2017))]);
        assert_eq!(entries[0].row.authors, ["Snail Group"]);
        assert_eq!(entries[1].row.doi.as_deref(), Some("10.99999/x"));
        assert_eq!(notes, ["1 item is not an object"]);
        for other in ["{\"a\": 1}", "[", &"[".repeat(1000)] {
            let (entries, notes) = super::entries(other);
            assert!(entries.is_empty() && notes[0].starts_with("not used: "), "{notes:?}");
        }
    }
}
