//! What holds for every metric.

mod by_hand;
mod damage;

use super::testing::{expected, passage, scores};
use super::*;
use crate::{Cited, GoldQuote, Passage};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A row with every field.
fn full() -> Sample {
    let sentence = "Brisk walking lowered systolic blood pressure by 6 mmHg in 40 adults.";
    Sample {
        id: "r1".into(),
        question: Some("How does brisk walking affect blood pressure in adults?".into()),
        answer: Some(sentence.replace("adults.", "adults [a.pdf].")),
        passages: Some(vec![Passage { distance: Some(0.6), ..passage("a.pdf", sentence) }]),
        retrieved: Some(vec!["a.pdf".into()]),
        expected: Some(vec![expected("a.pdf", 2)]),
        gold_quotes: Some(vec![GoldQuote { document: Some("a.pdf".into()), quote: sentence.into() }]),
        reference: Some(sentence.into()),
        citations: Some(vec![Cited {
            document: Some("a.pdf".into()),
            quote: Some(sentence.into()),
            ..Cited::default()
        }]),
        refused: Some(false),
        expected_refusal: Some(false),
        probability: Some(1.0),
        ..Sample::default()
    }
}

fn without(field: Need) -> Sample {
    let mut row = full();
    match field {
        Need::Question => row.question = None,
        Need::Answer => (row.answer, row.refused) = (None, None),
        Need::Context => row.passages = None,
        Need::Distance => row.passages.iter_mut().flatten().for_each(|p| p.distance = None),
        Need::Retrieved => {
            row.retrieved = None;
            row.passages.iter_mut().flatten().for_each(|p| p.document = None);
        }
        Need::Expected => row.expected = None,
        Need::GoldEvidence => row.gold_quotes = None,
        Need::ReferenceAnswer => row.reference = None,
        Need::Citations => {
            row.answer = Some("Brisk walking lowered blood pressure in adults.".into());
            row.citations = None;
        }
        Need::Probability => row.probability = None,
        Need::Verdict => {}
        Need::ExpectedRefusal => row.expected_refusal = None,
    }
    row
}

#[test]
fn every_metric_describes_itself() {
    let (mut keys, mut titles) = (BTreeSet::new(), BTreeSet::new());
    for spec in all() {
        assert!(keys.insert(spec.key), "{} is listed twice", spec.key);
        assert!(titles.insert(spec.title), "{}: two metrics have this title", spec.key);
        assert!(!spec.key.ends_with(RAW_SUFFIX), "{}: the suffix means the raw response", spec.key);
        assert!(spec.in_runs || !spec.staged, "{}", spec.key);
        if spec.kind == Kind::Rate {
            assert_eq!(spec.range, Range::UNIT, "{}: a rate is 0 or 1", spec.key);
        }
        for text in spec.texts() {
            assert!(text.len() > 10 && !text.contains("  "), "{}: {text:?}", spec.key);
        }
        assert!(!spec.needs.is_empty() || !spec.needs_one_of.is_empty(), "{}", spec.key);
        assert!(spec.range.low < spec.range.high, "{}", spec.key);
    }
}

#[test]
fn a_perfect_row_has_the_best_value_of_every_metric() {
    let scored = scores(&full());
    for (key, score) in scored.scores.iter() {
        let spec = all().find(|spec| spec.key == key).expect("a spec");
        let want = match (key, spec.direction) {
            ("unanswerable_accuracy" | "page_recall" | "hallucinated_entities", _) => None,
            ("grade", _) => Some(4.0),
            ("average_distance", _) => Some(0.6),
            (_, Direction::Lower) => Some(0.0),
            _ => Some(1.0),
        };
        assert_eq!(score.get(), want, "{key}: {score:?}");
    }
    assert!(!scored.auto_fail, "{:?}", scored.failure_reasons);
}

#[test]
fn a_missing_field_is_n_a_and_named() {
    for metric in REGISTRY {
        let spec = metric.spec;
        for field in spec.needs.iter().filter(|need| **need != Need::Verdict) {
            let scored = scores(&without(*field));
            let score = scored.scores.get(spec.key).expect("every metric is scored");
            // Marks in the text tell a document, so that nothing is missing where only the list is.
            let Score::NotApplicable(why) = score else {
                panic!("{} without {field}: {score:?}", spec.key);
            };
            assert!(!why.is_empty(), "{}", spec.key);
            let passages = *field == Need::Context && spec.key == "average_distance";
            assert!(
                why.contains(field.name())
                    || passages
                    || spec.key == "page_recall"
                    || spec.key == "auto_fail",
                "{}: {why}",
                spec.key
            );
        }
    }
}

#[test]
fn an_empty_row_has_no_value_at_all() {
    let scored = scores(&Sample::default());
    assert_eq!(scored.scores.len(), REGISTRY.len());
    for (key, score) in scored.scores.iter() {
        assert!(matches!(score, Score::NotApplicable(_)), "{key}: {score:?}");
    }
    assert!(!scored.auto_fail);
}

/// Texts from few words, so that rows agree often.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("Walking lowered blood pressure"),
        Just("by 6 mmHg"),
        Just("not"),
        Just("."),
        Just("[a.pdf:2]"),
        Just("[1]"),
        Just("(b, b__x__001)"),
        Just("causes of"),
        Just("é 运动 \u{0}"),
        Just("How many mice ran?"),
        Just("\n"),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.join(" "))
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![Just("a.pdf"), Just("A"), Just("b"), Just(""), Just("c/d.txt")].prop_map(str::to_owned)
}

fn any_row() -> impl Strategy<Value = Sample> {
    let passage = (text(), prop::option::of(id()), prop::option::of(0.0f64..4.0)).prop_map(
        |(text, document, distance)| Passage {
            text,
            document,
            distance,
            page: Some(2),
            ..Passage::default()
        },
    );
    let first = (
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(prop::collection::vec(passage, 0..4)),
        prop::option::of(prop::collection::vec(id(), 0..5)),
        prop::option::of(prop::collection::vec(
            (id(), 0u32..4).prop_map(|(id, grade)| expected(&id, grade)),
            0..4,
        )),
    );
    let quote = (prop::option::of(id()), text()).prop_map(|(document, quote)| GoldQuote { document, quote });
    let cited = (prop::option::of(id()), prop::option::of(text())).prop_map(|(document, quote)| Cited {
        document,
        quote,
        ..Cited::default()
    });
    let second = (
        prop::option::of(prop::collection::vec(quote, 0..3)),
        prop::option::of(text()),
        prop::option::of(prop::collection::vec(cited, 0..3)),
        any::<Option<bool>>(),
        any::<Option<bool>>(),
    );
    (first, second).prop_map(|(first, second)| Sample {
        id: "r".into(),
        question: first.0,
        answer: first.1,
        passages: first.2,
        retrieved: first.3,
        expected: first.4,
        gold_quotes: second.0,
        reference: second.1,
        citations: second.2,
        refused: second.3,
        expected_refusal: second.4,
        ..Sample::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn every_score_is_in_range_or_has_a_reason(row in any_row()) {
        let scored = scores(&row);
        prop_assert_eq!(&scored, &scores(&row), "the same row, the same scores");
        for spec in all() {
            match scored.scores.get(spec.key) {
                Some(Score::Value(value)) => prop_assert!(value.is_finite() && spec.range.contains(*value), "{}: {value}", spec.key),
                Some(Score::NotApplicable(why)) => prop_assert!(!why.is_empty()),
                other => prop_assert!(false, "{}: {other:?}", spec.key),
            }
        }
        prop_assert_eq!(scored.auto_fail, !scored.failure_reasons.is_empty());
        if let Some(Score::Value(value)) = scored.scores.get("auto_fail") {
            prop_assert_eq!(*value > 0.5, scored.auto_fail);
        }
    }
}

#[test]
fn every_column_is_found_and_unique() {
    let keys = keys();
    for key in &keys {
        assert_eq!(&find(key).expect("a listed key").key(), key);
    }
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
    assert!(find("gold_recall_context_raw").is_none());
    assert!(find("completeness").is_none(), "runs do not compute it");
    let column = find("faithful").expect("a column");
    assert_eq!(column.score(None), Score::n_a(NO_RAW));
}

#[test]
fn keys_of_older_logs_are_read() {
    #[derive(serde::Deserialize)]
    struct Old(#[serde(deserialize_with = "read_scores")] Ordered<Score>);
    let old: Old = serde_json::from_str(r#"{"answerable_answered": 1.0, "correct": 0.0, "faithful": 1.0}"#)
        .expect("scores");
    let keys: Vec<&str> = old.0.keys().collect();
    assert_eq!(keys, ["coverage", "matched", "faithful"]);
    for (_, now) in FORMER {
        assert!(find_metric(now).is_some(), "{now}");
    }
    let gate =
        crate::Gate::of_evaluation(&["unanswerable_refused=0.5".to_owned()], &[]).expect("a gate").remove(0);
    assert_eq!(gate.metric, "unanswerable_accuracy");
}
