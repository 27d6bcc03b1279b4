//! The questions of a file, with what it knows of their right answers.

use crate::rows::{
    Format, Lookup, LookupKind, ReadOptions, RowsError, Sample,
    read::read_any,
    record::{self, Container},
};
use std::collections::HashSet;

/// The questions of a file in the order of the file, each once: a file of answers in any of the formats that
/// [`read()`](crate::rows::read()) reads, whose answers and passages are left out, or a file of questions as [`LookupKind::Queries`]
/// has it. Messages call the file `name`.
///
/// # Errors
/// When the format is not known, the file has no question, or with every line that is wrong.
pub fn questions(name: &str, text: &str) -> Result<Vec<Sample>, RowsError> {
    let found = record::any(text.trim_start_matches('\u{feff}'));
    let rows = if Format::detect(found.list.iter().map(|record| &record.fields)).is_some() {
        read_any(name, text, &ReadOptions::default())?.rows
    } else {
        Lookup::parse(name, text, LookupKind::Queries)?.entries().to_vec()
    };
    let mut seen: HashSet<String> = HashSet::new();
    let mut asks = |row: &Sample| {
        let question = row.question.as_deref().map(str::trim).unwrap_or_default();
        !question.is_empty() && seen.insert(question.to_owned())
    };
    let mut rows: Vec<Sample> = rows.into_iter().map(question_of).collect();
    rows.retain(|row| asks(row));
    if rows.is_empty() {
        return Err(RowsError::file(
            name,
            "the file has no questions",
            "name a file of questions, or of answers with their questions",
        ));
    }
    Ok(rows)
}

/// [`questions()`] of a file of another program: one in a format of answers, a table, or JSON whose records have a `question`.
/// `None` for other files, such as query sets of ours.
///
/// # Errors
/// As [`questions()`].
pub fn foreign_questions(name: &str, text: &str) -> Result<Option<Vec<Sample>>, RowsError> {
    let found = record::any(text);
    let mut fields = found.list.iter().map(|record| &record.fields);
    let foreign = Format::detect(fields.clone()).is_some()
        || found.container == Container::Csv
        || fields.any(|fields| fields.contains_key("question") && !fields.contains_key("query"));
    foreign.then(|| questions(name, text)).transpose()
}

/// What is known of the question alone.
fn question_of(row: Sample) -> Sample {
    Sample {
        id: row.id,
        query_id: row.query_id,
        line: row.line,
        question: row.question,
        expected: row.expected,
        gold_quotes: row.gold_quotes,
        reference: row.reference,
        expected_refusal: row.expected_refusal,
        tags: row.tags,
        ..Sample::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_answers_and_of_questions() {
        for (text, reference) in [
            ("{\"user_input\": \"How far?\", \"response\": \"x\", \"reference\": \"Two miles.\"}", true),
            ("{\"user_input\": \"How far?\", \"reference\": \"Two miles.\"}", true),
            ("user_input,reference\nHow far?,Two miles.\n", true),
            ("[{\"question\": \"How far?\", \"expected_resumes\": [\"a.txt\"]}]", false),
            ("[{\"input\": \"How far?\", \"expected_output\": \"Two miles.\"}]", true),
            (
                "{\"id\": \"D1\", \"query\": \"How far?\", \"reference_answer\": \"Two miles.\", \"expected_no_evidence\": false}\n",
                true,
            ),
        ] {
            let rows = questions("f", text).expect(text);
            assert_eq!(rows.len(), 1, "{text}");
            assert_eq!(rows[0].question.as_deref(), Some("How far?"), "{text}");
            assert_eq!(rows[0].reference.as_deref() == Some("Two miles."), reference, "{text}");
            assert_eq!(rows[0].answer, None, "{text}");
        }
        let twice = "{\"user_input\": \"Q?\", \"response\": \"a\"}\n{\"user_input\": \" Q? \", \"response\": \"b\"}\n";
        assert_eq!(questions("f", twice).expect("reads").len(), 1);
        for (text, says) in [
            ("[]", "f: "),
            ("{\"user_input\": 5, \"response\": \"a\"}", "line 1: user_input must be a string"),
            ("{\"retrieved_contexts\": [\"a\"], \"response\": \"a\", \"user_input\": null}", "no questions"),
        ] {
            let error = questions("f", text).expect_err(text).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
