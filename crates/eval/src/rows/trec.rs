//! TREC runs and relevance judgements.

use crate::json_lines::numbered;
use crate::ranking::{QRELS_HINT, Qrels, Ranking, columns};
use crate::rows::{Expected, Problem, Sample, error::RowsError};
use std::collections::HashMap;

/// Gives rows their relevant documents from judgements, as `QUERY 0 DOCUMENT GRADE` (TREC) or `QUERY DOCUMENT GRADE` with a header
/// (BEIR); queries without a row get one in which nothing was retrieved. Returns the number of rows added. Messages call the
/// file `name`.
///
/// # Errors
/// With every line that is neither, or judges a document again.
pub fn join_qrels(name: &str, text: &str, rows: &mut Vec<Sample>) -> Result<usize, RowsError> {
    let wrong = |problems| RowsError::unusable(name, problems, QRELS_HINT);
    let qrels = Qrels::parse(text).map_err(wrong)?;
    let mut expected: HashMap<&str, Vec<Expected>> = HashMap::new();
    for (query, grades) in qrels.iter() {
        let relevant = grades.iter().filter(|(_, grade)| **grade > 0);
        let relevant = relevant.map(|(document, grade)| Expected {
            document: document.clone(),
            pages: Vec::new(),
            grade: u32::try_from(*grade).unwrap_or(u32::MAX),
        });
        expected.insert(query, relevant.collect());
    }
    for row in rows.iter_mut() {
        let key = row.query_id.as_deref().unwrap_or(&row.id);
        if let Some(documents) = expected.remove(key) {
            row.expected = Some(documents);
        }
    }
    let before = rows.len();
    for (query, _) in qrels.iter() {
        if let Some(documents) = expected.remove(query) {
            rows.push(Sample {
                id: query.to_owned(),
                retrieved: Some(Vec::new()),
                expected: Some(documents),
                ..Sample::default()
            });
        }
    }
    Ok(rows.len() - before)
}

/// Whether the first line of a text is one of a run.
pub(crate) fn is_run(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| entry(line).is_ok())
}

/// Query, document and score.
fn entry(line: &str) -> Result<(&str, &str, f32), String> {
    let columns = columns(line);
    let [query, _, document, _, score, _] = columns[..] else {
        return Err(format!("has {} columns; 6 are needed", columns.len()));
    };
    match score.parse::<f32>() {
        Ok(score) if score.is_finite() => Ok((query, document, score)),
        _ => Err(format!("the score must be a number, got {score:?}")),
    }
}

/// A query, the line where it begins, and its documents with their scores.
type Ranked = (String, usize, Vec<(String, f32)>);

/// The rows of a run: one for each query, with its documents as [`Ranking`] orders them; ranks are not read.
pub(crate) fn run(text: &str) -> (Vec<Sample>, Vec<Problem>) {
    let mut queries: Vec<Ranked> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut problems = Vec::new();
    for (number, line) in numbered(text) {
        let (query, document, score) = match entry(line) {
            Ok(entry) => entry,
            Err(reason) => {
                problems.push(Problem::at(number, reason));
                continue;
            }
        };
        let place = *places.entry(query.to_owned()).or_insert_with(|| {
            queries.push((query.to_owned(), number, Vec::new()));
            queries.len() - 1
        });
        queries[place].2.push((document.to_owned(), score));
    }
    let mut rows = Vec::with_capacity(queries.len());
    for (id, line, documents) in queries {
        match Ranking::new(documents, usize::MAX) {
            Ok(ranking) => rows.push(Sample {
                id,
                line: Some(line),
                retrieved: Some(ranking.ids().map(str::to_owned).collect()),
                ..Sample::default()
            }),
            Err(error) => problems.push(Problem::at(line, format!("query {id:?}: {error}"))),
        }
    }
    (rows, problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_ordered_by_score() {
        let text = "q1 Q0 a 9 0.5 t\r\nq1 Q0 B 1 0.5 t\n\nq1\tQ0\tc\t2\t0.9\tt\nQ1 Q0 a 1 1e-3 t\n";
        assert!(is_run(text));
        let (rows, problems) = run(text);
        assert!(problems.is_empty(), "{problems:?}");
        let found: Vec<(&str, Vec<String>)> =
            rows.iter().map(|row| (row.id.as_str(), row.retrieved.clone().expect("ids"))).collect();
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        assert_eq!(found, [("q1", ids(&["c", "a", "B"])), ("Q1", ids(&["a"]))]);
        let (_, problems) = run("q Q0 a 1 x t\nq Q0 a 1\nq Q0 a 1 2 t\nq Q0 a 2 1 t");
        let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert_eq!(
            problems,
            [
                "line 1: the score must be a number, got \"x\"",
                "line 2: has 4 columns; 6 are needed",
                "line 3: query \"q\": the ranking cannot be used because of \"a\": it is listed twice"
            ]
        );
    }

    #[test]
    fn judgements_join_and_missing_queries_are_rows() {
        let (mut rows, _) = run("q1 Q0 a 1 1 t\n");
        let text = "query-id\tcorpus-id\tscore\nq1\ta\t2\nq1\tb\t0\nq2\tA\t1\n";
        assert_eq!(join_qrels("f", text, &mut rows), Ok(1));
        let expected = rows[0].expected.as_ref().expect("expected");
        assert_eq!((expected.len(), expected[0].grade), (1, 2));
        assert_eq!((rows[1].id.as_str(), rows[1].retrieved.as_deref()), ("q2", Some(&[][..])));
        let error = join_qrels("f", "q 0 a 1\nq 0 a 2", &mut rows).expect_err("wrong").to_string();
        assert!(error.contains('f') && error.contains("line 2: duplicate judgement"), "{error}");
    }
}
