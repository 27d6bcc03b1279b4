//! Each control moves the metrics that should see it, and only those.

use super::*;
use crate::metrics::REGISTRY;
use crate::{Cited, Expected, GoldQuote, Passage, Sample};
use std::collections::BTreeSet;

/// Four good rows about different things: a sentence that answers, a passage that has it, one that does not, and labels.
fn good() -> Vec<Sample> {
    let facts = [
        (
            "How does brisk walking affect blood pressure?",
            "Brisk walking lowered systolic blood pressure by 6 mmHg in 40 adults.",
        ),
        (
            "How does dietary fibre affect stool weight?",
            "Dietary fibre raised mean stool weight by 32 g in 18 volunteers.",
        ),
        (
            "How does metformin affect training gains?",
            "Metformin reduced the AMPK gains of endurance training by 45 % in older men.",
        ),
        (
            "How does sleep restriction affect glucose tolerance?",
            "Sleep restriction impaired glucose tolerance within 12 days in nurses.",
        ),
    ];
    let row = |(at, (question, fact)): (usize, &(&str, &str))| {
        let passage = |document: String, text: &str, distance: f64| Passage {
            text: text.to_owned(),
            id: Some(format!("{document}-1")),
            document: Some(document),
            distance: Some(distance),
            page: Some(3),
            ..Passage::default()
        };
        let (own, side) = (format!("paper_{at}"), format!("side_{at}"));
        Sample {
            id: format!("q{at}"),
            question: Some((*question).to_owned()),
            answer: Some(format!("{fact} [{own}]")),
            passages: Some(vec![
                passage(
                    own.clone(),
                    &format!("Participants were followed up. {fact}"),
                    0.5 + 0.1 * at as f64,
                ),
                passage(
                    side.clone(),
                    "The ethics board of the region approved the protocol in spring.",
                    1.2,
                ),
            ]),
            retrieved: Some(vec![own.clone(), side]),
            expected: Some(vec![Expected {
                document: own.clone(),
                pages: vec![3],
                grade: 1,
            }]),
            gold_quotes: Some(vec![GoldQuote {
                document: Some(own.clone()),
                quote: (*fact).to_owned(),
            }]),
            reference: Some((*fact).to_owned()),
            citations: Some(vec![Cited {
                document: Some(own),
                quote: Some((*fact).to_owned()),
                ..Cited::default()
            }]),
            refused: Some(false),
            probability: Some(0.9),
            expected_refusal: Some(false),
            ..Sample::default()
        }
    };
    let mut rows: Vec<Sample> = facts.iter().enumerate().map(row).collect();
    let mut unanswerable = rows[0].clone();
    unanswerable.id = "q9".to_owned();
    unanswerable.answer = Some("The documents do not answer this question.".to_owned());
    unanswerable.refused = Some(true);
    unanswerable.expected_refusal = Some(true);
    unanswerable.citations = Some(Vec::new());
    unanswerable.expected = None;
    unanswerable.gold_quotes = None;
    unanswerable.reference = None;
    rows.push(unanswerable);
    rows
}

fn tabled() -> Table {
    table(&good(), 7)
}

/// The metrics that a control moves, in the order of tables.
fn moved(table: &Table, control: Control) -> BTreeSet<&str> {
    let cells = table.cells.iter();
    let moves = cells.filter(|(_, cells)| {
        cells
            .get(control.key())
            .is_some_and(|cell| cell.effect() == Effect::Moves)
    });
    moves.map(|(key, _)| key).collect()
}

#[test]
fn each_control_moves_what_should_see_it() {
    let table = tabled();
    let check = |control: Control, want: &[&str]| {
        let want: BTreeSet<&str> = want.iter().copied().collect();
        assert_eq!(moved(&table, control), want, "{}", control.key());
    };
    let ranks = ["context_precision", "ndcg@10", "mrr@10"];
    let by_passages = [
        "faithful",
        "faithfulness",
        "hallucination",
        "hallucinated_numbers",
        "factual_accuracy",
        "overall_pass",
        "rag_score",
        "auto_fail",
    ];
    let by_citations = [
        "fully_cited",
        "claim_support",
        "citation_support",
        "citation_quality",
        "grade",
    ];
    let found = [
        "context_recall",
        "context_recall_documents",
        "context_recall_claims",
        "gold_recall_context",
        "recall@10",
        "page_recall",
    ];
    let cited = [
        "citation_precision",
        "citation_verification_rate",
        "source_diversity",
    ];
    let retrieval = [
        "retrieval_relevance",
        "retrieval_relevance_pass",
        "average_distance",
    ];
    let right = ["correct", "correctness", "token_f1", "confidence_error"];
    let all = |lists: &[&[&'static str]]| -> Vec<&'static str> { lists.concat() };
    check(
        Control::ForeignPassages,
        &all(&[
            &ranks,
            &by_passages,
            &by_citations,
            &found,
            &cited,
            &["quote_accuracy", "hallucinated_entities"],
            &retrieval,
        ]),
    );
    check(
        Control::SwappedQuotes,
        &["citation_verification_rate", "citation_quality", "quote_accuracy"],
    );
    check(
        Control::ChangedNumber,
        &all(&[&by_passages, &by_citations, &right, &["completeness"]]),
    );
    check(
        Control::AddedSentence,
        &all(&[
            &by_passages,
            &["fully_cited", "claim_support", "citation_quality", "grade"],
            &["correctness", "token_f1", "hallucinated_entities"],
        ]),
    );
    check(
        Control::DroppedCitations,
        &all(&[&by_citations, &cited, &["quote_accuracy", "gold_recall_answer"]]),
    );
    check(Control::ReversedPassages, &ranks);
}

#[test]
fn answers_of_other_questions_refusals_and_silence_are_seen() {
    let table = tabled();
    for control in [Control::OtherAnswer, Control::AlwaysRefuse, Control::EmptyAnswer] {
        let moved = moved(&table, control);
        for key in [
            "answer_relevance",
            "relevance",
            "completeness",
            "correctness",
            "correct",
            "token_f1",
            "overall_pass",
        ] {
            assert!(moved.contains(key), "{key}: {}", control.key());
        }
        assert!(
            !moved
                .iter()
                .any(|key| key.starts_with("context_") || key.contains('@')),
            "{moved:?}"
        );
    }
    let cells = table.cells.get("faithfulness").expect("a metric");
    assert_eq!(
        cells.get("always_refuse").map(Cell::effect),
        Some(Effect::TurnsNa)
    );
    assert!(moved(&table, Control::EmptyAnswer).contains("unanswerable_refused"));
}

#[test]
fn every_metric_is_moved_by_a_control_or_says_that_it_describes() {
    let table = tabled();
    let all: BTreeSet<&str> = Control::ALL
        .iter()
        .flat_map(|control| moved(&table, *control))
        .collect();
    let still: Vec<&str> = REGISTRY
        .iter()
        .map(|m| m.spec.key)
        .filter(|key| !all.contains(key))
        .collect();
    assert_eq!(
        still,
        ["documents_per_query", "passages_per_query", "recall_ceiling@10"],
        "they describe labels and settings"
    );
    // What is scored without regard to order must not see it.
    for control in [Control::ShuffledPassages, Control::ReversedPassages] {
        let order = ["context_precision", "ndcg@10", "mrr@10"];
        assert!(
            moved(&table, control).iter().all(|key| order.contains(key)),
            "{control:?}"
        );
    }
}

#[test]
fn damage_is_seeded_and_keeps_what_it_does_not_touch() {
    let rows = good();
    for control in Control::ALL {
        let bad = damaged(&rows, control, 7);
        assert_eq!(bad, damaged(&rows, control, 7), "{control:?}");
        for (good, bad) in rows.iter().zip(&bad) {
            assert_eq!(
                (&good.id, &good.question, &good.reference),
                (&bad.id, &bad.question, &bad.reference)
            );
        }
        let shuffled = control == Control::ShuffledPassages;
        assert!(shuffled || bad != rows, "{control:?} changes something");
    }
    assert!(damaged(&[], Control::OtherAnswer, 1).is_empty());
    let alone = damaged(&rows[..1], Control::OtherAnswer, 1);
    assert_eq!(alone, rows[..1], "one row has no other");
    assert!(
        !damaged(&rows, Control::DroppedCitations, 1)[0]
            .answer
            .as_deref()
            .unwrap_or_default()
            .contains('[')
    );
}
