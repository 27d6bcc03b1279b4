//! Query sets: one JSON object a line, checked as a whole before anything runs.

mod list;

use crate::error::MAX_PROBLEMS;
use crate::hash;
use crate::json_lines::numbered;
use crate::{EvalError, Problem};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use types::files::{DATA_BYTES, read_text_bounded};
use types::{MAX_ANSWER_CHARS, MAX_QUESTION_CHARS, SourceId, check_chars};

/// The types a query may have; finer labels belong into its tags.
pub const QUERY_TYPES: [&str; 3] = ["direct", "synthesis", "edge"];

/// A verbatim passage that holds (part of) the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldEvidence {
    /// The paper.
    pub source_id: SourceId,
    /// The passage, as printed.
    pub quote: String,
    /// The page that it stands on, where labelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The heading that it stands below, where labelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
}

/// One labelled question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// Its name, unique in the set.
    pub id: String,
    /// One of [`QUERY_TYPES`].
    #[serde(rename = "type")]
    pub kind: String,
    /// The question.
    pub query: String,
    /// Papers that should answer it.
    #[serde(default)]
    pub target_papers: Vec<SourceId>,
    /// Whether a refusal is the right answer.
    pub expected_no_evidence: bool,
    /// What a right answer says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_answer: Option<String>,
    /// Where a right answer stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gold_evidence: Vec<GoldEvidence>,
    /// Quotes that the reference answer of a given question was written from; for its reviewer, never scored, because
    /// other documents may answer the question as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written_from: Vec<GoldEvidence>,
    /// Free labels.
    #[serde(default)]
    pub tags: Vec<String>,
    /// For an unanswerable question: what stands nearest to it, in whatever shape the set's author chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<serde_json::Value>,
    /// For an unanswerable question: what occurs in no paper, in whatever shape the set's author chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<serde_json::Value>,
    /// Fields that this version does not know; kept, hashed and warned of.
    #[serde(flatten)]
    pub extra: BTreeMap<String, serde_json::Value>,
}

impl Query {
    /// What the question shares its chance with: [`crate::estimate::cluster_of`] its target papers.
    pub fn cluster(&self) -> String {
        let papers = self.target_papers.iter().map(SourceId::as_str);
        crate::estimate::cluster_of(papers, &self.id)
    }
}

/// A checked list of queries.
#[derive(Clone, Debug, PartialEq)]
pub struct QuerySet {
    /// As the caller names it, usually a path.
    pub name: String,
    /// In file order.
    pub queries: Vec<Query>,
    /// What looks like a slip but does not stop a run.
    pub warnings: Vec<Problem>,
    hash: String,
}

impl QuerySet {
    /// Reads and checks a set.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the file cannot be read, [`EvalError::QuerySet`] with every problem found.
    pub fn load(path: &Path) -> Result<Self, EvalError> {
        let text = read_text_bounded(path, DATA_BYTES)
            .map_err(|source| EvalError::Read { path: path.to_path_buf(), source })?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Checks a set that is already in memory. Blank lines and a byte order mark are passed over.
    ///
    /// # Errors
    /// [`EvalError::QuerySet`] with every problem found.
    ///
    /// A JSON list of queries is read too.
    pub fn parse(name: &str, text: &str) -> Result<Self, EvalError> {
        if let Some(lines) = list::as_lines(name, text)? {
            return Self::parse(name, &lines);
        }
        let mut queries: Vec<Query> = Vec::new();
        let mut first_seen: BTreeMap<String, usize> = BTreeMap::new();
        let (mut problems, mut warnings) = (Vec::new(), Vec::new());
        for (number, line) in numbered(text) {
            if problems.len() > MAX_PROBLEMS {
                break;
            }
            let mut wrong = |reason: String| problems.push(Problem::at(number, reason));
            let query: Query = match query_of(line) {
                Ok(query) => query,
                Err(source) => {
                    wrong(format!("not a query: {source}"));
                    continue;
                }
            };
            if let Some(earlier) = first_seen.get(&query.id) {
                wrong(format!("the id {:?} was already used on line {earlier}", query.id));
            } else {
                first_seen.insert(query.id.clone(), number);
            }
            errors_of(&query).into_iter().for_each(wrong);
            warnings.extend(warnings_of(&query).into_iter().map(|reason| Problem::at(number, reason)));
            queries.push(query);
        }
        if queries.is_empty() && problems.is_empty() {
            problems.push(Problem::whole("it holds no query"));
        }
        if problems.is_empty() {
            Ok(Self { name: name.to_owned(), hash: content_hash(&queries), queries, warnings })
        } else {
            Err(EvalError::QuerySet { name: name.to_owned(), problems })
        }
    }

    /// The warnings with one line for each kind, so that a slip in every line of the file is said once.
    pub fn grouped_warnings(&self) -> Vec<String> {
        const LINES: usize = 5;
        let mut kinds: Vec<(&str, Vec<usize>)> = Vec::new();
        for warning in &self.warnings {
            match kinds.iter_mut().find(|(reason, _)| *reason == warning.reason) {
                Some((_, lines)) => lines.push(warning.line),
                None => kinds.push((&warning.reason, vec![warning.line])),
            }
        }
        let said = |(reason, lines): (&str, Vec<usize>)| {
            let first: Vec<String> = lines.iter().take(LINES).map(ToString::to_string).collect();
            let more = if lines.len() > LINES { ", …" } else { "" };
            match lines.len() {
                1 => format!("line {}: {reason}", first.join("")),
                n => format!("{n} lines: {reason} ({}{more})", first.join(", ")),
            }
        };
        kinds.into_iter().map(said).collect()
    }

    /// SHA-256 of the queries in order, white space and key order of the file left out of account.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The first `limit` queries as a set of their own, with its own hash.
    #[must_use]
    pub fn limited(&self, limit: usize) -> Self {
        let queries: Vec<Query> = self.queries.iter().take(limit).cloned().collect();
        Self {
            name: self.name.clone(),
            hash: content_hash(&queries),
            queries,
            warnings: self.warnings.clone(),
        }
    }

    /// The query with this id.
    pub fn get(&self, id: &str) -> Option<&Query> {
        self.queries.iter().find(|q| q.id == id)
    }

    /// The query that asks exactly this, for logs that name no ids.
    pub fn by_text(&self, query: &str) -> Option<&Query> {
        self.queries.iter().find(|q| q.query.trim() == query.trim())
    }

    /// Number of queries by type and answerability, types in the order of [`QUERY_TYPES`]:
    /// `(type, answerable, unanswerable)`.
    pub fn counts(&self) -> Vec<(&str, usize, usize)> {
        QUERY_TYPES
            .into_iter()
            .map(|kind| {
                let of_kind = || self.queries.iter().filter(|q| q.kind == kind);
                let unanswerable = of_kind().filter(|q| q.expected_no_evidence).count();
                (kind, of_kind().count() - unanswerable, unanswerable)
            })
            .filter(|(_, answerable, unanswerable)| answerable + unanswerable > 0)
            .collect()
    }
}

/// A query from its line. A field that is null is missing.
fn query_of(line: &str) -> Result<Query, serde_json::Error> {
    let mut fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line)?;
    fields.retain(|_, value| !value.is_null());
    serde_json::from_value(fields.into())
}

fn content_hash(queries: &[Query]) -> String {
    // A query holds strings, booleans and JSON values only, all of which serialise.
    hash::sha256_lines(queries.iter().map(|q| serde_json::to_string(q).unwrap_or_default()))
}

fn errors_of(query: &Query) -> Vec<String> {
    let mut out = Vec::new();
    if query.id.trim().is_empty() {
        out.push("the id is empty".to_owned());
    }
    if query.query.trim().is_empty() {
        out.push("the query is empty".to_owned());
    }
    out.extend(check_chars(&query.query, MAX_QUESTION_CHARS).err().map(|error| format!("the query {error}")));
    let texts = query.gold_evidence.iter().map(|gold| &gold.quote);
    for text in texts.chain(&query.reference_answer) {
        let long = check_chars(text, MAX_ANSWER_CHARS);
        out.extend(long.err().map(|error| format!("the reference or a gold quote {error}")));
    }
    if !QUERY_TYPES.contains(&query.kind.as_str()) {
        let known = QUERY_TYPES.join(", ");
        out.push(format!("unknown type {:?}: use one of {known}, and tags for finer labels", query.kind));
    }
    if query.expected_no_evidence && !query.gold_evidence.is_empty() {
        out.push(format!(
            "expected_no_evidence is true but {} gold quotes are given: one of the two is wrong",
            query.gold_evidence.len()
        ));
    }
    for (at, gold) in query.gold_evidence.iter().enumerate() {
        if gold.quote.trim().is_empty() || gold.source_id.as_str().is_empty() {
            out.push(format!("gold_evidence[{at}] lacks its quote or its source_id"));
        }
    }
    if query.reference_answer.as_ref().is_some_and(|answer| answer.trim().is_empty()) {
        out.push("reference_answer is empty: leave it out where there is none".to_owned());
    }
    out
}

fn warnings_of(query: &Query) -> Vec<String> {
    let mut out: Vec<String> =
        query.extra.keys().map(|key| format!("unknown field {key:?} is not used")).collect();
    let targets: BTreeSet<&SourceId> = query.target_papers.iter().collect();
    for gold in &query.gold_evidence {
        if !targets.is_empty() && !targets.contains(&gold.source_id) {
            out.push("gold evidence is from a paper that is not among target_papers".to_owned());
        }
    }
    out.dedup();
    if !query.expected_no_evidence && query.gold_evidence.is_empty() && query.reference_answer.is_none() {
        out.push("answerable, but has neither gold_evidence nor reference_answer".to_owned());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"id":"D01","type":"direct","query":"How much?","target_papers":["a"],"expected_no_evidence":false,"reference_answer":"Two.","gold_evidence":[{"source_id":"a","quote":"two grams"}],"tags":["numbers"]}
{"id":"E01","type":"edge","query":"Why?","target_papers":[],"expected_no_evidence":true,"tags":[]}"#;

    fn problems(text: &str) -> Vec<String> {
        match QuerySet::parse("set", text) {
            Err(EvalError::QuerySet { problems, .. }) => problems.iter().map(Problem::to_string).collect(),
            other => panic!("expected problems, got {other:?}"),
        }
    }

    #[test]
    fn a_good_set_loads_with_counts() {
        let set = QuerySet::parse("set", &format!("\u{feff}{GOOD}\n\n")).expect("loads");
        assert_eq!(set.queries.len(), 2);
        assert_eq!(set.counts(), [("direct", 1, 0), ("edge", 0, 1)]);
        assert!(set.warnings.is_empty());
        assert_eq!(set.get("E01").map(|q| q.query.as_str()), Some("Why?"));
        assert_eq!(set.by_text(" How much? ").map(|q| q.id.as_str()), Some("D01"));
    }

    #[test]
    fn the_hash_follows_the_content_alone() {
        let set = QuerySet::parse("set", GOOD).expect("loads");
        let spaced = QuerySet::parse("other", &GOOD.replace("\":\"", "\" : \"")).expect("loads");
        let changed = QuerySet::parse("set", &GOOD.replace("How much?", "How many?")).expect("loads");
        assert_eq!(set.hash(), spaced.hash());
        assert_ne!(set.hash(), changed.hash());
        assert_ne!(set.hash(), set.limited(1).hash());
        assert_eq!(set.hash().len(), 64);
    }

    #[test]
    fn every_problem_is_named_with_its_line() {
        let check = |line: &str, expect: &str| {
            let found = problems(&format!("{GOOD}\n{line}"));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with("line 3: ") && found[0].contains(expect), "{found:?}");
        };
        check("{", "not a query");
        check(r#"{"id":"X","type":"direct","expected_no_evidence":false}"#, "missing field `query`");
        check(r#"{"id":"X","type":"direct","query":"q"}"#, "missing field `expected_no_evidence`");
        check(r#"{"id":"X","type":"odd","query":"q","expected_no_evidence":false}"#, "unknown type \"odd\"");
        check(
            r#"{"id":"D01","type":"direct","query":"q","expected_no_evidence":false}"#,
            "already used on line 1",
        );
        check(r#"{"id":" ","type":"edge","query":"q","expected_no_evidence":true}"#, "the id is empty");
        check(r#"{"id":"X","type":"edge","query":" ","expected_no_evidence":true}"#, "the query is empty");
        check(
            r#"{"id":"X","type":"edge","query":"q","expected_no_evidence":true,"gold_evidence":[{"source_id":"a","quote":"b"}]}"#,
            "one of the two is wrong",
        );
        check(
            r#"{"id":"X","type":"edge","query":"q","expected_no_evidence":false,"gold_evidence":[{"source_id":"a","quote":" "}]}"#,
            "gold_evidence[0]",
        );
        check(
            r#"{"id":"X","type":"edge","query":"q","expected_no_evidence":false,"reference_answer":""}"#,
            "reference_answer is empty",
        );
        assert_eq!(problems("\n \n"), ["it holds no query"]);
        assert_eq!(problems("{\nnonsense").len(), 2, "problems are collected, not reported one at a time");
    }

    #[test]
    fn a_slip_in_every_line_is_said_once() {
        let line = |at: usize| {
            format!(
                r#"{{"id":"X{at}","type":"edge","query":"q","expected_no_evidence":true,"difficulty":{at}}}"#
            )
        };
        let mut lines: Vec<String> = (0..77).map(line).collect();
        lines[3] = lines[3].replace("difficulty", "dificulty");
        let set = QuerySet::parse("set", &lines.join("\n")).expect("loads");
        assert_eq!(set.warnings.len(), 77);
        assert_eq!(
            set.grouped_warnings(),
            [
                "76 lines: unknown field \"difficulty\" is not used (1, 2, 3, 5, 6, …)",
                "line 4: unknown field \"dificulty\" is not used"
            ]
        );
    }

    #[test]
    fn slips_are_warned_of() {
        let line = r#"{"id":"X","type":"direct","query":"q","target_papers":["a"],"expected_no_evidence":false,"gold_evidnce":[],"gold_evidence":[{"source_id":"b","quote":"c"}]}"#;
        let set = QuerySet::parse("set", line).expect("loads");
        let said: Vec<String> = set.warnings.iter().map(Problem::to_string).collect();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains("gold_evidnce") && said[1].contains("not among target_papers"), "{said:?}");
    }
}
