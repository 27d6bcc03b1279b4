//! Relevance judgements in BEIR's layout: `query-id TAB corpus-id TAB score`, with a header line.

use crate::{EvalError, Problem, error::MAX_PROBLEMS};
use std::{collections::BTreeMap, path::Path};
use types::files::{DATA_BYTES, read_text_bounded};

const HINT: &str = "each line is QUERY_ID<tab>DOCUMENT_ID<tab>GRADE, as BEIR writes it";

/// The grades of one query, by document id.
pub type Grades = BTreeMap<String, i32>;

/// The judgements of one split.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Qrels {
    queries: BTreeMap<String, Grades>,
}

impl Qrels {
    /// Reads the judgements of a file.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the file cannot be read; [`EvalError::Benchmark`] with every line that is not a
    /// judgement or judges a document again, or when there is no judgement.
    pub fn load(path: &Path) -> Result<Self, EvalError> {
        let text = read_text_bounded(path, DATA_BYTES).map_err(|source| EvalError::Read {
            path: path.to_path_buf(),
            source,
        })?;
        Self::parse(path, &text)
    }

    /// Reads judgements from `text`; `path` is for messages. Blank lines are skipped, and so is a first line that has
    /// the word `score` in place of a grade.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, EvalError> {
        let mut queries: BTreeMap<String, Grades> = BTreeMap::new();
        let mut problems = Vec::new();
        let mut any = false;
        for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let header = at == 0 && line.trim_end().ends_with("score");
            if line.trim().is_empty() || header {
                continue;
            }
            any = true;
            if problems.len() > MAX_PROBLEMS {
                break;
            }
            match judgement(line) {
                Err(reason) => problems.push(Problem::at(at + 1, reason)),
                Ok((query, document, grade)) => {
                    let grades = queries.entry(query.to_owned()).or_default();
                    if grades.insert(document.to_owned(), grade).is_some() {
                        let reason =
                            format!("duplicate judgement: document {document:?} for query {query:?}");
                        problems.push(Problem::at(at + 1, reason));
                    }
                }
            }
        }
        if !any {
            problems.push(Problem::whole("the file contains no judgement"));
        }
        if problems.is_empty() {
            Ok(Self { queries })
        } else {
            Err(EvalError::Benchmark {
                path: path.to_path_buf(),
                problems,
                hint: HINT,
            })
        }
    }

    /// The grades of a query; `None` if it has no judgement.
    pub fn get(&self, query: &str) -> Option<&Grades> {
        self.queries.get(query)
    }

    /// Query ids with their grades, by id.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Grades)> {
        self.queries
            .iter()
            .map(|(query, grades)| (query.as_str(), grades))
    }
}

/// The three fields of a line.
fn judgement(line: &str) -> Result<(&str, &str, i32), String> {
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [query, document, grade] = fields[..] else {
        return Err(format!("expected 3 fields, found {}", fields.len()));
    };
    if query.is_empty() || document.is_empty() {
        return Err("the id of its query or document is empty".to_owned());
    }
    let grade = grade
        .parse()
        .map_err(|_| format!("its grade {grade:?} is not a whole number"))?;
    Ok((query, document, grade))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Qrels, String> {
        Qrels::parse(Path::new("test.tsv"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn ids_are_kept_as_written() {
        let text =
            "\u{feff}query-id\tcorpus-id\tscore\nPLAIN-2\tMED-1039\t2\r\nPLAIN-2\tmed-1039\t0\n\nq\td\t-1\n";
        let qrels = parse(text).expect("judgements");
        let grades = qrels.get("PLAIN-2").expect("judged");
        assert_eq!((grades["MED-1039"], grades["med-1039"]), (2, 0));
        assert_eq!(
            qrels.iter().map(|(id, _)| id).collect::<Vec<_>>(),
            ["PLAIN-2", "q"]
        );
        assert_eq!(qrels.get("plain-2"), None);
        // The header may be missing.
        assert!(parse("q\td\t1").expect("judgements").get("q").is_some());
    }

    #[test]
    fn wrong_lines_are_named_all_at_once() {
        let error = parse("query-id\tcorpus-id\tscore\na\tb\thigh\na 0 b 1\na\tc\t1\na\tc\t1\n\td\t1\n")
            .expect_err("wrong");
        for part in [
            "test.tsv",
            "line 2: its grade \"high\" is not a whole number",
            "line 3: expected 3 fields, found 1",
            "line 5: duplicate judgement: document \"c\" for query \"a\"",
            "line 6: the id of its query or document is empty",
            "QUERY_ID<tab>DOCUMENT_ID<tab>GRADE",
        ] {
            assert!(error.contains(part), "{part:?} is not in {error}");
        }
        assert!(
            parse("query-id\tcorpus-id\tscore\n")
                .expect_err("empty")
                .contains("no judgement")
        );
    }
}
