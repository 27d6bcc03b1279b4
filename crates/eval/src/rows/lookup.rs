//! What other files know of the questions of rows: their text, the right answer, the documents that answer.

use crate::rows::{
    Problem, Sample,
    error::RowsError,
    field_map::FieldMap,
    format::{Field, Layout},
    reader,
    record::{self, Container, Record, Records, kind},
    scan::{Lines, clean, entries},
};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use types::words::distinct;

/// A kind of such a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupKind {
    /// Right answers by query id: `{"q1": {"answer": "…", "document": {"a.pdf": [3]}}}`.
    GroundTruth,
    /// Questions by id: a query set of ours, `queries.jsonl` of BEIR, or `{"q1": "…"}`.
    Queries,
}

const GROUND_TRUTH: Layout = &[
    (Field::Id, &["id"]),
    (Field::QueryId, &["query_id", "question_id"]),
    (Field::Question, &["query", "question", "user_input"]),
    (Field::Reference, &["answer", "ground_truth", "reference", "reference_answer", "expected_output"]),
    (Field::Expected, &["document", "documents", "expected_resumes", "target_papers"]),
    (Field::GoldQuotes, &["gold_evidence", "reference_contexts"]),
];

const QUERIES: Layout = &[
    (Field::Id, &["id", "_id"]),
    (Field::QueryId, &["query_id", "question_id"]),
    (Field::Question, &["query", "question", "text", "user_input"]),
    (Field::Reference, &["reference_answer", "ground_truth", "reference"]),
    (Field::Expected, &["target_papers", "expected_resumes", "document"]),
    (Field::GoldQuotes, &["gold_evidence"]),
    (Field::ExpectedRefusal, &["expected_no_evidence"]),
    (Field::Tags, &["tags"]),
];

impl LookupKind {
    fn layout(self) -> Layout {
        match self {
            Self::GroundTruth => GROUND_TRUTH,
            Self::Queries => QUERIES,
        }
    }

    /// The key of a value that is a text alone.
    fn text_key(self) -> &'static str {
        match self {
            Self::GroundTruth => "answer",
            Self::Queries => "query",
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Self::GroundTruth => {
                "ground truth is {\"QUERY_ID\": {\"answer\": \"...\", \"document\": {\"FILE\": [PAGE]}}}, or a list or lines of such entries with query_id"
            }
            Self::Queries => {
                "queries are {\"QUERY_ID\": \"question\"}, a list of {id, query}, or one such object on each line"
            }
        }
    }
}

/// Entries by id.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    entries: Vec<Sample>,
    by_id: HashMap<String, usize>,
    by_question: HashMap<String, usize>,
}

/// How rows and entries met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Rows that have an entry.
    pub rows: usize,
    /// Entries that no row has.
    pub unused: usize,
}

impl Lookup {
    /// Reads a file; messages call it `name`.
    ///
    /// # Errors
    /// When it is not JSON, has no entries, or with every entry that is wrong.
    pub fn parse(name: &str, text: &str, of: LookupKind) -> Result<Self, RowsError> {
        let text = &*clean(text.trim_start_matches('\u{feff}'));
        let found = by_key(text, of).unwrap_or_else(|| record::any(text));
        let read = reader::rows(of.layout(), &FieldMap::default(), &found);
        let mut problems = found.problems;
        problems.extend(read.problems);
        problems.sort_by_key(|problem| problem.line);
        if read.rows.is_empty() && problems.is_empty() {
            problems.push(Problem::whole("has no entries"));
        }
        if !problems.is_empty() {
            return Err(RowsError::unusable(name, problems, of.hint()));
        }
        let (mut by_id, mut by_question) = (HashMap::new(), HashMap::new());
        for (at, entry) in read.rows.iter().enumerate() {
            by_id.insert(entry.id.clone(), at);
            if let Some(question) = &entry.question {
                by_question.entry(question.trim().to_owned()).or_insert(at);
            }
        }
        let named = |(at, entry): (usize, &Sample)| Some((entry.query_id.clone()?, at));
        for (id, at) in read.rows.iter().enumerate().filter_map(named) {
            by_id.entry(id).or_insert(at);
        }
        Ok(Self { entries: read.rows, by_id, by_question })
    }

    /// The entries, in the order of the file.
    pub fn entries(&self) -> &[Sample] {
        &self.entries
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Fills what rows lack from the entry with the query id or the id of the row or, failing that, with its question.
    pub fn join(&self, rows: &mut [Sample]) -> Joined {
        let mut used: HashSet<usize> = HashSet::new();
        let mut joined = 0;
        for row in rows {
            let ids = [row.query_id.as_ref(), Some(&row.id)];
            let by_id = ids.into_iter().flatten().find_map(|id| self.by_id.get(id));
            let question = row.question.as_ref().map(|question| question.trim());
            let Some(&at) = by_id.or_else(|| self.by_question.get(question?)) else {
                continue;
            };
            used.insert(at);
            joined += 1;
            fill(row, &self.entries[at]);
        }
        Joined { rows: joined, unused: self.entries.len() - used.len() }
    }
}

fn fill(row: &mut Sample, entry: &Sample) {
    fn take<T: Clone>(own: &mut Option<T>, other: Option<&T>) {
        *own = own.take().or_else(|| other.cloned());
    }
    take(&mut row.question, entry.question.as_ref());
    take(&mut row.reference, entry.reference.as_ref());
    take(&mut row.expected, entry.expected.as_ref());
    take(&mut row.gold_quotes, entry.gold_quotes.as_ref());
    take(&mut row.expected_refusal, entry.expected_refusal.as_ref());
    let new = distinct(entry.tags.iter().filter(|tag| !row.tags.contains(tag)));
    row.tags.extend(new.into_iter().cloned());
}

/// The records of an object with one entry under each id; `None` for other files.
fn by_key(text: &str, of: LookupKind) -> Option<Records> {
    let map: Map<String, Value> = serde_json::from_str(text).ok()?;
    let named = ["id", "_id", "query_id", "question_id"];
    let one_entry =
        named.iter().any(|key| map.get(*key).is_some_and(|value| value.is_string() || value.is_number()))
            && map.values().any(|value| !value.is_object());
    if one_entry && map.len() > 1 || map.values().any(Value::is_array) {
        return None;
    }
    let start = text.len() - text.trim_start().len();
    let mut places = Lines::new(text);
    let mut out = Records::new(Container::Json);
    for place in entries(text, start) {
        let line = places.of(place.at);
        let mut own = serde_json::Deserializer::from_str(&text[place.at..]).into_iter::<Value>();
        let fields = match own.next() {
            Some(Ok(Value::Object(fields))) => fields,
            Some(Ok(Value::String(text))) => {
                Map::from_iter([(of.text_key().to_owned(), Value::String(text))])
            }
            Some(Ok(other)) => {
                let reason = format!("must be an object or a string, got {}", kind(&other));
                out.problems.push(Problem::at(line, reason));
                continue;
            }
            _ => continue,
        };
        out.list.push(Record { line, key: place.key, fields });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, query_id: Option<&str>) -> Sample {
        Sample { id: id.to_owned(), query_id: query_id.map(str::to_owned), ..Sample::default() }
    }

    #[test]
    fn ground_truth_by_id_or_as_a_list() {
        let map = r#"{"q1": {"query_id": "q1", "answer": "Two grams.", "document": {"a.pdf": [3]}}, "q2": "Nothing."}"#;
        let list = r#"[{"query_id": "q1", "answer": "Two grams.", "document": {"a.pdf": [3]}},
            {"query_id": "q2", "answer": "Nothing."}]"#;
        let lines = "{\"query_id\": \"q1\", \"answer\": \"Two grams.\", \"document\": {\"a.pdf\": [3]}}\n\n{\"id\": \"q2\", \"answer\": \"Nothing.\"}\n";
        for text in [map, list, lines] {
            let truth = Lookup::parse("f", text, LookupKind::GroundTruth).expect("ground truth");
            let mut rows = [row("t1", Some("q1")), row("q2", None), row("t3", Some("q3"))];
            assert_eq!(truth.join(&mut rows), Joined { rows: 2, unused: 0 }, "{text}");
            assert_eq!(rows[0].reference.as_deref(), Some("Two grams."));
            assert_eq!(rows[0].expected.as_ref().expect("gold")[0].pages, [3]);
            assert_eq!(rows[1].reference.as_deref(), Some("Nothing."));
            assert_eq!(rows[2].reference, None);
        }
    }

    #[test]
    fn questions_of_all_kinds_fill_only_what_is_missing() {
        for text in [
            r#"{"q1": "How much?"}"#,
            r#"{"q1": {"query": "How much?"}}"#,
            r#"[{"id": "q1", "question": "How much?"}]"#,
            r#"{"_id": "q1", "text": "How much?"}"#,
            r#"{"id":"q1","type":"direct","query":"How much?","target_papers":["a"],"expected_no_evidence":false}"#,
        ] {
            let queries = Lookup::parse("f", text, LookupKind::Queries).expect(text);
            let mut rows = [row("q1", None)];
            queries.join(&mut rows);
            assert_eq!(rows[0].question.as_deref(), Some("How much?"), "{text}");
            rows[0].question = Some("Own?".to_owned());
            queries.join(&mut rows);
            assert_eq!(rows[0].question.as_deref(), Some("Own?"));
        }
        let set = r#"{"id":"q1","query":"How much?","target_papers":["a"],"expected_no_evidence":true,"tags":["x"]}"#;
        let set = Lookup::parse("f", set, LookupKind::Queries).expect("a set");
        let mut rows = [row("7", None)];
        rows[0].question = Some(" How much? ".to_owned());
        assert_eq!(set.join(&mut rows).rows, 1, "by its question");
        assert_eq!((rows[0].expected_refusal, rows[0].tags.len()), (Some(true), 1));
    }

    #[test]
    fn damaged_files_name_every_line() {
        let text = "{\"q1\": 5,\n\"q2\": {\"answer\": [5]},\n\"q3\": {\"answer\": \"a\"}}";
        let error =
            Lookup::parse("truth.json", text, LookupKind::GroundTruth).expect_err("wrong").to_string();
        for part in
            ["truth.json: line 1: must be an object", "line 2: answer must be a string", "ground truth is {"]
        {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(Lookup::parse("f", "nothing", LookupKind::Queries).is_err());
        assert!(Lookup::parse("f", "[]", LookupKind::Queries).is_err());
    }
}
