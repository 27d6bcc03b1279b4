//! `evaluation_report.json` becomes an evaluation.

use super::fields::{Fields, shown};
use super::notes::{Counts, notes};
use super::{BOM, ERROR, KEYS, LISTS};
use crate::metrics::{self, Need, Spec};
use crate::report::{Evaluation, LogScoring, Provenance};
use crate::row::{PREVIEW_CHARS, preview};
use crate::runlog::earlier;
use crate::{EvalError, Ordered, Problem, Row, Score, Unsupported};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;
use types::AnswerOutcome;
use types::files::{DATA_BYTES, read_bounded};

/// Reads a file. Its scores are kept, except that a query set adds labels which the file lacks; what the file cannot tell is
/// n/a with the reason. No judge is asked: the file has no context. Unknown keys are counted in the notes.
///
/// # Errors
/// [`EvalError::Read`], or [`EvalError::EvaluationReport`] with everything that is wrong.
pub fn read(path: &Path, scoring: &LogScoring<'_>) -> Result<Evaluation, EvalError> {
    let bytes = read_bounded(path, DATA_BYTES).map_err(|source| EvalError::Read {
        path: path.to_path_buf(),
        source,
    })?;
    let wrong = |problems| EvalError::EvaluationReport {
        path: path.to_path_buf(),
        problems,
    };
    let whole = |reason: String| wrong(vec![Problem::whole(reason)]);
    let value: Value = serde_json::from_slice(bytes.strip_prefix(BOM).unwrap_or(&bytes))
        .map_err(|error| whole(format!("not JSON: {error}")))?;
    let lists = value
        .as_object()
        .ok_or_else(|| whole(format!("must be an object, got {}", shown(&value))))?;
    let mut reading = Reading::default();
    for key in lists
        .keys()
        .filter(|key| LISTS.iter().all(|(list, _)| list != key))
    {
        *reading.counts.unknown.entry(key) += 1;
    }
    for (list, mode) in LISTS {
        match lists.get(list) {
            None | Some(Value::Null) => {}
            Some(Value::Array(rows)) => reading.list(list, mode.as_str(), rows, scoring),
            Some(other) => reading.problems.push(Problem::whole(format!(
                "{list} must be a list of rows, got {}",
                shown(other)
            ))),
        }
    }
    if reading.problems.is_empty() && reading.rows.is_empty() {
        return Err(whole("it has no row".to_owned()));
    }
    if !reading.problems.is_empty() {
        return Err(wrong(reading.problems));
    }
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let mut rows = reading.rows;
    sort(&mut rows);
    let provenance = Provenance {
        query_set: scoring.set.map(|set| set.name.clone()).unwrap_or_default(),
        query_set_hash: scoring.set.map(|set| set.hash().to_owned()).unwrap_or_default(),
        seed: scoring.seed,
        ..Provenance::default()
    };
    let mut evaluation = Evaluation::new(&name.unwrap_or_default(), rows, provenance);
    evaluation.notes = notes(&reading.counts, &evaluation);
    Ok(evaluation)
}

/// One question after the other in the order of their first rows, each in all its modes: as our own runs are ordered.
fn sort(rows: &mut [Row]) {
    let mut places: HashMap<String, usize> = HashMap::new();
    for row in rows.iter() {
        let next = places.len();
        places.entry(row.query_id.clone()).or_insert(next);
    }
    rows.sort_by_key(|row| places.get(&row.query_id).copied());
}

/// What is known so far.
#[derive(Default)]
struct Reading {
    rows: Vec<Row>,
    problems: Vec<Problem>,
    /// The question of each id.
    asked: HashMap<String, String>,
    counts: Counts,
}

impl Reading {
    fn list(&mut self, list: &str, mode: &str, rows: &[Value], scoring: &LogScoring<'_>) {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for (number, value) in (1..).zip(rows) {
            let Some(map) = value.as_object() else {
                self.problems.push(Problem::whole(format!(
                    "{list} row {number}: must be an object, got {}",
                    shown(value)
                )));
                continue;
            };
            let fields = Fields::new(list, number, map);
            let row = self.row(&fields, map, mode, scoring);
            if row.query_id.is_empty() {
                if map
                    .get("query_id")
                    .is_none_or(|id| id.is_null() || id.is_string())
                {
                    self.problems.push(fields.problem("query_id is missing or empty"));
                }
                continue;
            }
            if let Some(first) = seen.insert(row.query_id.clone(), number) {
                self.problems
                    .push(fields.problem(&format!("query_id {:?} is already in row {first}", row.query_id)));
            }
            let asked = self
                .asked
                .entry(row.query_id.clone())
                .or_insert_with(|| row.query.clone());
            if asked.trim() != row.query.trim() {
                self.problems.push(fields.problem(&format!(
                    "query is not the question that {:?} asks in another list",
                    row.query_id
                )));
            }
            self.rows.push(row);
        }
    }

    fn row(
        &mut self,
        fields: &Fields<'_>,
        map: &Map<String, Value>,
        mode: &str,
        scoring: &LogScoring<'_>,
    ) -> Row {
        for key in map
            .keys()
            .filter(|key| key.as_str() != ERROR && !KEYS.contains(&key.as_str()))
        {
            *self.counts.unknown.entry(key) += 1;
        }
        let problems = &mut self.problems;
        // The list names the mode; the row's own word for it may be any.
        fields.text("mode", problems);
        let read = Read {
            query_id: fields.text("query_id", problems).unwrap_or_default(),
            kind: fields.text("query_type", problems),
            query: fields.text("query", problems).unwrap_or_default(),
            answer: fields.text("answer_preview", problems).unwrap_or_default(),
            confidence: fields.text("confidence", problems).unwrap_or_default(),
            no_evidence: fields.flag("no_evidence", problems),
            citations: fields.count("num_citations", problems),
            precision: fields.share("citation_precision", problems),
            correct: fields.flag("no_evidence_correct", problems),
            faithful: fields.flag("faithful", problems),
            note: fields.text("faithfulness_note", problems).unwrap_or_default(),
            caveats: fields.texts("caveats", problems),
            error: fields.text(ERROR, problems).filter(|error| !error.is_empty()),
        };
        read.into_row(mode, scoring)
    }
}

/// A row as the file has it.
struct Read {
    query_id: String,
    kind: Option<String>,
    query: String,
    answer: String,
    confidence: String,
    no_evidence: Option<bool>,
    citations: Option<usize>,
    precision: Option<f64>,
    correct: Option<bool>,
    faithful: Option<bool>,
    note: String,
    caveats: Vec<String>,
    error: Option<String>,
}

impl Read {
    fn into_row(self, mode: &str, scoring: &LogScoring<'_>) -> Row {
        let query = scoring
            .set
            .and_then(|set| set.get(&self.query_id).or_else(|| set.by_text(&self.query)));
        // What was expected follows from the decision and whether it was right.
        let expected = match (self.no_evidence, self.correct) {
            (Some(refused), Some(right)) => Some(refused == right),
            _ => query.map(|query| query.expected_no_evidence),
        };
        let correct = self.correct.or_else(|| Some(self.no_evidence? == expected?));
        let outcome = self
            .no_evidence
            .map(|refused| match (refused, self.confidence.as_str()) {
                (true, _) => AnswerOutcome::None,
                (false, "low") => AnswerOutcome::Partial,
                (false, _) => AnswerOutcome::Answered,
            });
        let scores = self.scores(expected, correct);
        let unsupported = (self.faithful == Some(false) && !self.note.is_empty()).then(|| Unsupported {
            claim: String::new(),
            cited: Vec::new(),
            score: 0.0,
            reason: self.note.clone(),
        });
        Row {
            mode: mode.to_owned(),
            kind: self
                .kind
                .or_else(|| query.map(|query| query.kind.clone()))
                .unwrap_or_else(|| "unknown".to_owned()),
            tags: query.map(|query| query.tags.clone()).unwrap_or_default(),
            expected_no_evidence: expected,
            no_evidence: self.no_evidence,
            outcome,
            scores,
            unsupported: unsupported.into_iter().collect(),
            guardrails: earlier::actions(&self.caveats),
            preview: preview(&self.answer, PREVIEW_CHARS),
            query_id: self.query_id,
            query: self.query,
            confidence: self.confidence,
            citations: self.citations,
            caveats: self.caveats,
            answer: self.answer,
            attempts: 1,
            error: self.error,
            ..Row::default()
        }
    }

    /// Every metric: as the file has it, or n/a.
    fn scores(&self, expected: Option<bool>, correct: Option<bool>) -> Ordered<Score> {
        let score = |spec: &Spec| {
            let answered = self.no_evidence.map(|refused| !refused);
            match spec.key {
                "citation_precision" => self.precision.map(Score::value),
                "faithful" => self.faithful.map(Score::flag),
                "no_evidence_accuracy" => correct.map(Score::flag),
                "answerable_answered" if expected == Some(true) => Some(Score::n_a("a refusal is expected")),
                "answerable_answered" => answered.filter(|_| expected.is_some()).map(Score::flag),
                "unanswerable_refused" if expected == Some(false) => {
                    Some(Score::n_a("an answer is expected"))
                }
                "unanswerable_refused" => answered
                    .filter(|_| expected.is_some())
                    .map(|answered| Score::flag(!answered)),
                _ => None,
            }
        };
        let column = |column: metrics::Column| {
            let spec = column.spec();
            let found = match &self.error {
                Some(_) => Some(Score::Error("no answer".to_owned())),
                None if column.is_raw() => None,
                None => score(spec),
            };
            (column.key(), found.unwrap_or_else(|| lacks(column)))
        };
        metrics::columns().map(column).collect()
    }
}

/// N/a, with what the file does not have.
fn lacks(column: metrics::Column) -> Score {
    if column.is_raw() {
        return Score::n_a("evaluation_report.json has no response before guardrails");
    }
    let key = match column.spec().key {
        "citation_precision" => "citation_precision",
        "faithful" => "faithful",
        "no_evidence_accuracy" | "answerable_answered" | "unanswerable_refused" => "no_evidence_correct",
        _ => {
            // Answer, citations and label stand in the file, if not whole.
            let absent = |need: &&Need| {
                !matches!(
                    need,
                    Need::Answer | Need::Citations | Need::ExpectedRefusal | Need::Verdict
                )
            };
            let needs = column.spec().needs.iter().filter(absent);
            let needs: Vec<String> = needs.map(ToString::to_string).collect();
            return Score::n_a(format!(
                "evaluation_report.json does not have {}",
                needs.join(" and ")
            ));
        }
    };
    Score::n_a(format!("the row has no {key}"))
}
