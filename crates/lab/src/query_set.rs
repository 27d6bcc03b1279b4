//! Query sets: our own, and test sets of other programs in the formats that `score` reads.

use crate::error::LabError;
use eval::Sample;
use eval::{EvalError, QuerySet};
use serde_json::{Value, json};
use std::path::Path;
use types::{
    Reporter, SourceId,
    files::{DATA_BYTES, read_bounded},
};

/// Reads and checks the query set of a file.
///
/// # Errors
/// When the file cannot be read, or with everything that is wrong with it.
pub(crate) fn load(path: &Path) -> Result<QuerySet, LabError> {
    let bytes = read_bounded(path, DATA_BYTES)
        .map_err(|source| EvalError::Read { path: path.to_path_buf(), source })?;
    Ok(parse(&path.display().to_string(), &bytes)?.0)
}

/// The questions of a file: the first `limit`, or all.
///
/// # Errors
/// When the file is wrong, or no question would be asked.
pub(crate) fn questions(
    path: &Path,
    limit: Option<usize>,
    reporter: &dyn Reporter,
) -> Result<QuerySet, LabError> {
    let set = load(path)?;
    for warning in set.grouped_warnings() {
        reporter.warn(&format!("{}: {warning}", path.display()));
    }
    match limit {
        Some(0) => {
            let nothing = "--limit 0 would evaluate no question; give a number from 1, or leave it out";
            Err(LabError::Message(nothing.to_owned()))
        }
        Some(limit) => Ok(set.limited(limit)),
        None => Ok(set),
    }
}

/// Checks a query set; messages call it `name`. The text is returned too.
///
/// # Errors
/// With everything that is wrong with it.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<(QuerySet, String), LabError> {
    let text = eval::rows::decode(name, bytes)?.text;
    let set = match eval::rows::foreign_questions(name, &text)? {
        Some(rows) => {
            let lines = rows.iter().enumerate().map(|(at, row)| line(at + 1, row).to_string());
            QuerySet::parse(name, &lines.collect::<Vec<_>>().join("\n"))?
        }
        None => QuerySet::parse(name, &eval::rows::clean(&text))?,
    };
    Ok((set, text))
}

/// A question of another program as a line of our own format: files become the ids that ingestion gives them. Passages of
/// which no document is named cannot be found in the papers; they are left out.
fn line(number: usize, row: &Sample) -> Value {
    let source = |document: &str| {
        let stem = Path::new(document).file_stem().unwrap_or_default();
        SourceId::from_stem(&stem.to_string_lossy()).to_string()
    };
    let expected = row.expected.iter().flatten().map(|expected| source(&expected.document));
    let gold = row.gold_quotes.iter().flatten().filter_map(|gold| {
        let source_id = source(gold.document.as_deref()?);
        Some(json!({"source_id": source_id, "quote": gold.quote}))
    });
    let id = row.query_id.as_ref().unwrap_or(&row.id);
    let is_place = *id == number.to_string();
    json!({
        "id": if is_place { format!("Q{id}") } else { id.clone() },
        "type": "direct",
        "query": row.question,
        "target_papers": expected.collect::<Vec<_>>(),
        "expected_no_evidence": row.expected_refusal.unwrap_or(false),
        "reference_answer": row.reference,
        "gold_evidence": gold.collect::<Vec<_>>(),
        "tags": row.tags,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> QuerySet {
        parse("set", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}")).0
    }

    #[test]
    fn test_sets_of_other_programs_are_query_sets() {
        let ours = r#"{"id": "A", "type": "edge", "query": "How far?", "expected_no_evidence": false, "reference_answer": "Two miles.", "tags": null, "nearest": NaN}"#;
        for text in [
            r#"[{"user_input": "How far?", "reference_contexts": ["x"], "reference": "Two miles."}]"#,
            "{\"user_input\": \"How far?\", \"response\": null, \"reference\": \"Two miles.\"}\n",
            r#"{"goldens": [{"input": "How far?", "expected_output": "Two miles.", "context": ["c"]}]}"#,
            "input;actual_output;expected_output\r\nHow far?;;Two miles.\r\n",
            r#"[{"question": "How far?", "ground_truth": "Two miles.", "company_id": "c"}]"#,
            "query,reference\nHow far?,Two miles.\n",
            ours,
        ] {
            let set = set(text);
            assert_eq!((set.queries.len(), set.queries[0].query.as_str()), (1, "How far?"), "{text}");
            assert_eq!(set.queries[0].reference_answer.as_deref(), Some("Two miles."), "{text}");
        }
        assert_eq!((set(ours).queries[0].id.as_str(), set(ours).queries[0].kind.as_str()), ("A", "edge"));
    }

    #[test]
    fn files_become_source_ids_and_places_become_ids() {
        let text = r#"[{"question": "Who can weld?", "expected_resumes": ["CV 12.txt"]}, {"question": "Who paints?", "id": "x"}]"#;
        let set = set(text);
        assert_eq!((set.queries[0].id.as_str(), set.queries[1].id.as_str()), ("Q1", "x"));
        assert_eq!(set.queries[0].target_papers, ["cv_12".into()]);
        let error =
            parse("set", br#"[{"question": 5}, {"question": "q"}, "q"]"#).expect_err("wrong").to_string();
        assert!(error.contains("line 1: question must be a string"), "{error}");
    }
}
