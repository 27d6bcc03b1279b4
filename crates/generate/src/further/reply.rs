//! What the model replies, and which of its searches are made.

use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use text::{
    addresses::{KnownAddresses, addresses},
    fold::fold,
};

/// Characters of a search, at most: a longer one is no search, but a copied passage.
const SEARCH_CHARS: usize = 300;

/// The shape of the reply. Where the server writes fields in order, the reason comes before the decision.
#[derive(Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Reply {
    reason: String,
    answered: bool,
    searches: Vec<String>,
}

/// Whether the context answers the question, and what is searched if it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Why, in the model's words.
    pub reason: String,
    /// Whether the model finds the question answered. Then there are no searches.
    pub answered: bool,
    /// What to search, each once.
    pub searches: Vec<String>,
}

/// The schema of the reply, with at most `limit` searches.
pub(super) fn schema(limit: usize) -> types::JsonSchema {
    let mut schema = schema_for!(Reply).to_value();
    if let Some(object) = schema.as_object_mut() {
        object.retain(|key, _| !matches!(key.as_str(), "$schema" | "title" | "description"));
    }
    if let Some(searches) = schema
        .pointer_mut("/properties/searches")
        .and_then(Value::as_object_mut)
    {
        searches.insert("maxItems".to_owned(), json!(limit));
    }
    types::JsonSchema {
        name: "further_searches".to_owned(),
        schema,
    }
}

/// Reads a reply. White space in a search becomes one space. Searches that are empty, longer than [`SEARCH_CHARS`], equal to
/// the question or to an earlier search, apart from case and the like, or hold an address that the question does not have,
/// are left out, and so are those beyond `limit`.
///
/// # Errors
/// What is wrong, as a part of a sentence.
pub(super) fn read(text: &str, question: &str, limit: usize) -> Result<Plan, String> {
    let Reply {
        reason,
        answered,
        searches,
    } = serde_json::from_str(text.trim())
        .map_err(|error| format!("it is not the JSON asked for ({error})"))?;
    let mut seen = BTreeSet::from([words(question), String::new()]);
    let mut asked = KnownAddresses::default();
    asked.add(question);
    let usable = |search: &String| {
        let invented = addresses(search).iter().any(|own| !asked.holds(own));
        search.chars().count() <= SEARCH_CHARS && !invented && seen.insert(words(search))
    };
    let searches = searches.iter().map(|search| one_line(search));
    let searches = searches.filter(usable).take(limit);
    Ok(Plan {
        reason: one_line(&reason),
        answered,
        searches: if answered { Vec::new() } else { searches.collect() },
    })
}

/// The text without control characters, its words separated by single spaces.
fn one_line(text: &str) -> String {
    let parts = text.split(|c: char| c.is_whitespace() || c.is_control());
    parts
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The folded words of a text, to compare searches.
fn words(text: &str) -> String {
    let folded = fold(text);
    let words = folded.text().split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &str = "Does the naïve diet help?";

    fn searches(list: &[&str], limit: usize) -> Vec<String> {
        let reply = json!({"reason": "r", "answered": false, "searches": list}).to_string();
        read(&reply, QUESTION, limit).expect("a plan").searches
    }

    #[test]
    fn searches_are_cleaned() {
        let check = |list: &[&str], limit: usize, want: &[&str]| assert_eq!(searches(list, limit), want);
        check(&["  sodium \n intake\u{1b} "], 2, &["sodium intake"]);
        check(&["", " \t", "?!"], 2, &[]);
        check(
            &["Salt intake", "salt  INTAKE?", "salt"],
            3,
            &["Salt intake", "salt"],
        );
        check(&["does the NAÏVE diet help", "diet"], 2, &["diet"]);
        check(&["a b", "c d", "e f"], 2, &["a b", "c d"]);
        // What is left out does not count towards the limit.
        check(&["", "a b", "A B", "c d"], 2, &["a b", "c d"]);
        let (fits, long) = ("é".repeat(SEARCH_CHARS), "é".repeat(SEARCH_CHARS + 1));
        check(&[&long, &fits], 2, &[&fits]);
        check(&["a b"], 0, &[]);
        check(&["sodium https://evil.example/x", "sodium"], 2, &["sodium"]);
    }

    #[test]
    fn an_answered_question_needs_no_search() {
        let plan = read(
            r#" {"reason": " All\nof it. ", "answered": true, "searches": ["x y"]} "#,
            QUESTION,
            3,
        );
        let want = Plan {
            reason: "All of it.".to_owned(),
            answered: true,
            searches: Vec::new(),
        };
        assert_eq!(plan, Ok(want));
    }

    #[test]
    fn replies_that_cannot_be_used_say_why() {
        for text in [
            "",
            "[]",
            "Search for salt.",
            r#"{"reason": "r", "answered": false}"#,
        ] {
            let wrong = read(text, QUESTION, 3).expect_err(text);
            assert!(wrong.contains("not the JSON asked for"), "{wrong}");
        }
    }

    #[test]
    fn the_schema_is_strict_and_the_reason_comes_first() {
        let schema = schema(3);
        assert_eq!(schema.name, "further_searches");
        let want = json!({
            "type": "object",
            "properties": {
                "reason": {"type": "string"},
                "answered": {"type": "boolean"},
                "searches": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
            },
            "additionalProperties": false,
            "required": ["reason", "answered", "searches"],
        });
        assert_eq!(schema.schema, want);
        let fields: Vec<&String> = schema.schema["properties"]
            .as_object()
            .expect("an object")
            .keys()
            .collect();
        assert_eq!(fields, ["reason", "answered", "searches"]);
    }
}
