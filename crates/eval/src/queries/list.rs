//! Query sets of other evaluations: a JSON list of questions with the documents that answer them.

use crate::{EvalError, Problem};
use serde_json::{Map, Value, json};
use std::path::Path;
use types::SourceId;

/// The entries of a JSON list as lines of our own format; `None` if the text is no list.
///
/// `question` becomes `query`, the files of `expected_resumes` become `target_papers` with the ids that ingestion gives such
/// files, and `ground_truth` becomes `reference_answer`. An entry without an id gets `Q1`, `Q2` and so on; without a type
/// it is `direct`.
///
/// # Errors
/// With every entry that is no question, numbered from 1.
pub(super) fn as_lines(name: &str, text: &str) -> Result<Option<String>, EvalError> {
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with('[') {
        return Ok(None);
    }
    let wrong = |problems: Vec<Problem>| EvalError::QuerySet {
        name: name.to_owned(),
        problems,
    };
    let entries: Vec<Value> = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
        wrong(vec![Problem {
            line: error.line(),
            reason: format!("not a JSON list: {error}"),
        }])
    })?;
    let (mut lines, mut problems) = (Vec::new(), Vec::new());
    for (at, entry) in entries.into_iter().enumerate() {
        match line(at + 1, entry) {
            Ok(line) => lines.push(line.to_string()),
            Err(reason) => problems.push(Problem {
                line: 0,
                reason: format!("entry {}: {reason}", at + 1),
            }),
        }
    }
    if problems.is_empty() {
        Ok(Some(lines.join("\n")))
    } else {
        Err(wrong(problems))
    }
}

fn line(number: usize, entry: Value) -> Result<Value, String> {
    let Value::Object(mut entry) = entry else {
        return Err("must be an object with a question".to_owned());
    };
    rename(&mut entry, "question", "query");
    rename(&mut entry, "ground_truth", "reference_answer");
    if !entry.get("query").is_some_and(Value::is_string) {
        return Err("question must be a string".to_owned());
    }
    if let Some(files) = entry.shift_remove("expected_resumes") {
        let files = files
            .as_array()
            .ok_or("expected_resumes must be a list of file names")?;
        let targets = files.iter().map(|file| {
            let file = file
                .as_str()
                .ok_or("expected_resumes must be a list of file names")?;
            let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
            Ok(json!(SourceId::from_stem(&stem).as_str()))
        });
        let targets: Vec<Value> = targets.collect::<Result<_, &str>>()?;
        entry.entry("target_papers").or_insert(Value::Array(targets));
    }
    // Who asks belongs to the service, not to the question.
    entry.shift_remove("company_id");
    entry.entry("id").or_insert(json!(format!("Q{number}")));
    entry.entry("type").or_insert(json!("direct"));
    entry.entry("expected_no_evidence").or_insert(json!(false));
    Ok(Value::Object(entry))
}

fn rename(entry: &mut Map<String, Value>, from: &str, to: &str) {
    if !entry.contains_key(to)
        && let Some(value) = entry.shift_remove(from)
    {
        entry.insert(to.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use crate::QuerySet;

    #[test]
    fn questions_with_expected_files_are_a_query_set() {
        let text = "\u{feff}[\n {\"question\": \"Who can weld?\", \"expected_resumes\": [\"CV 12.txt\"]},\n \
                    {\"id\": \"x\", \"query\": \"Who paints?\", \"expected_no_evidence\": true}]";
        let set = QuerySet::parse("set", text).expect("a set");
        assert_eq!(set.queries[0].query, "Who can weld?");
        assert_eq!(
            (set.queries[0].id.as_str(), set.queries[0].kind.as_str()),
            ("Q1", "direct")
        );
        assert_eq!(set.queries[0].target_papers[0].as_str(), "cv_12");
        assert_eq!(
            (set.queries[1].id.as_str(), set.queries[1].expected_no_evidence),
            ("x", true)
        );
    }

    #[test]
    fn every_wrong_entry_is_named() {
        let text = r#"[{"question": 5}, "q", {"question": "q", "expected_resumes": "a"}, {"question": "q"}]"#;
        let error = QuerySet::parse("set", text).expect_err("wrong").to_string();
        for part in [
            "entry 1: question must",
            "entry 2: must be an object",
            "entry 3: expected_resumes must",
        ] {
            assert!(error.contains(part), "{error}");
        }
        assert!(!error.contains("entry 4"), "{error}");
        assert!(
            QuerySet::parse("set", "[{]")
                .expect_err("wrong")
                .to_string()
                .contains("line 1")
        );
        assert!(
            QuerySet::parse("set", "[]")
                .expect_err("wrong")
                .to_string()
                .contains("holds no query")
        );
    }
}
