//! `evaluation_report.json` becomes an evaluation.

use super::fields::{Fields, shown};
use super::notes::notes;
use super::{BOM, ERROR, KEYS, LISTS};
use crate::metrics::{self, Need, Spec};
use crate::report::{Evaluation, LogScoring, Provenance, sort_rows};
use crate::runlog::earlier;
use crate::{EvalError, Ordered, Problem, Row, Score, Unsupported};
use serde_json::Value;
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
    let bytes = read_bounded(path, DATA_BYTES)
        .map_err(|source| EvalError::Read { path: path.to_path_buf(), source })?;
    let wrong = |problems| EvalError::EvaluationReport { path: path.to_path_buf(), problems };
    let whole = |reason: String| wrong(vec![Problem::whole(reason)]);
    let value: Value = serde_json::from_slice(bytes.strip_prefix(BOM).unwrap_or(&bytes))
        .map_err(|error| whole(format!("not JSON: {error}")))?;
    let lists =
        value.as_object().ok_or_else(|| whole(format!("must be an object, got {}", shown(&value))))?;
    let mut reading = Reading::default();
    for key in lists.keys().filter(|key| LISTS.iter().all(|(list, _)| list != key)) {
        *reading.unknown.entry(key) += 1;
    }
    for (list, mode) in LISTS {
        match lists.get(list) {
            None | Some(Value::Null) => {}
            Some(Value::Array(rows)) => reading.list(list, mode.as_str(), rows, scoring),
            Some(other) => reading
                .problems
                .push(Problem::whole(format!("{list} must be a list of rows, got {}", shown(other)))),
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
    sort_rows(&mut rows, &[], &[]);
    let provenance = Provenance {
        query_set: scoring.set.map(|set| set.name.clone()).unwrap_or_default(),
        query_set_hash: scoring.set.map(|set| set.hash().to_owned()).unwrap_or_default(),
        seed: scoring.seed,
        ..Provenance::default()
    };
    let mut evaluation = Evaluation::new(&name.unwrap_or_default(), rows, provenance);
    evaluation.notes = notes(&reading.unknown, &evaluation);
    Ok(evaluation)
}

/// What is known so far.
#[derive(Default)]
struct Reading {
    rows: Vec<Row>,
    problems: Vec<Problem>,
    /// The question of each id.
    asked: HashMap<String, String>,
    /// Keys that nothing is read from, with the number of times.
    unknown: Ordered<usize>,
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
            let unknown = map.keys().filter(|key| *key != ERROR && !KEYS.contains(&key.as_str()));
            for key in unknown {
                *self.unknown.entry(key) += 1;
            }
            let mut fields = Fields::new(list, number, map, &mut self.problems);
            let row = row_of(&mut fields, mode, scoring);
            if row.query_id.is_empty() {
                if map.get("query_id").is_none_or(|id| id.is_null() || id.is_string()) {
                    fields.wrong("query_id is missing or empty");
                }
                continue;
            }
            if let Some(first) = seen.insert(row.query_id.clone(), number) {
                fields.wrong(&format!("query_id {:?} is already in row {first}", row.query_id));
            }
            let asked = self.asked.entry(row.query_id.clone()).or_insert_with(|| row.query.clone());
            if asked.trim() != row.query.trim() {
                fields.wrong(&format!(
                    "query is not the question that {:?} asks in another list",
                    row.query_id
                ));
            }
            self.rows.push(row);
        }
    }
}

/// A row as the file has it, with the labels of its query.
fn row_of(fields: &mut Fields<'_>, mode: &str, scoring: &LogScoring<'_>) -> Row {
    // The list names the mode; the row's own word for it may be any.
    fields.text("mode");
    let mut row = Row {
        mode: mode.to_owned(),
        query_id: fields.text("query_id").unwrap_or_default(),
        kind: fields.text("query_type").unwrap_or_default(),
        query: fields.text("query").unwrap_or_default(),
        answer: fields.text("answer_preview").unwrap_or_default(),
        confidence: fields.text("confidence").unwrap_or_default(),
        no_evidence: fields.flag("no_evidence"),
        citations: fields.count("num_citations"),
        attempts: 1,
        ..Row::default()
    };
    let precision = fields.share("citation_precision");
    let correct = fields.flag("no_evidence_correct");
    let faithful = fields.flag("faithful");
    let note = fields.text("faithfulness_note").unwrap_or_default();
    row.caveats = fields.texts("caveats");
    row.error = fields.text(ERROR).filter(|error| !error.is_empty());

    let query = scoring.set.and_then(|set| set.get(&row.query_id).or_else(|| set.by_text(&row.query)));
    if row.kind.is_empty() {
        row.kind = query.map_or_else(|| "unknown".to_owned(), |query| query.kind.clone());
    }
    row.tags = query.map(|query| query.tags.clone()).unwrap_or_default();
    // What was expected follows from the decision and whether it was right.
    row.expected_no_evidence = match (row.no_evidence, correct) {
        (Some(refused), Some(right)) => Some(refused == right),
        _ => query.map(|query| query.expected_no_evidence),
    };
    row.outcome = row.no_evidence.map(|refused| match (refused, row.confidence.as_str()) {
        (true, _) => AnswerOutcome::None,
        (false, "low") => AnswerOutcome::Partial,
        (false, _) => AnswerOutcome::Answered,
    });
    if faithful == Some(false) && !note.is_empty() {
        row.unsupported.push(Unsupported {
            claim: String::new(),
            cited: Vec::new(),
            score: 0.0,
            reason: note,
        });
    }
    row.guardrails = earlier::actions(&row.caveats);
    row.scores = scores(&row, precision, correct, faithful);
    row
}

/// Every metric: as the file has it, or n/a.
fn scores(
    row: &Row,
    precision: Option<f64>,
    correct: Option<bool>,
    faithful: Option<bool>,
) -> Ordered<Score> {
    let (refused, expected) = (row.no_evidence, row.expected_no_evidence);
    let decided = refused.filter(|_| expected.is_some());
    let score = |spec: &Spec| match spec.key {
        "citation_precision" => precision.map(Score::value),
        "faithful" => faithful.map(Score::flag),
        "no_evidence_accuracy" => correct.or_else(|| Some(refused? == expected?)).map(Score::flag),
        "coverage" if expected == Some(true) => Some(Score::n_a("a refusal is expected")),
        "coverage" => decided.map(|refused| Score::flag(!refused)),
        "unanswerable_accuracy" if expected == Some(false) => Some(Score::n_a("an answer is expected")),
        "unanswerable_accuracy" => decided.map(Score::flag),
        _ => None,
    };
    let column = |column: metrics::Column| {
        let found = match &row.error {
            Some(_) => Some(Score::Error("no answer".to_owned())),
            None if column.is_raw() => None,
            None => score(column.spec()),
        };
        (column.key(), found.unwrap_or_else(|| lacks(column)))
    };
    metrics::columns().map(column).collect()
}

/// N/a, with what the file does not have.
fn lacks(column: metrics::Column) -> Score {
    if column.is_raw() {
        return Score::n_a("evaluation_report.json has no response before guardrails");
    }
    let key = match column.spec().key {
        "citation_precision" => "citation_precision",
        "faithful" => "faithful",
        "no_evidence_accuracy" | "coverage" | "unanswerable_accuracy" => "no_evidence_correct",
        _ => {
            // Answer, citations and label stand in the file, if not whole.
            let absent = |need: &&Need| {
                !matches!(need, Need::Answer | Need::Citations | Need::ExpectedRefusal | Need::Verdict)
            };
            let needs = column.spec().needs.iter().filter(absent);
            let needs: Vec<String> = needs.map(ToString::to_string).collect();
            return Score::n_a(format!("evaluation_report.json does not have {}", needs.join(" and ")));
        }
    };
    Score::n_a(format!("the row has no {key}"))
}
