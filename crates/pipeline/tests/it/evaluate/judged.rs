//! A language model judges: a fake server answers, and answers badly.

use crate::common::Place;
use crate::evaluate::results::{files, has_shape, known_shape};
use serde_json::{Value, json};
use testkit::{ChatServer, Request, Step};

pub(crate) const DIMENSIONS: [(&str, &str, f64); 5] = [
    ("faithfulness", "unsupported_claims", 0.95),
    ("answer_relevance", "missing_aspects", 1.0),
    ("citation_quality", "issues", 0.9),
    ("completeness", "missing_info", 0.85),
    ("correctness", "differences", 1.0),
];

/// Replies with the scores of the reference's example.
pub(crate) fn good(request: &Request) -> Step {
    let found = DIMENSIONS.iter().find(|(name, ..)| *name == request.schema());
    let (_, list, score) = found.expect("a dimension");
    let reply = json!({"reasoning": "All of it was found.", *list: ["one thing"], "score": score});
    Step::json(&passing(request, reply))
}

/// The reply with what passes beside the score. It supports no claim of the answer, and finds no statement of the reference.
fn passing(request: &Request, mut reply: Value) -> Value {
    for field in ["grounded", "relevant", "retrieval_relevant", "same_facts"] {
        if request.requires(field) {
            reply[field] = json!(true);
        }
    }
    let mut data = serde_json::Deserializer::from_str(request.user()).into_iter::<Value>();
    let data = data.next().expect("data").expect("JSON");
    let each = |list: &str, entry: &dyn Fn(&Value) -> Value| -> Value {
        data[list].as_array().expect("a list").iter().map(entry).collect()
    };
    if request.requires("claims") {
        reply["claims"] = each(
            "claims",
            &|claim| json!({"number": claim["number"], "reason": "r", "chunk_id": null, "verdict": "unsupported"}),
        );
    }
    if request.requires("reference_claims") {
        reply["reference_claims"] =
            each("reference_claims", &|claim| json!({"number": claim["number"], "passage": null}));
    }
    reply
}

/// Settings that name the server.
fn configure(place: &Place, server: &ChatServer, more: &str) {
    let text = format!(
        "llm.provider = \"openai\"\nllm.base_url = {:?}\nllm.model = \"strict\"\nllm.api_key_env = \"none\"\nllm.max_retries = 0\n\
         llm.cache_dir = {:?}\nllm.price_input = 1.0\nllm.price_output = 2.0\n{more}\n",
        server.base_url(),
        place.path("replies").display().to_string()
    );
    place.write("llm.toml", text.as_bytes());
}

const ARGS: [&str; 11] = [
    "score",
    "--test-results",
    "results.json",
    "--ground-truth",
    "truth.json",
    "--queries",
    "queries.json",
    "--model",
    "strict",
    "--config",
    "llm.toml",
];

#[test]
fn the_document_has_the_keys_and_the_figures_that_users_know() {
    let place = Place::new(None);
    files(&place);
    let server = ChatServer::answering(good);
    configure(&place, &server, "");
    let document = place.done(&ARGS);
    place.conforms("evaluate", &document);
    has_shape(&known_shape(), &document, "document");
    let row = &document["results"]["test_a"];
    let close = |value: &Value, want: f64| {
        let value = value.as_f64().expect("a number");
        assert!((value - want).abs() < 1e-4, "{value} is not {want}");
    };
    close(&row["overall_score"], 0.948_08);
    close(&row["overall_without_reference"], 0.932_5);
    close(&document["summary"]["overall"]["mean"], 0.948_08);
    assert_eq!(document["metadata"]["evaluator_model"], "strict");
    assert_eq!(document["metadata"]["prompt_versions"]["completeness"], "completeness-3");
    // The verdicts on single claims are the model's too, though the words are the same.
    let of_claims = ["context_recall_claims", "claim_support"].map(|key| &row["metrics"][key]);
    assert_eq!(of_claims, [&json!(0.0); 2], "{document:#}");
    assert_eq!(row["evaluations"]["citation_quality"]["issues"], json!(["one thing"]));
    let requests = server.requests();
    assert_eq!(requests.len(), 10, "five for each row");
    for (name, ..) in DIMENSIONS {
        assert_eq!(requests.iter().filter(|request| request.schema() == name).count(), 2);
    }
    let asked = |question: &str| {
        let of =
            |request: &&Request| request.schema() == "answer_relevance" && request.user().contains(question);
        requests.iter().filter(of).count()
    };
    assert_eq!((asked("harbour cards begin?"), asked("How often did it rain?")), (1, 1));

    // The second run is free, and says the same.
    let ran = place.passes(&[&ARGS[..], &["--format", "json"]].concat());
    let again: Value = serde_json::from_str(&ran.stdout()).expect("JSON");
    assert_eq!((again, server.requests().len()), (document, 10));
    assert!(ran.stderr().contains("10 answered from the cache"), "{}", ran.stderr());
}

#[test]
fn the_dimensions_of_a_row_are_asked_at_the_same_time() {
    let place = Place::new(None);
    files(&place);
    // Nothing is answered until all five have come.
    let come = std::sync::Arc::new(std::sync::Barrier::new(5));
    let server = ChatServer::answering(move |request| {
        come.wait();
        good(request)
    });
    configure(&place, &server, "llm.cache = \"off\"\nllm.concurrency = 8");
    let (code, document) = place.json(&[&ARGS[..], &["--limit", "1", "--workers", "1"]].concat());
    assert_eq!((code, server.requests().len()), (0, 5), "{document:#}");
    assert_eq!(document["metadata"]["rows_in_file"], 2);
}

#[test]
fn a_bad_reply_is_an_error_and_never_a_score() {
    let place = Place::new(None);
    files(&place);
    let server = ChatServer::answering(|request| {
        if request.schema() == "completeness" && request.user().contains("whales") {
            Step::said("I would say it is quite complete.")
        } else {
            good(request)
        }
    });
    configure(&place, &server, "");
    let ran = place.run(&[&ARGS[..], &["--output", "out.json"]].concat());
    ran.fails_with(
        1,
        &["1 row without an overall score", "test_b: completeness:", "run the same command again"],
    );
    let text = std::fs::read(place.path("out.json")).expect("written");
    let document: Value = serde_json::from_slice(&text).expect("JSON");
    place.conforms("evaluate", &document);
    let row = &document["results"]["test_b"];
    assert_eq!((&row["overall_score"], &row["overall_without_reference"]), (&Value::Null, &Value::Null));
    assert_eq!(row["evaluations"]["completeness"]["score"], Value::Null);
    assert!(
        row["evaluations"]["completeness"]["error"]
            .as_str()
            .is_some_and(|error| error.contains("asked twice"))
    );
    assert_eq!(row["evaluations"]["faithfulness"]["score"], 0.95);
    let summary = &document["summary"];
    assert_eq!((&summary["completeness"]["errors"], &summary["overall"]["count"]), (&json!(1), &json!(1)));
    assert_eq!(document["metadata"]["errors"], 1);
    // Ten, and one more that corrects.
    assert_eq!(server.requests().len(), 11);
    // Again, only the two failed calls are made.
    assert_eq!(place.run(&ARGS).code(), 1);
    assert_eq!(server.requests().len(), 13);
}

#[test]
fn models_are_named_or_any_of_the_provider() {
    let place = Place::new(None);
    files(&place);
    let server = ChatServer::answering(good);
    configure(&place, &server, "llm.small.model = \"tiny\"\nllm.cache = \"off\"");
    for (name, model) in [("small", "tiny"), ("other-1", "other-1")] {
        let args = [
            "score",
            "results.json",
            "--queries",
            "queries.json",
            "--limit",
            "1",
            "--model",
            name,
            "--config",
            "llm.toml",
        ];
        let (code, document) = place.json(&args);
        assert_eq!((code, &document["metadata"]["evaluator_model"]), (0, &json!(model)), "{document:#}");
        assert_eq!(server.requests().last().expect("asked").body["model"], model);
    }
    // Without --model, the setting decides.
    let args = ["score", "results.json", "--config", "llm.toml"];
    let (_, document) = place.json(&args);
    assert_eq!(document["metadata"]["evaluator_model"], "lexical");
    let (_, document) = place.json(&[&args[..], &["--set", "eval.judge=auto"]].concat());
    assert_eq!(document["metadata"]["evaluator_model"], "strict");
}

#[test]
fn cost_is_planned_and_limited() {
    let place = Place::new(None);
    files(&place);
    let server = ChatServer::answering(good);
    configure(&place, &server, "");
    let (code, planned) = place.json(&[&ARGS[..], &["--dry-run"]].concat());
    assert_eq!((code, server.requests().len()), (0, 0), "{planned:#}");
    assert_eq!((&planned["stages"][0]["calls"], &planned["rows"]), (&json!(10), &json!(2)), "{planned:#}");
    let schema: Value = serde_json::from_str(&place.run(&["schema", "dry-run"]).stdout()).expect("a schema");
    assert!(jsonschema::validator_for(&schema).expect("a schema").is_valid(&planned), "{planned:#}");
    let text = place.run(&[&ARGS[..], &["--dry-run"]].concat()).stdout();
    assert!(text.contains("2 rows of results.json") && text.contains("the prompts cost"), "{text}");
    let ran = place.run(&[&ARGS[..], &["--max-cost", "0.000001"]].concat());
    ran.fails_with(2, &["--max-cost"]);
    assert_eq!(server.requests().len(), 0);
}

/// The request of `ragas-evaluation-service.md`, with verdicts that give the scores that it prints.
#[test]
fn the_example_of_the_ragas_service_has_its_printed_scores() {
    let place = Place::new(None);
    let request = json!({"question": "Does the candidate have Kubernetes experience?",
        "answer": "Yes, candidate r_12 has Kubernetes experience.",
        "contexts": ["Implemented Kubernetes-based deployments and CI/CD pipelines.",
            "Worked as Backend Engineer at Flipkart for 3 years using Java."],
        "retrieved_resumes": ["resume_12.txt", "resume_03.txt"], "expected_resumes": ["resume_12.txt"],
        "ground_truth": "Candidate r_12 has Kubernetes experience."});
    place.write("request.json", request.to_string().as_bytes());
    let server = ChatServer::answering(|request| {
        let found = DIMENSIONS.iter().find(|(name, ..)| *name == request.schema());
        let (name, list, _) = found.expect("a dimension");
        let score = match *name {
            "faithfulness" => 0.96,
            "answer_relevance" => 0.91,
            _ => 1.0,
        };
        let reply = json!({"reasoning": "The first excerpt names Kubernetes.", *list: [], "score": score});
        Step::json(&passing(request, reply))
    });
    configure(&place, &server, "");
    let (code, document) =
        place.json(&["score", "request.json", "--model", "strict", "--config", "llm.toml"]);
    assert_eq!(code, 0, "{document:#}");
    let row = &document["results"]["1"];
    for (key, want) in [("context_recall", 1.0), ("faithfulness", 0.96), ("answer_relevance", 0.91)] {
        assert_eq!(row["metrics"][key], want, "{key}: {row:#}");
        assert_eq!(document["metrics"]["avg_metrics"][key], want);
    }
    assert_eq!((&row["auto_fail"], &row["failure_reasons"]), (&json!(false), &json!([])));
    let score = document["metrics"]["rag_score"].as_f64().expect("a score");
    assert!((score - 0.966).abs() < 1e-9, "{score}");
    for verdict in ["relevance", "groundedness", "correctness", "retrieval_relevance"] {
        let own = &row[verdict];
        assert_eq!(own["score"], true, "{verdict}: {own}");
        assert_eq!(own["explanation"], "The first excerpt names Kubernetes.");
    }
}
