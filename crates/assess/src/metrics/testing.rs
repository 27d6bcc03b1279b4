//! Rows and judges for the tests of this crate.

use super::{Metric, Sample, Tools, checked};
use crate::Limits;
use eval::Score;
use rows::{AnswerRow, Expected, Passage};
use support::LexicalSupport;

pub(crate) fn passage(document: &str, text: &str) -> Passage {
    Passage {
        text: text.to_owned(),
        document: Some(document.to_owned()),
        ..Passage::default()
    }
}

pub(crate) fn expected(document: &str, grade: u32) -> Expected {
    Expected {
        document: document.to_owned(),
        pages: Vec::new(),
        grade,
    }
}

/// A question, an answer and passages of documents.
pub(crate) fn row(question: &str, answer: &str, passages: &[(&str, &str)]) -> AnswerRow {
    AnswerRow {
        id: "r1".to_owned(),
        question: Some(question.to_owned()),
        answer: Some(answer.to_owned()),
        passages: Some(passages.iter().map(|(id, text)| passage(id, text)).collect()),
        ..AnswerRow::default()
    }
}

/// A row with only retrieved and expected documents, all of grade 1.
pub(crate) fn ranked(retrieved: &[&str], relevant: &[&str]) -> AnswerRow {
    AnswerRow {
        retrieved: Some(retrieved.iter().map(|id| (*id).to_owned()).collect()),
        expected: Some(relevant.iter().map(|id| expected(id, 1)).collect()),
        ..AnswerRow::default()
    }
}

/// The score of a row by the offline judge and the default limits.
pub(crate) fn score_of(metric: &dyn Metric, row: &AnswerRow) -> Score {
    let (limits, judge) = (Limits::default(), LexicalSupport::new());
    let tools = Tools {
        support: &judge,
        limits: &limits,
    };
    checked(metric, &Sample::new(row, tools))
}

#[track_caller]
pub(crate) fn check(metric: &dyn Metric, row: &AnswerRow, want: f64) {
    match score_of(metric, row) {
        Score::Value(value) => assert!(
            (value - want).abs() < 1e-9,
            "{}: {value}, not {want}",
            metric.spec().key
        ),
        other => panic!("{}: {other:?}, not {want}", metric.spec().key),
    }
}

/// The metric is n/a, and the reason contains `word`.
#[track_caller]
pub(crate) fn check_n_a(metric: &dyn Metric, row: &AnswerRow, word: &str) {
    match score_of(metric, row) {
        Score::NotApplicable(why) => assert!(why.contains(word), "{}: {why}", metric.spec().key),
        other => panic!("{}: {other:?}, not n/a", metric.spec().key),
    }
}
