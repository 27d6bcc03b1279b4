//! Test results and ground truth, and the document that is made of them.

use crate::common::Place;
use serde_json::{Value, json};

pub(crate) const RENEWAL: &str =
    "Renewal of the harbour cards began in May 2021 at the north office of the city.";

/// Two tests in the format of test results by id, with their ground truth and their questions.
pub(crate) fn files(place: &Place) {
    let chunk = |page: u32, text: &str| json!({"chunk_id": format!("Cards.pdf::{page:04}"), "text": text, "doc_id": "Cards.pdf", "page": page, "score": 0.8});
    let chunks = [chunk(3, RENEWAL), chunk(4, "Rain fell on forty days of that summer in the hills.")];
    let results = json!({
        "test_a": {"query_id": "Query_1", "top_k_chunks": chunks, "answers": format!("{RENEWAL} [Cards.pdf:3]")},
        "test_b": {"query_id": "Query_2", "top_k_chunks": chunks,
            "answers": "Forty whales sang operas in Lisbon. [Cards.pdf:9]"},
    });
    place.write("results.json", results.to_string().as_bytes());
    let truth = json!({
        "Query_1": {"query_id": "Query_1", "answer": RENEWAL, "document": {"Cards.pdf": [3]}},
        "Query_2": {"query_id": "Query_2", "answer": "It rained on forty days.", "document": {"Cards.pdf": [4, 7]}},
    });
    place.write("truth.json", truth.to_string().as_bytes());
    let queries = json!({"Query_1": "When did the renewal of harbour cards begin?", "Query_2": "How often did it rain?"});
    place.write("queries.json", queries.to_string().as_bytes());
}

/// Every key of `like` is in `document`, with a value of the same type.
#[track_caller]
pub(crate) fn has_shape(like: &Value, document: &Value, path: &str) {
    match like {
        Value::Object(keys) => {
            for (key, like) in keys {
                let own = document.get(key).unwrap_or_else(|| panic!("{path} has no {key}: {document:#}"));
                has_shape(like, own, &format!("{path}.{key}"));
            }
        }
        Value::Array(items) => {
            let own = document.as_array().unwrap_or_else(|| panic!("{path} is no list: {document}"));
            for item in own {
                has_shape(&items[0], item, path);
            }
        }
        Value::String(_) => assert!(document.is_string(), "{path}: {document}"),
        Value::Number(_) => assert!(document.is_number(), "{path}: {document}"),
        _ => unreachable!("the example has no other types"),
    }
}

/// The keys of the output that users of the five-dimension judge know.
pub(crate) fn known_shape() -> Value {
    let mean = json!({"mean": 0.5, "min": 0.1, "max": 1.0, "count": 2});
    json!({
        "metadata": {"test_results_file": "f", "evaluator_model": "m", "total_tests": 2},
        "results": {"test_a": {
            "query": "q",
            "answer": "a",
            "evaluations": {
                "faithfulness": {"score": 1.0, "reasoning": "r", "unsupported_claims": ["c"]},
                "answer_relevance": {"score": 1.0, "reasoning": "r", "missing_aspects": ["m"]},
                "citation_quality": {"score": 1.0, "reasoning": "r", "issues": ["i"]},
                "completeness": {"score": 1.0, "reasoning": "r", "missing_info": ["m"]},
                "correctness": {"score": 1.0, "reasoning": "r", "differences": ["d"]},
            },
            "overall_score": 0.9,
            "weights_used": {"faithfulness": 0.35, "answer_relevance": 0.25, "citation_quality": 0.2,
                "completeness": 0.2, "correctness": 0.3},
        }},
        "summary": {"faithfulness": mean, "answer_relevance": mean, "citation_quality": mean, "completeness": mean,
            "correctness": mean, "overall": mean},
    })
}

#[test]
fn without_a_language_model_the_dimensions_are_the_metrics() {
    let place = Place::new(None);
    files(&place);
    let args = [
        "score",
        "--test_results",
        "results.json",
        "--ground_truth",
        "truth.json",
        "--queries",
        "queries.json",
        "--output",
        "out.json",
    ];
    let document = place.done(&args);
    place.conforms("evaluate", &document);
    let written: Value =
        serde_json::from_slice(&std::fs::read(place.path("out.json")).expect("written")).expect("JSON");
    assert_eq!(written, document);
    assert_eq!(document["metadata"]["evaluator_model"], "lexical");
    assert_eq!(document["metadata"]["input_format"], "test-results (JSON)");

    let good = &document["results"]["test_a"];
    assert_eq!((&good["query"], &good["page_recall"]), (&json!("Query_1"), &json!(1.0)), "{good:#}");
    assert_eq!(good["question"], "When did the renewal of harbour cards begin?");
    let score =
        |row: &Value, dimension: &str| row["evaluations"][dimension]["score"].as_f64().expect("a score");
    assert!(score(good, "faithfulness") > 0.8 && score(good, "citation_quality") > 0.8, "{good:#}");
    assert!((score(good, "correctness") - 1.0).abs() < 1e-9, "{good:#}");
    // Each dimension is the metric of the same key.
    for dimension in ["faithfulness", "answer_relevance", "citation_quality", "completeness", "correctness"] {
        assert!(
            (score(good, dimension) - good["metrics"][dimension].as_f64().expect("a value")).abs() < 1e-9
        );
    }
    let weights = [
        ("faithfulness", 0.35),
        ("answer_relevance", 0.25),
        ("citation_quality", 0.2),
        ("completeness", 0.2),
        ("correctness", 0.3),
    ];
    let used = good["weights_used"].as_object().expect("weights");
    assert_eq!(used.keys().collect::<Vec<_>>(), weights.map(|(name, _)| name));
    let by_hand: f64 = weights.iter().map(|(name, weight)| weight * score(good, name)).sum();
    assert!((good["overall_score"].as_f64().expect("a score") - by_hand / 1.3).abs() < 1e-9);

    let bad = &document["results"]["test_b"];
    assert!(score(bad, "faithfulness") < 0.3 && score(bad, "citation_quality") < 1e-9, "{bad:#}");
    assert_eq!(
        bad["evaluations"]["citation_quality"]["issues"][0],
        "not among the passages, or not what they say: Cards.pdf:9"
    );
    assert_eq!(bad["evaluations"]["faithfulness"]["unsupported_claims"].as_array().map(Vec::len), Some(1));
    assert_eq!(bad["page_recall"], 0.5);
    let overall = &document["summary"]["overall"];
    assert_eq!((&overall["count"], &overall["errors"]), (&json!(2), &json!(0)));
    assert_eq!(document["summary"]["completeness"]["count"], 2);

    // The same input gives the same bytes.
    let before = std::fs::read(place.path("out.json")).expect("written");
    assert_eq!(place.run(&args).code(), 0);
    assert_eq!(std::fs::read(place.path("out.json")).expect("written"), before);

    let ran = place.passes(&["score", "results.json", "--limit", "1"]);
    for part in ["results.json: 1 of 2 rows; judge lexical", "faithfulness", "95 % interval"] {
        assert!(ran.stdout().contains(part), "{part}: {}", ran.stdout());
    }
    assert!(ran.stderr().contains("2 rows, format test-results (JSON); judge "), "{}", ran.stderr());
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let place = Place::new(None);
    files(&place);
    place.write("other.json", br#"{"X": {"answer": "a"}}"#);
    place
        .run(&["score", "results.json", "--ground-truth", "other.json"])
        .fails_with(2, &["none of the 1 entries of other.json belongs to a row of results.json"]);
    place
        .run(&["score", "results.json", "--output", "no/such/out.json"])
        .fails_with(2, &["no/such/out.json cannot be written", "give a file in an existing folder"]);
    let before = std::fs::read(place.path("results.json")).expect("reads");
    place
        .run(&["score", "results.json", "--output", "./results.json"])
        .fails_with(2, &["--output would overwrite results.json, which is read"]);
    assert_eq!(std::fs::read(place.path("results.json")).expect("reads"), before);
    place.run(&["score", "absent.json"]).fails_with(2, &["cannot read absent.json"]);
    place.run(&["score"]).fails_with(2, &["FILE"]);
    place.run(&["score", "results.json", "--model", "gpt-x"]).fails_with(
        2,
        &["--model \"gpt-x\" is not the name of a section [llm.NAME] (no [llm.NAME] is defined)"],
    );
}
