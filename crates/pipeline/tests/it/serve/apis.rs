//! The APIs of LitPath and of the Ragas service, request by request as their documents have them.

use super::client::{Answer, Server, animals};
use crate::common::{Place, natives};
use serde_json::{Value, json};

/// The keys of an object, in their order.
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().map(|keys| keys.keys().map(String::as_str).collect()).unwrap_or_default()
}

#[test]
fn litpath_evaluates() {
    let place = Place::new(natives());
    let server = Server::start(&place, &["--set", "embedding.model=nothing"]);
    let mut request = json!({
        "query": "What is photosynthesis?",
        "response": "Photosynthesis is the process by which plants convert sunlight into energy.",
        "retrieved_docs": ["Photosynthesis is the process by which plants convert sunlight into energy.", "Mice sleep."],
        "type": "quick"
    });
    let quick = server.post("/api/evaluate/", &request);
    assert_eq!(quick.headers["x-judge"], "lexical");
    let quick = quick.ok(200);
    assert_eq!(keys(&quick), ["success", "evaluation_type", "results"]);
    assert_eq!((&quick["success"], &quick["evaluation_type"]), (&json!(true), &json!("quick")));
    assert_eq!(keys(&quick["results"]), ["relevance", "groundedness", "overall_pass"]);
    for part in ["relevance", "groundedness"] {
        assert_eq!(keys(&quick["results"][part]), ["score", "explanation"]);
        assert_eq!(quick["results"][part]["score"], true, "{quick}");
    }
    assert_eq!(quick["results"]["overall_pass"], true);
    request["type"] = json!("full");
    let full = server.post("/api/evaluate/", &request).ok(200);
    let all = ["relevance", "groundedness", "correctness", "retrieval_relevance", "overall_pass"];
    assert_eq!(keys(&full["results"]), all);
    assert_eq!(full["results"]["correctness"]["score"], Value::Null, "there is no reference");
    let why = full["results"]["correctness"]["explanation"].as_str().unwrap_or_default();
    assert!(why.starts_with("N/A: "), "{why}");
    request["reference_answer"] = json!("Photosynthesis converts sunlight into energy.");
    request["response"] =
        json!("Photosynthesis is the process by which plants convert sunlight into 40 kinds of sugar.");
    let wrong = server.post("/api/evaluate/", &request).ok(200);
    assert_eq!(wrong["results"]["groundedness"]["score"], false, "{wrong}");
    assert_eq!(
        (&wrong["results"]["overall_pass"], &wrong["results"]["correctness"]["score"]),
        (&json!(false), &json!(false))
    );
    request["type"] = json!("thorough");
    server.post("/api/evaluate/", &request).fails(422, "bad_field");
}

#[test]
fn litpath_searches_with_the_filters_that_the_question_asks_for() {
    let Some(place) = animals() else { return };
    let manifest = "source_id,year,tags\nbadgers_2020,2020,mammals\notters_2020,2018,mammals\n";
    place.write("papers/manifest.csv", manifest.as_bytes());
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    let server = Server::start(&place, &[]);
    let asked = json!({"question": "How long did the badgers sleep?", "overview_only": true, "include_rag_evaluation": true});
    let found = server.post("/api/search/", &asked).ok(200);
    let all = ["overview", "accuracy_metrics", "rag_evaluation", "filters", "filters_auto_extracted"];
    assert_eq!(keys(&found), all);
    assert!(found["overview"].as_str().is_some_and(|text| text.contains("3 hours")), "{found}");
    let accuracy = &found["accuracy_metrics"];
    assert_eq!(keys(accuracy), ["search", "citation_verification", "hallucination_detection"]);
    assert_eq!(accuracy["citation_verification"]["verification_rate"], 1.0, "{found}");
    assert_eq!(accuracy["hallucination_detection"]["hallucination_detected"], false);
    assert!(
        accuracy["search"]["average_distance"].as_f64().is_some_and(|own| (0.0..4.0).contains(&own)),
        "{found}"
    );
    assert_eq!(keys(&found["rag_evaluation"]), ["relevance", "groundedness", "overall_pass"]);
    assert_eq!(found["rag_evaluation"]["groundedness"]["score"], true);
    assert_eq!((&found["filters"], &found["filters_auto_extracted"]), (&json!({}), &json!(false)));
    let filters_of = |request: Value| {
        let found = server.post("/api/search/", &request).ok(200);
        (found["filters"].clone(), found["filters_auto_extracted"].clone(), found)
    };
    let (filters, taken, found) =
        filters_of(json!({"question": "How long did the badgers sleep in studies from 2020?"}));
    assert_eq!((filters, taken), (json!({"year": "2020"}), json!(true)));
    assert_eq!(found["documents"][0]["file"], "badgers_2020.md", "{found}");
    assert!(found.get("rag_evaluation").is_none(), "{found}");
    let between = "How long did the badgers sleep in studies published between 2019 and 2021?";
    let (filters, _, _) = filters_of(json!({ "question": between }));
    assert_eq!(filters, json!({"year_start": "2019", "year_end": "2021"}));
    let explicit = json!({"question": between, "filters": {"year": "2017"}});
    let (filters, taken, found) = filters_of(explicit);
    assert_eq!((filters, taken), (json!({"year": "2017"}), json!(false)), "given filters stand alone");
    assert_eq!(found["documents"], json!([]), "{found}");
    server
        .post("/api/search/", &json!({"question": "q", "filters": {"year": "soon"}}))
        .fails(422, "bad_year");
}

fn evaluate(server: &Server, answer: &str, more: &Value) -> Answer {
    let mut request = json!({
        "company_id": "ac",
        "question": "Does the candidate have Kubernetes experience?",
        "answer": answer,
        "contexts": ["The candidate implemented Kubernetes-based deployments.", "Worked at Flipkart for 3 years using Java."],
        "retrieved_resumes": ["resume_12.txt", "resume_03.txt"],
        "expected_resumes": ["resume_12.txt"]
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        request[key] = value.clone();
    }
    server.post("/collections/col_123/rag/evaluate", &request)
}

#[test]
fn the_ragas_service_keeps_records_and_their_means() {
    let place = Place::new(natives());
    let server = Server::start(&place, &["--set", "embedding.model=nothing"]);
    let summary = "/collections/col_123/rag/evaluation/summary?company_id=ac";
    server.get(summary).fails(404, "not_found");
    let good =
        evaluate(&server, "The candidate implemented Kubernetes-based deployments.", &json!({})).ok(200);
    assert_eq!(keys(&good), ["question_id", "metrics", "auto_fail", "failure_reasons"]);
    assert_eq!(keys(&good["metrics"]), ["context_recall", "faithfulness", "answer_relevance"]);
    assert_eq!((&good["question_id"], &good["auto_fail"]), (&json!("q_001"), &json!(false)), "{good}");
    assert_eq!(
        (&good["metrics"]["context_recall"], &good["metrics"]["faithfulness"]),
        (&json!(1.0), &json!(1.0)),
        "{good}"
    );
    // Rules 1, 3 and 4.
    let bad = evaluate(&server, "resume_99.txt shows 7 years of Rust at Google.", &json!({})).ok(200);
    assert_eq!((&bad["question_id"], &bad["auto_fail"]), (&json!("q_002"), &json!(true)));
    let reasons = bad["failure_reasons"]
        .as_array()
        .expect("reasons")
        .iter()
        .map(|one| one.as_str().unwrap_or_default());
    let reasons: Vec<&str> = reasons.collect();
    for part in ["faithfulness 0.00 is below 0.85", "no passage has", "resume_99.txt"] {
        assert!(reasons.iter().any(|reason| reason.contains(part)), "{part}: {reasons:?}");
    }
    // Rule 2.
    let missed = json!({"expected_resumes": ["resume_77.txt"]});
    let missed =
        evaluate(&server, "The candidate implemented Kubernetes-based deployments.", &missed).ok(200);
    assert_eq!(missed["metrics"]["context_recall"], 0.0, "{missed}");
    let unlabelled = json!({"expected_resumes": null});
    let unlabelled =
        evaluate(&server, "The candidate implemented Kubernetes-based deployments.", &unlabelled).ok(200);
    assert_eq!(
        (&unlabelled["question_id"], &unlabelled["metrics"]["context_recall"]),
        (&json!("q_004"), &Value::Null)
    );
    let means = server.get(summary).ok(200);
    let all = [
        "collection_id",
        "total_questions",
        "avg_metrics",
        "failure_rate",
        "hallucination_rate",
        "rag_score",
    ];
    assert_eq!(keys(&means), all);
    assert_eq!((&means["collection_id"], &means["total_questions"]), (&json!("col_123"), &json!(4)));
    assert_eq!(
        (&means["failure_rate"], &means["hallucination_rate"]),
        (&json!(0.5), &json!(0.25)),
        "{means}"
    );
    let recall = means["avg_metrics"]["context_recall"].as_f64().expect("a mean");
    assert!((recall - 2.0 / 3.0).abs() < 1e-9, "over the records that have it: {means}");
    // By hand, over the three complete records.
    let of = |record: &Value| {
        let part = |key: &str| record["metrics"][key].as_f64().expect("a score");
        0.4 * part("context_recall") + 0.4 * part("faithfulness") + 0.2 * part("answer_relevance")
    };
    let want = (of(&good) + of(&bad) + of(&missed)) / 3.0;
    assert!((means["rag_score"].as_f64().expect("a mean") - want).abs() < 1e-9, "{means}");
    let records = server.get("/collections/col_123/rag/evaluation/records?company_id=ac&limit=2").ok(200);
    let newest = &records["records"][0];
    assert_eq!((&records["total"], &newest["question_id"]), (&json!(4), &json!("q_004")));
    assert_eq!(records["records"].as_array().map(Vec::len), Some(2));
    for key in
        ["question", "answer", "contexts", "retrieved_resumes", "metrics", "auto_fail", "status", "timestamp"]
    {
        assert!(!newest[key].is_null(), "{key}: {newest}");
    }
    let why = newest["not_measured"]["context_recall"].as_str().unwrap_or_default();
    assert!(why.starts_with("N/A: "), "{newest}");
    // The layout of the service.
    assert_eq!(place.run(&["serve", "export", "out"]).code(), 0);
    let files = place.files("out");
    let name = |id: &str| format!("storage/companies/ac/col_123/rag/evaluations/{id}.json");
    assert_eq!(files, ["q_001", "q_002", "q_003", "q_004"].map(name));
    let kept = std::fs::read_to_string(place.path("out").join(&files[3])).expect("written");
    assert_eq!(&serde_json::from_str::<Value>(&kept).expect("JSON"), newest);
    assert_eq!(place.run(&["serve", "export", "--tenant", "other", "none"]).code(), 0);
    assert!(place.files("none").is_empty());
}

#[test]
fn the_ragas_service_answers_in_a_stream_that_can_be_resumed() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &[]);
    let paper = std::fs::read(place.path("papers/badgers_2020.md")).expect("a paper");
    let long = format!("{} {}", String::from_utf8_lossy(&paper), "The badgers slept again. ".repeat(40));
    let job = server.upload(
        "/v1/ingest?collection=col_1&company_id=ac",
        &[("badgers_2020.md", long.as_bytes())],
        &[],
    );
    server.ended(&job.ok(202)["id"]);
    let status = server.get("/collections/col_1/rag/status?company_id=ac").ok(200);
    assert_eq!((&status["status"], &status["documents"]), (&json!("ready"), &json!(1)), "{status}");
    server.get("/collections/col_1/rag/status?company_id=other").fails(404, "not_found");
    let asked = json!({"company_id": "ac", "query": "How long did the badgers sleep?", "top_k": 1, "include_context": true});
    let task = server.post("/collections/col_1/rag/query", &asked).ok(202);
    let stream = task["stream_url"].as_str().expect("an address");
    assert_eq!(stream, format!("/rag/stream/{}", task["task_id"].as_str().expect("an id")));
    let whole = server.get(stream);
    let events = whole.events();
    let (name, answer) = events.last().expect("events");
    assert_eq!(name, "answer", "{events:?}");
    assert!(answer["answer"].as_str().is_some_and(|text| text.contains("3 hours")), "{answer}");
    let candidates = answer["candidates"].as_array().expect("candidates");
    assert_eq!((candidates.len(), &candidates[0]["filename"]), (1, &json!("badgers_2020.md")));
    assert_eq!(candidates[0]["excerpt"].as_str().map(|text| text.chars().count()), Some(300), "{answer}");
    assert!(events.iter().filter(|(name, _)| name == "stage").count() > 5, "{events:?}");
    let resumed = server.send("GET", stream, &["Last-Event-ID: 4"], b"").events();
    assert_eq!(resumed, events[4..], "what was not seen, and nothing twice");
    let none = server.send("GET", stream, &[&format!("Last-Event-ID: {}", events.len())], b"").events();
    assert_eq!(none, []);
    server.get("/rag/stream/AAAAAAAAAAAAAAAAAAAAAA").fails(404, "not_found");
    let bare =
        json!({"company_id": "ac", "query": "How long did the badgers sleep?", "include_context": false});
    let task = server.post("/collections/col_1/rag/query", &bare).ok(202);
    let events = server.get(task["stream_url"].as_str().expect("an address")).events();
    let answer = &events.last().expect("events").1;
    assert!(answer["candidates"][0].get("excerpt").is_none(), "{answer}");
}
