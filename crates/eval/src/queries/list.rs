//! Query sets as a JSON list.

use crate::{EvalError, Problem};
use serde_json::{Value, json};

/// The entries of a JSON list as lines of our own format; `None` if the text is no list.
///
/// An entry without an id gets `Q1`, `Q2` and so on; without a type it is `direct`.
///
/// # Errors
/// With every entry that is no query, numbered from 1.
pub(super) fn as_lines(name: &str, text: &str) -> Result<Option<String>, EvalError> {
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with('[') {
        return Ok(None);
    }
    let wrong = |problems: Vec<Problem>| EvalError::QuerySet { name: name.to_owned(), problems };
    let entries: Vec<Value> = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| wrong(vec![Problem::at(error.line(), format!("not a JSON list: {error}"))]))?;
    let (mut lines, mut problems) = (Vec::new(), Vec::new());
    for (at, entry) in entries.into_iter().enumerate() {
        match line(at + 1, entry) {
            Ok(line) => lines.push(line.to_string()),
            Err(reason) => problems.push(Problem::whole(format!("entry {}: {reason}", at + 1))),
        }
    }
    if problems.is_empty() { Ok(Some(lines.join("\n"))) } else { Err(wrong(problems)) }
}

fn line(number: usize, entry: Value) -> Result<Value, String> {
    let Value::Object(mut entry) = entry else {
        return Err("must be an object with a query".to_owned());
    };
    if !entry.get("query").is_some_and(Value::is_string) {
        return Err("query must be a string".to_owned());
    }
    entry.entry("id").or_insert(json!(format!("Q{number}")));
    entry.entry("type").or_insert(json!("direct"));
    entry.entry("expected_no_evidence").or_insert(json!(false));
    Ok(Value::Object(entry))
}

#[cfg(test)]
mod tests {
    use crate::QuerySet;

    #[test]
    fn a_list_of_queries_is_a_query_set() {
        let text = "\u{feff}[\n {\"query\": \"Who can weld?\", \"reference_answer\": null},\n \
                    {\"id\": \"x\", \"query\": \"Who paints?\", \"expected_no_evidence\": true}]";
        let set = QuerySet::parse("set", text).expect("a set");
        let seen = set.queries.iter().map(|q| (q.id.as_str(), q.kind.as_str(), q.expected_no_evidence));
        assert_eq!(seen.collect::<Vec<_>>(), [("Q1", "direct", false), ("x", "direct", true)]);
    }

    #[test]
    fn every_wrong_entry_is_named() {
        let text = r#"[{"query": 5}, "q", {"query": "q"}]"#;
        let error = QuerySet::parse("set", text).expect_err("wrong").to_string();
        for part in ["entry 1: query must", "entry 2: must be an object"] {
            assert!(error.contains(part), "{error}");
        }
        assert!(!error.contains("entry 3"), "{error}");
        for (text, want) in [("[{]", "line 1"), ("[]", "holds no query")] {
            let error = QuerySet::parse("set", text).expect_err("wrong").to_string();
            assert!(error.contains(want), "{error}");
        }
    }
}
