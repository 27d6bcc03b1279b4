//! The TREC run format: `QUERY Q0 DOCUMENT RANK SCORE TAG`, one line for each document.

use super::Ranking;
use crate::EvalError;
use std::{fmt::Write, path::Path};
use types::written::write_output;

/// Writes rankings as a run, queries in the order given. Scores are printed so that they read back as the same number.
///
/// # Errors
/// [`EvalError::Ranking`] when an id contains white space, which the format cannot hold; [`EvalError::Write`].
pub fn write_run<'a>(
    path: &Path,
    tag: &str,
    rankings: impl Iterator<Item = (&'a str, &'a Ranking)>,
) -> Result<(), EvalError> {
    let mut text = String::new();
    for (query, ranking) in rankings {
        for (at, (document, score)) in ranking.iter().enumerate() {
            if let Some(id) = [query, document]
                .into_iter()
                .find(|id| id.contains(char::is_whitespace))
            {
                return Err(EvalError::Ranking {
                    document: id.to_owned(),
                    reason: "a TREC run file cannot contain an id with white space; omit --run-out"
                        .to_owned(),
                });
            }
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{query} Q0 {document} {} {score} {tag}", at + 1);
        }
    }
    write_output(path, &[text.as_bytes()]).map_err(|source| EvalError::Write {
        path: path.to_path_buf(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_run_has_one_line_for_each_document() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("run.trec");
        let documents = vec![("MED-10".to_owned(), 0.1), ("med-2".to_owned(), 1.0 / 3.0)];
        let ranking = Ranking::new(documents, 100).expect("a ranking");
        let empty = Ranking::default();
        write_run(&path, "hybrid", [("q 1", &empty), ("Q2", &ranking)].into_iter()).expect("written");
        let text = fs::read_to_string(&path).expect("read");
        assert_eq!(
            text,
            "Q2 Q0 med-2 1 0.33333334 hybrid\nQ2 Q0 MED-10 2 0.1 hybrid\n"
        );
        let error = write_run(&path, "hybrid", [("q 1", &ranking)].into_iter()).expect_err("white space");
        assert!(error.to_string().contains("\"q 1\""), "{error}");
    }
}
