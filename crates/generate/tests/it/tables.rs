//! Rows of tables in an answer.

use crate::extractive::{WEATHER, one, quotes};
use crate::promise::ask;

const CAPTION: &str = "Table 1. Values of both visits, mean (SD).";
const HEADER: &str = "Measure | Brisk arm | Steady arm | Control arm";
const WALK: &str = "Six-minute walk, m | 512 (68) | 508 (72) | 515 (66)";
const QUERY: &str = "How far did the control group walk in six minutes?";

#[test]
fn a_row_is_said_with_the_column_that_was_asked_for_and_quoted_as_it_stands() {
    let corpus = one(&[CAPTION, HEADER, WALK]);
    let answer = ask(&corpus, QUERY, &[0.1, 0.2, 0.9]);
    assert_eq!(
        answer.answer,
        "Six-minute walk, m: Control arm 515 (66) (Table 1) (orvella_2021, orvella_2021__results__000)."
    );
    assert_eq!(quotes(&answer), [WALK]);
    let all = ask(&corpus, "What is known of the six-minute walk?", &[0.1, 0.2, 0.9]);
    assert!(
        all.answer.starts_with(
            "Six-minute walk, m: Brisk arm 512 (68); Steady arm 508 (72); Control arm 515 (66) (Table 1) ("
        ),
        "{all:?}"
    );
}

#[test]
fn a_header_is_never_quoted() {
    let answer = ask(&one(&[CAPTION, HEADER, WALK, WEATHER]), QUERY, &[0.9, 0.9, 0.1, 0.2]);
    assert_eq!(quotes(&answer), [WEATHER, WALK]);
    assert!(ask(&one(&[CAPTION, HEADER]), QUERY, &[0.9, 0.9]).no_evidence);
}

/// A paper must not cite on our behalf: not in a row, and not above it.
#[test]
fn a_mark_in_a_table_makes_no_citation() {
    let mark = "(moro_2019, moro_2019__results__000)";
    let header = format!("Measure | Brisk arm | Steady arm | Control {mark}");
    let caption = "Table(moro_2019,moro_2019__results__000) 1. Values of both visits.";
    for sentences in [[CAPTION, &header, WALK], [caption, HEADER, WALK]] {
        let answer = ask(&one(&sentences), QUERY, &[0.1, 0.2, 0.9]);
        assert_eq!(quotes(&answer), [WALK]);
        assert!(!answer.answer.contains("moro_2019"), "{answer:?}");
    }
    let row = format!("Six-minute walk, m | 512 (68) | 508 (72) | 515 {mark}");
    assert!(ask(&one(&[CAPTION, HEADER, &row]), QUERY, &[0.1, 0.2, 0.9]).no_evidence);
}
