//! The files of benchmarks: queries in BEIR's layout, relevance judgements, and runs.

use super::Ranking;
use crate::{EvalError, Problem, error::MAX_PROBLEMS, json_lines};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
    path::Path,
};
use types::{
    files::{DATA_BYTES, read_text_bounded},
    written::write_output,
};

const QUERIES_HINT: &str = "each line is {\"_id\": ..., \"text\": ...}, as BEIR writes it";
/// What a line of judgements must be.
pub const QRELS_HINT: &str = "each line is QUERY_ID<tab>DOCUMENT_ID<tab>GRADE, as BEIR writes it, or QUERY 0 DOCUMENT GRADE, as TREC does";

/// The grades of one query, by document id.
pub type Grades = BTreeMap<String, i32>;

/// Relevance judgements: the grades of each query, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Qrels {
    queries: Vec<(String, Grades)>,
    places: HashMap<String, usize>,
}

impl Qrels {
    /// Reads the judgements of a file.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the file cannot be read; [`EvalError::Lines`] as [`Self::parse`].
    pub fn load(path: &Path) -> Result<Self, EvalError> {
        let path = path.to_path_buf();
        match read_text_bounded(&path, DATA_BYTES) {
            Err(source) => Err(EvalError::Read { path, source }),
            Ok(text) => {
                Self::parse(&text).map_err(|problems| EvalError::Lines { path, problems, hint: QRELS_HINT })
            }
        }
    }

    /// Reads judgements in the layout of BEIR or of TREC. Blank lines are skipped, and so is a first line that has a word in
    /// place of a grade.
    ///
    /// # Errors
    /// Every line that is not a judgement or judges a document again, or that there is no judgement.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let mut out = Self::default();
        let mut problems = Vec::new();
        let mut any = false;
        for (number, line) in
            json_lines::numbered(text).filter(|(number, line)| *number > 1 || !is_header(line))
        {
            any = true;
            if problems.len() > MAX_PROBLEMS {
                break;
            }
            if let Err(reason) = judgement(line).and_then(|judged| out.add(judged)) {
                problems.push(Problem::at(number, reason));
            }
        }
        if !any {
            problems.push(Problem::whole("the file contains no judgement"));
        }
        if problems.is_empty() { Ok(out) } else { Err(problems) }
    }

    fn add(&mut self, (query, document, grade): (&str, &str, i32)) -> Result<(), String> {
        let next = self.queries.len();
        let place = *self.places.entry(query.to_owned()).or_insert(next);
        if place == next {
            self.queries.push((query.to_owned(), Grades::new()));
        }
        match self.queries[place].1.insert(document.to_owned(), grade) {
            None => Ok(()),
            Some(_) => Err(format!("duplicate judgement: document {document:?} for query {query:?}")),
        }
    }

    /// The grades of a query; `None` if it has no judgement.
    pub fn get(&self, query: &str) -> Option<&Grades> {
        Some(&self.queries[*self.places.get(query)?].1)
    }

    /// Query ids with their grades, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Grades)> {
        self.queries.iter().map(|(query, grades)| (query.as_str(), grades))
    }
}

/// Columns between tabs, else between white space; where there is none, as in a table, between semicolons or commas.
pub(crate) fn columns(line: &str) -> Vec<&str> {
    if line.contains('\t') {
        return line.split('\t').map(str::trim).collect();
    }
    let parted: Vec<&str> = line.split_whitespace().collect();
    match parted[..] {
        [one] => one.split([';', ',']).map(str::trim).collect(),
        _ => parted,
    }
}

fn is_header(line: &str) -> bool {
    let last = columns(line).last().copied().unwrap_or_default();
    last.chars().all(|c| c.is_alphabetic() || "-_ ".contains(c)) && matches!(columns(line).len(), 3 | 4)
}

/// Query, document and grade of a line.
fn judgement(line: &str) -> Result<(&str, &str, i32), String> {
    let columns = columns(line);
    let ([query, document, grade] | [query, _, document, grade]) = columns[..] else {
        return Err(format!("expected 3 or 4 fields, found {}", columns.len()));
    };
    if query.is_empty() || document.is_empty() {
        return Err("the id of its query or document is empty".to_owned());
    }
    let grade = grade.parse().map_err(|_| format!("its grade {grade:?} is not a whole number"))?;
    Ok((query, document, grade))
}

/// One query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkQuery {
    /// Its `_id`, as written.
    pub id: String,
    /// What it asks; never blank.
    pub text: String,
}

#[derive(Deserialize)]
struct Raw {
    #[serde(rename = "_id")]
    id: Value,
    text: String,
}

/// Reads the queries of a file, in its order. Blank lines and other fields are skipped.
///
/// # Errors
/// [`EvalError::Read`] when the file cannot be read; [`EvalError::Lines`] with every line that is not a query, has
/// no text, or repeats an id.
pub fn load_queries(path: &Path) -> Result<Vec<BenchmarkQuery>, EvalError> {
    json_lines::load(path, QUERIES_HINT, |_, line| query(line), |query| ("_id", query.id.clone()))
}

fn query(line: &str) -> Result<BenchmarkQuery, String> {
    let raw: Raw = json_lines::parse(line)?;
    let id = json_lines::written_id("_id", &raw.id)?;
    if raw.text.trim().is_empty() {
        return Err("its text is empty".to_owned());
    }
    Ok(BenchmarkQuery { id, text: raw.text })
}

/// Writes rankings as a run, `QUERY Q0 DOCUMENT RANK SCORE TAG` a line, queries in the order given. Scores are printed so that they read back as the same number.
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
            if let Some(id) = [query, document].into_iter().find(|id| id.contains(char::is_whitespace)) {
                return Err(EvalError::Ranking {
                    document: id.to_owned(),
                    reason: "a TREC run file cannot contain an id with white space; omit --output".to_owned(),
                });
            }
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{query} Q0 {document} {} {score} {tag}", at + 1);
        }
    }
    write_output(path, &[text.as_bytes()])
        .map_err(|source| EvalError::Write { path: path.to_path_buf(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn parse(text: &str) -> Result<Qrels, String> {
        Qrels::parse(text).map_err(|problems| Problem::list(&problems))
    }

    #[test]
    fn ids_are_kept_as_written() {
        let text =
            "\u{feff}query-id\tcorpus-id\tscore\nPLAIN-2\tMED-1039\t2\r\nPLAIN-2\tmed-1039\t0\n\nq\td\t-1\n";
        let qrels = parse(text).expect("judgements");
        let grades = qrels.get("PLAIN-2").expect("judged");
        assert_eq!((grades["MED-1039"], grades["med-1039"]), (2, 0));
        assert_eq!(qrels.iter().map(|(id, _)| id).collect::<Vec<_>>(), ["PLAIN-2", "q"]);
        assert_eq!(qrels.get("plain-2"), None);
        // As TREC writes it, and as a table.
        assert_eq!(parse("q 0 d 1\nq\t0\te\t2\n").expect("judgements").get("q").map(Grades::len), Some(2));
        assert!(parse("q;d;1").expect("judgements").get("q").is_some());
        // The header may be missing.
        assert!(parse("q\td\t1").expect("judgements").get("q").is_some());
    }

    #[test]
    fn wrong_lines_are_named_all_at_once() {
        let error = parse("query-id\tcorpus-id\tscore\na\tb\thigh\na b\na\tc\t1\na\tc\t1\n\td\t1\n")
            .expect_err("wrong");
        for part in [
            "line 2: its grade \"high\" is not a whole number",
            "line 3: expected 3 or 4 fields, found 2",
            "line 5: duplicate judgement: document \"c\" for query \"a\"",
            "line 6: the id of its query or document is empty",
        ] {
            assert!(error.contains(part), "{part:?} is not in {error}");
        }
        assert!(parse("query-id\tcorpus-id\tscore\n").expect_err("empty").contains("no judgement"));
    }

    fn load(text: &str) -> Result<Vec<BenchmarkQuery>, String> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("queries.jsonl");
        fs::write(&path, text).expect("written");
        load_queries(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn queries_keep_their_order_and_spelling() {
        let text = "\u{feff}{\"_id\": \"PLAIN-3\", \"text\": \"Why?\", \"metadata\": {}}\n\n{\"text\": \"How?\", \"_id\": 2}\n";
        let found = load(text).expect("queries");
        let ids: Vec<&str> = found.iter().map(|query| query.id.as_str()).collect();
        assert_eq!(ids, ["PLAIN-3", "2"]);
        assert_eq!(found[0].text, "Why?");
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = load("{\"_id\": \"a\", \"text\": \"x\"}\n{\"_id\": \"a\", \"text\": \"y\"}\n{\"_id\": \"b\"}\n{\"_id\": \"c\", \"text\": \" \"}\n{\"_id\": [], \"text\": \"z\"}\n")
            .expect_err("wrong");
        for part in [
            "line 2: the _id \"a\" is already on line 1",
            "line 3: missing field `text`",
            "line 4: its text is empty",
            "line 5: _id must be a string or a number",
        ] {
            assert!(error.contains(part), "{part:?} is not in {error}");
        }
    }

    #[test]
    fn a_run_has_one_line_for_each_document() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("run.trec");
        let documents = vec![("MED-10".to_owned(), 0.1), ("med-2".to_owned(), 1.0 / 3.0)];
        let ranking = Ranking::new(documents, 100).expect("a ranking");
        let empty = Ranking::default();
        write_run(&path, "hybrid", [("q 1", &empty), ("Q2", &ranking)].into_iter()).expect("written");
        let text = fs::read_to_string(&path).expect("read");
        assert_eq!(text, "Q2 Q0 med-2 1 0.33333334 hybrid\nQ2 Q0 MED-10 2 0.1 hybrid\n");
        let error = write_run(&path, "hybrid", [("q 1", &ranking)].into_iter()).expect_err("white space");
        assert!(error.to_string().contains("\"q 1\""), "{error}");
    }
}
