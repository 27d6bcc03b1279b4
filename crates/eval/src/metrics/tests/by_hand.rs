//! Metrics of runs, with values computed by hand.

use crate::judge::{ClaimVerdict, JudgeOutput, Judged, Verdict};
use crate::metrics::REFUSAL;
use crate::metrics::testing::{chunk, cite, close, of_record, query_with_gold, refusal, response};
use crate::queries::QuerySet;
use crate::{Query, Score};
use types::{Citation, ContextRecord, ResponseRecord, ReturnedChunk, RunRecord};

const TEXT: &str = "Walking raised VO2max by 12 % in 40 adults. No harm was seen.";
const GOLD: &str = "Walking raised VO2max by 12 % in forty older adults over one year.";

fn unjudged() -> Judged {
    Judged::NotApplicable("not asked".to_owned())
}

fn record(context: Option<&[ContextRecord]>) -> RunRecord {
    RunRecord { context: context.map(<[ContextRecord]>::to_vec), ..RunRecord::default() }
}

#[track_caller]
fn check(key: &str, record: &RunRecord, response: &ResponseRecord, query: Option<&Query>, want: f64) {
    let score = of_record(key, record, response, query, unjudged());
    close(&score, want, &format!("{key} of {:?}", response.answer));
}

#[track_caller]
fn check_n_a(key: &str, record: &RunRecord, response: &ResponseRecord, query: Option<&Query>, says: &str) {
    let score = of_record(key, record, response, query, unjudged());
    assert!(matches!(&score, Score::NotApplicable(why) if why.contains(says)), "{key}: {score:?}");
}

#[test]
fn citation_precision() {
    let context = [chunk("a__body__000", TEXT), chunk("b__body__000", "Other text.")];
    let record_of = record(Some(&context));
    let check = |answer: &str, citations: &[Citation], want: f64| {
        check("citation_precision", &record_of, &response(answer, citations), None, want);
    };
    let good = cite("a__body__000", "No harm was seen");
    let foreign = cite("z__body__009", "No harm was seen");
    check("x (a, a__body__000).", std::slice::from_ref(&good), 1.0);
    check("x (a, a__body__000) (z, z__body__009).", &[good.clone(), foreign.clone()], 0.5);
    check("x.", std::slice::from_ref(&foreign), 0.0);
    check("x without any.", &[], 0.0);
    check("", &[], 0.0);
    // A mark that the list leaves out is a citation too, once.
    check("x (z, z__body__009). y (z, z__body__009).", std::slice::from_ref(&good), 0.5);
    // The right chunk under another paper's name is a wrong attribution.
    let mut misnamed = good.clone();
    misnamed.source_id = "b".into();
    check("x.", &[misnamed, good], 0.5);
    check_n_a("citation_precision", &record(Some(&context)), &refusal(), None, REFUSAL);
    // A log of the earlier system has no context, only what retrieval returned.
    let mut old = record(None);
    let answer = response("x.", &[cite("a__body__000", "q"), cite("b__body__000", "q")]);
    check_n_a("citation_precision", &old, &answer, None, "passages");
    old.retrieval.returned_chunks.push(ReturnedChunk {
        chunk_id: "a__body__000".into(),
        source_id: "a".into(),
        ..ReturnedChunk::default()
    });
    self::check("citation_precision", &old, &answer, None, 0.5);
}

#[test]
fn quote_accuracy() {
    let record = record(Some(&[chunk("a__body__000", TEXT), chunk("b__body__000", "Other text.")]));
    let check = |quotes: &[(&str, &str)], want: f64| {
        let citations: Vec<_> = quotes.iter().map(|(id, quote)| cite(id, quote)).collect();
        check("quote_accuracy", &record, &response("x", &citations), None, want);
    };
    check(&[("a__body__000", "raised VO2max by 12 %")], 1.0);
    check(&[("a__body__000", "raised VO2max by 21 %")], 0.0);
    check(&[("b__body__000", "raised VO2max by 12 %")], 0.0);
    check(&[("z__body__000", "raised VO2max by 12 %")], 0.0);
    check(&[("a__body__000", "No harm was seen"), ("a__body__000", "")], 0.5);
    check(&[], 0.0);
    let long: Vec<String> = (0..41).map(|n| format!("word{n}")).collect();
    let record = self::record(Some(&[chunk("a__body__000", &long.join(" "))]));
    for (words, want) in [(40, 1.0), (41, 0.0)] {
        let answer = response("x", &[cite("a__body__000", &long[..words].join(" "))]);
        self::check("quote_accuracy", &record, &answer, None, want);
    }
    check_n_a("quote_accuracy", &record, &refusal(), None, REFUSAL);
}

#[test]
fn gold_in_the_answer_and_in_the_context() {
    let query = query_with_gold(&[("a", GOLD), ("b", "Mice lived longer.")]);
    let shown = |answer: &str, citations: &[Citation], want: f64| {
        check("gold_recall_answer", &record(Some(&[])), &response(answer, citations), Some(&query), want);
    };
    shown("Short (a, a__body__000).", &[cite("a__body__000", GOLD)], 0.5);
    shown(&format!("{} (a, a__body__000).", GOLD.trim_end_matches('.')), &[], 0.5);
    shown("In short, mice lived longer (b, b__body__004).", &[cite("a__body__000", GOLD)], 1.0);
    shown("Mice lived longer.", &[], 0.0);
    shown("Mice lived longer (a, a__body__000).", &[], 0.0);
    check("gold_recall_answer", &record(None), &refusal(), Some(&query), 0.0);
    // 0.8 of 40 words of a quote longer than a quote may be.
    let long: Vec<String> = (0..60).map(|n| format!("word{n}")).collect();
    let of_long = query_with_gold(&[("a", &long.join(" "))]);
    for (words, want) in [(32, 1.0), (31, 0.0)] {
        let answer = response("x", &[cite("a__body__000", &long[..words].join(" "))]);
        check("gold_recall_answer", &record(Some(&[])), &answer, Some(&of_long), want);
    }
    let held = |chunks: &[ContextRecord], want: f64| {
        check("gold_recall_context", &record(Some(chunks)), &response("x", &[]), Some(&query), want);
    };
    held(&[], 0.0);
    held(&[chunk("a__body__000", &format!("Before. {GOLD} After."))], 0.5);
    held(&[chunk("a__body__000", GOLD), chunk("b__results__001", "So mice lived longer. Yes.")], 1.0);
    // The right words in another paper are not that evidence.
    held(&[chunk("c__body__000", GOLD)], 0.0);
    // 12 words (a lone sign is none): a run of 10 is enough (0.8 × 12 = 9.6), one of 9 is not.
    let words: Vec<&str> = GOLD.split(' ').filter(|w| *w != "%").collect();
    held(&[chunk("a__body__000", &words[2..].join(" "))], 0.5);
    held(&[chunk("a__body__000", &words[3..].join(" "))], 0.0);
    check_n_a("gold_recall_context", &record(None), &response("x", &[]), Some(&query), "passages");
    check_n_a("gold_recall_context", &record(Some(&[])), &response("x", &[]), None, "gold_quotes");
}

#[test]
fn made_up_names_and_numbers() {
    let mut held = chunk("a__body__000", "AMPK activity rose by 12 % in 40 adults who took metformin.");
    held.authors = vec!["A. Orvel".to_owned()];
    let mut record = record(Some(&[held]));
    record.query = "What does Tandrik say about SIRT1?".to_owned();
    let scored = |key: &str, answer: &str, want: Option<f64>| match want {
        Some(want) => check(key, &record, &response(answer, &[]), None, want),
        None => check_n_a(key, &record, &response(answer, &[]), None, "the answer has no"),
    };
    let (entities, numbers) = ("hallucinated_entities", "hallucinated_numbers");
    scored(entities, "In adults, AMPK activity rose.", Some(0.0));
    scored(entities, "In adults, PGC1 activity rose.", Some(1.0));
    scored(entities, "In adults, AMPK and PGC1 activity rose, and AMPK fell.", Some(0.5));
    scored(entities, "As Orvel reports, SIRT1 rose.", Some(0.0));
    scored(entities, "Activity rose in adults.", None);
    scored(numbers, "Activity rose by 12 % in 40 adults (a, a__body__000).", Some(0.0));
    scored(numbers, "Activity rose by 14 % in 40 adults.", Some(0.5));
    scored(numbers, "Activity rose.", None);
    for key in [entities, numbers] {
        check_n_a(key, &record, &refusal(), None, REFUSAL);
    }
}

#[test]
fn the_probability_of_a_right_and_of_a_wrong_answer() {
    let mut query = query_with_gold(&[("a", GOLD)]);
    let stated = |answer: &str, probability: f32| ResponseRecord {
        probability: Some(probability),
        ..response(answer, &[])
    };
    let record = record(Some(&[]));
    let key = "brier_score";
    check(key, &record, &stated("VO2max rose by 12 % in 40 adults.", 0.75), Some(&query), 0.0625);
    check(key, &record, &stated("Rats ran.", 0.75), Some(&query), 0.5625);
    check_n_a(key, &record, &refusal(), Some(&query), REFUSAL);
    check_n_a(key, &record, &response("x", &[]), Some(&query), "probability");
    check_n_a(key, &record, &stated(GOLD, 0.75), None, "expected_refusal");
    query.expected_no_evidence = true;
    check(key, &record, &stated(GOLD, 0.5), Some(&query), 0.25);
}

#[test]
fn a_refusal_is_right_where_it_is_expected() {
    let set = QuerySet::parse(
        "set",
        "{\"id\":\"A\",\"type\":\"direct\",\"query\":\"q\",\"expected_no_evidence\":false}\n\
         {\"id\":\"B\",\"type\":\"edge\",\"query\":\"r\",\"expected_no_evidence\":true}",
    )
    .expect("loads");
    let (record, answer) = (record(None), response("x", &[]));
    for (key, response, id, want) in [
        ("no_evidence_accuracy", &answer, "A", 1.0),
        ("no_evidence_accuracy", &refusal(), "A", 0.0),
        ("no_evidence_accuracy", &answer, "B", 0.0),
        ("no_evidence_accuracy", &refusal(), "B", 1.0),
        ("coverage", &refusal(), "A", 0.0),
        ("coverage", &answer, "A", 1.0),
        ("unanswerable_accuracy", &refusal(), "B", 1.0),
        ("unanswerable_accuracy", &answer, "B", 0.0),
    ] {
        check(key, &record, response, set.get(id), want);
    }
    for (key, id, says) in [
        ("coverage", "B", "a refusal is expected"),
        ("unanswerable_accuracy", "A", "an answer is expected"),
        ("no_evidence_accuracy", "none", "expected_refusal"),
    ] {
        check_n_a(key, &record, &refusal(), set.get(id), says);
    }
}

fn claim(cited: &[&str], (by_cited, by_any): (f64, f64), by: Option<&[&str]>) -> ClaimVerdict {
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).into()).collect::<Vec<_>>();
    let verdict = Verdict::of(by_cited, 0.0, 0.5);
    let verdict = ClaimVerdict::new("c", &ids(cited), (by_cited, by_any), verdict, "", 0.5);
    ClaimVerdict { supported_by: by.map(ids), ..verdict }
}

#[test]
fn verdicts_on_claims() {
    let record = record(Some(&[chunk("a__body__000", TEXT)]));
    let score = |key: &str, claims: &[ClaimVerdict]| {
        let judged = Judged::Output(JudgeOutput::of("test", claims.to_vec(), 0.5));
        of_record(key, &record, &response("x", &[]), None, judged)
    };
    let check = |scores: &[(f64, f64)], (faithful, fully_cited, support): (f64, f64, f64)| {
        let claims: Vec<_> = scores.iter().map(|both| claim(&[], *both, None)).collect();
        for (key, want) in [("faithful", faithful), ("fully_cited", fully_cited), ("claim_support", support)]
        {
            close(&score(key, &claims), want, &format!("{key} {scores:?}"));
        }
    };
    check(&[(0.9, 0.9), (0.5, 0.8)], (1.0, 1.0, 1.0));
    check(&[(0.9, 0.9), (0.49, 0.8)], (1.0, 0.0, 0.5));
    check(&[(0.9, 0.9), (0.0, 0.4), (0.7, 0.7), (0.2, 0.3)], (0.0, 0.0, 0.5));
    check(&[(0.0, 0.0)], (0.0, 0.0, 0.0));
    // Nothing claimed is not everything supported.
    check(&[], (0.0, 0.0, 0.0));
    let supported =
        |claims: &[ClaimVerdict], want: f64| close(&score("citation_support", claims), want, "citations");
    supported(&[claim(&["a", "b"], (0.9, 0.9), Some(&["a"]))], 0.5);
    supported(&[claim(&["a"], (0.9, 0.9), Some(&["a"])), claim(&["b"], (0.1, 0.1), Some(&[]))], 0.5);
    supported(&[claim(&["a"], (0.9, 0.9), None), claim(&[], (0.0, 0.0), None)], 1.0);
    supported(&[claim(&["a"], (0.2, 0.2), None)], 0.0);
    supported(&[], 0.0);
    let unknown = score("citation_support", &[claim(&["a", "b"], (0.9, 0.9), None)]);
    assert!(matches!(unknown, Score::NotApplicable(_)), "{unknown:?}");
}
