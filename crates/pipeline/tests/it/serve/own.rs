//! The API of this program: the documents of the commands.

use super::client::{Answer, Server, animals};
use serde_json::{Value, json};

const QUESTION: &str = "How long did the badgers sleep?";

/// Holds an answer to what the OpenAPI document says of its route.
#[track_caller]
fn described(openapi: &Value, method: &str, path: &str, answer: &Answer) {
    let operation = &openapi["paths"][path][method];
    assert!(operation.is_object(), "{method} {path} is not described");
    let responses = &operation["responses"];
    let status = answer.status.to_string();
    let of_status =
        responses.get(&status).unwrap_or_else(|| panic!("{path} does not say {status}: {answer:?}"));
    let schema = &of_status["content"]["application/json"]["schema"];
    let whole = json!({"allOf": [schema], "components": openapi["components"]});
    let validator = jsonschema::validator_for(&whole).expect("a schema");
    let faults: Vec<String> = validator.iter_errors(&answer.json()).map(|error| error.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new(), "{path}: {answer:?}");
    let odd = answer.json().as_object().cloned().map(|mut keys| {
        keys.insert("odd".to_owned(), json!(1));
        Value::Object(keys)
    });
    assert!(path == "/openapi.json" || !validator.is_valid(&odd.expect("an object")), "{path} allows all");
}

#[test]
fn every_route_answers_what_its_document_describes() {
    let Some(place) = animals() else { return };
    let ran =
        place.run(&["eval", "--mode", "hybrid", "--queries", "mine.jsonl", "--limit", "1", "--name", "base"]);
    assert!([0, 1].contains(&ran.code()), "{}", ran.code());
    let server = Server::start(&place, &[]);
    let openapi = server.get("/openapi.json").ok(200);
    assert_eq!(openapi["openapi"], "3.1.0");
    let mut seen = Vec::new();
    let mut check = |method: &str, path: &str, answer: &Answer| {
        described(&openapi, method, path, answer);
        seen.push(format!("{method} {path}"));
    };
    check("get", "/healthz", &server.get("/healthz"));
    let ready = server.get("/readyz");
    assert_eq!(ready.ok(200)["papers"], 8);
    check("get", "/readyz", &ready);
    check("get", "/openapi.json", &server.get("/openapi.json"));
    check("post", "/v1/ask", &server.post("/v1/ask", &json!({"query": QUESTION, "include_context": true})));
    check("post", "/v1/ask", &server.post("/v1/ask", &json!({"query": "Who won the chess tournament?"})));
    check("post", "/v1/ask", &server.post("/v1/ask", &json!({"query": 1})));
    check("post", "/v1/search", &server.post("/v1/search", &json!({"query": "badgers", "explain": true})));
    check("post", "/v1/search", &server.post("/v1/search", &json!({"query": "badgers", "count": 0})));
    let unset = json!({"query": "badgers", "mode": null, "filters": {"year_from": null}, "count": null, "explain": null});
    server.post("/v1/search", &unset).ok(200);
    let text = "The badgers slept for 3 hours. “Nobody was ever hurt by a badger.”";
    check("post", "/v1/verify", &server.post("/v1/verify", &json!({"answer": text})));
    check("post", "/v1/verify", &server.post("/v1/verify", &json!({"answer": " "})));
    check("get", "/v1/papers", &server.get("/v1/papers"));
    // As it was named before.
    check("get", "/v1/sources", &server.get("/v1/sources"));
    check("get", "/v1/papers/{id}", &server.get("/v1/papers/badgers_2020"));
    check("get", "/v1/papers/{id}", &server.get("/v1/papers/nope"));
    let page = "/v1/papers/badgers_2020/pages/1";
    let of_page = "/v1/papers/{id}/pages/{page}";
    for asked in ["", "?quote=Nobody%20was%20hurt.", "?quote=nope", "?odd=1"] {
        check("get", of_page, &server.get(&format!("{page}{asked}")));
    }
    for quote in ["%20".to_owned(), "a".repeat(4_001)] {
        let refused = server.get(&format!("{page}?quote={quote}"));
        refused.fails(422, "bad_quote");
        check("get", of_page, &refused);
    }
    check("get", of_page, &server.get("/v1/papers/badgers_2020/pages/2"));
    // Papers that are no PDF have no picture.
    check("get", "/v1/papers/{id}/pages/{page}/image", &server.get(&format!("{page}/image")));
    let quotes = json!({"quotes": [{"page": 1, "quote": "Nobody was hurt."}]});
    for body in [quotes, json!({"quotes": []})] {
        check(
            "post",
            "/v1/papers/{id}/highlights",
            &server.post("/v1/papers/badgers_2020/highlights", &body),
        );
    }
    check("get", "/v1/history", &server.get("/v1/history?limit=2"));
    check("get", "/v1/history", &server.get("/v1/history?limit=x"));
    let delete = |path: &str| server.send("DELETE", path, &[], b"");
    check("delete", "/v1/history", &delete("/v1/history"));
    check("delete", "/v1/papers/{id}", &delete("/v1/papers/badgers_2020"));
    let change = |body: &str| {
        server.send("PATCH", "/v1/papers/badgers_2020", &["Content-Type: application/json"], body.as_bytes())
    };
    let changed = change(r#"{"tags": ["sleep"], "year": 2021}"#);
    check("patch", "/v1/papers/{id}", &changed);
    check("patch", "/v1/papers/{id}", &change(r#"{"doi": "none"}"#));
    server.ended(&changed.json()["id"]);
    check("get", "/v1/remarks", &server.get("/v1/remarks"));
    check("post", "/v1/remarks/{id}/retry", &server.post("/v1/remarks/none/retry", &json!({})));
    check("get", "/v1/runs", &server.get("/v1/runs"));
    for run in ["base", "none"] {
        check("get", "/v1/runs/{id}", &server.get(&format!("/v1/runs/{run}")));
        check("get", "/v1/runs/{id}/{query}", &server.get(&format!("/v1/runs/{run}/Q00")));
    }
    let table = server.post("/v1/tables", &json!({"name": "T", "questions": [format!("Sleep: {QUESTION}")]}));
    check("post", "/v1/tables", &table);
    check("post", "/v1/tables", &server.post("/v1/tables", &json!({"name": "", "questions": []})));
    check("get", "/v1/tables", &server.get("/v1/tables"));
    let path = format!("/v1/tables/{}", table.json()["table"].as_str().expect("an id"));
    server.ended(&table.json()["job"]);
    check("get", "/v1/tables/{id}", &server.get(&path));
    check("delete", "/v1/tables/{id}", &delete(&path));
    check("get", "/v1/tables/{id}", &server.get(&path));
    let rows = json!([{"user_input": "How far?", "response": "Two miles.", "retrieved_contexts": ["They walked two miles."]}]);
    let job = server.post("/v1/evaluate", &rows);
    check("post", "/v1/evaluate", &job);
    check("post", "/v1/evaluate", &server.post("/v1/evaluate", &json!([{"odd": 1}])));
    let done = server.ended(&job.json()["id"]);
    assert_eq!(done["result"]["metadata"]["total_tests"], 1, "{done}");
    let path = format!("/v1/jobs/{}", job.json()["id"].as_str().expect("an id"));
    check("get", "/v1/jobs/{id}", &server.get(&path));
    check("delete", "/v1/jobs/{id}", &delete(&path));
    check("delete", "/v1/jobs/{id}", &delete(&path));
    let upload = server.upload(
        "/v1/ingest?collection=c",
        &[("otters_2020.md", b"# Otters\n\n## Results\n\nOtters slept.\n")],
        &[],
    );
    check("post", "/v1/ingest", &upload);
    check("post", "/v1/ingest", &server.upload("/v1/ingest", &[("otters.exe", b"MZ")], &[]));
    server.ended(&upload.json()["id"]);
    let quick =
        json!({"query": "How far?", "response": "Two miles.", "retrieved_docs": ["They walked two miles."]});
    check("post", "/api/evaluate/", &server.post("/api/evaluate/", &quick));
    let search = json!({"question": QUESTION, "include_rag_evaluation": true});
    check("post", "/api/search/", &server.post("/api/search/", &search));
    let rag = |end: &str| format!("/collections/c/rag/{end}");
    let described_as = |end: &str| format!("/collections/{{collection_id}}/rag/{end}");
    for end in ["status", "evaluation/summary", "evaluation/records"] {
        check("get", &described_as(end), &server.get(&(rag(end) + "?company_id=default")));
        check("get", &described_as(end), &server.get(&(rag(end) + "?company_id=other")));
        check("get", &described_as(end), &server.get(&rag(end)));
    }
    let company = json!({"company_id": "default"});
    check("post", &described_as("initialize"), &server.post(&rag("initialize"), &company));
    let asked = json!({"company_id": "default", "query": "Did otters sleep?"});
    let task = server.post(&rag("query"), &asked);
    check("post", &described_as("query"), &task);
    let answered = json!({"company_id": "default", "question": "q", "answer": "a", "contexts": ["a"]});
    check("post", &described_as("evaluate"), &server.post(&rag("evaluate"), &answered));
    let record = rag("evaluation/records/q_001") + "?company_id=default";
    check("delete", &described_as("evaluation/records/{question_id}"), &delete(&record));
    // Texts and events have no schema.
    let stream = task.json()["stream_url"].as_str().expect("an address").to_owned();
    for (path, asked) in [("/metrics", "/metrics"), ("/rag/stream/{task_id}", &stream)] {
        let answer = server.get(asked);
        let described = &openapi["paths"][path]["get"]["responses"]["200"]["content"];
        let kind = answer.headers["content-type"].split(';').next().unwrap_or_default();
        assert!(answer.status == 200 && described[kind].is_object(), "{answer:?}");
        seen.push(format!("get {path}"));
    }
    for (path, methods) in openapi["paths"].as_object().expect("paths") {
        for method in methods.as_object().expect("methods").keys() {
            assert!(seen.contains(&format!("{method} {path}")), "{method} {path} was not asked");
        }
    }
}

/// Leaves out what differs from run to run.
fn timeless(mut document: Value) -> Value {
    document.as_object_mut().expect("an object").remove("timings_ms");
    document
}

#[test]
fn the_documents_are_those_of_the_commands() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &[]);
    let own = server.post("/v1/ask", &json!({"query": QUESTION, "include_context": true})).ok(200);
    let (code, command) = place.json(&["ask", QUESTION, "--include-context"]);
    assert_eq!((code, timeless(own)), (0, timeless(command)));
    let filters = json!({"sources": ["otters_2020"], "sections": ["results"]});
    let search = json!({"query": "slept", "mode": "bm25", "count": 2, "explain": true, "filters": filters});
    let own = server.post("/v1/search", &search).ok(200);
    assert_eq!(own["hits"][0]["source_id"], "otters_2020");
    let command = [
        "search",
        "slept",
        "--mode",
        "bm25",
        "-k",
        "2",
        "--explain",
        "--source",
        "otters_2020",
        "--section",
        "results",
    ];
    assert_eq!(timeless(own), timeless(place.json(&command).1));
    assert_eq!(server.get("/v1/papers").ok(200), place.json(&["papers"]).1);
    let paper = server.get("/v1/papers/otters_2020").ok(200);
    assert_eq!(paper, place.json(&["papers", "show", "otters_2020"]).1);
    assert_eq!(place.run(&["eval", "--queries", "mine.jsonl", "--mode", "hybrid"]).code(), 0);
    let runs = server.get("/v1/runs").ok(200);
    assert_eq!((&runs, &runs["total"]), (&place.json(&["runs"]).1, &json!(1)));
}

#[test]
fn an_answer_in_parts_tells_of_each_stage_as_it_ends() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &[]);
    let body = json!({"query": QUESTION}).to_string();
    let headers = ["Content-Type: application/json", "Accept: text/event-stream"];
    let answer = server.send("POST", "/v1/ask", &headers, body.as_bytes());
    assert_eq!(answer.headers["content-type"], "text/event-stream");
    let mut events = answer.events();
    let (name, document) = events.pop().expect("events");
    assert_eq!(name, "answer");
    let plain = server.post("/v1/ask", &json!({"query": QUESTION})).ok(200);
    assert_eq!(timeless(document.clone()), timeless(plain));
    let stages: Vec<&str> = events.iter().filter_map(|(_, data)| data["stage"].as_str()).collect();
    assert_eq!(stages.len(), events.len(), "{events:?}");
    let mut timed: Vec<&String> = document["timings_ms"].as_object().expect("times").keys().collect();
    timed.retain(|stage| *stage != "total");
    let mut sorted = stages.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, timed, "each stage of the answer, once");
    assert_eq!((stages[0], stages[stages.len() - 1]), ("understand", "guardrails"));
    let failed = server.send("POST", "/v1/ask", &headers, br#"{"query": " "}"#).events();
    assert_eq!(failed[0].1["code"], "empty_question", "{failed:?}");
    assert!(failed[0].1["request_id"].as_str().is_some_and(|id| !id.is_empty()));
}

#[test]
fn what_was_asked_is_kept_and_counted_and_not_logged() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &[]);
    server.post("/v1/ask", &json!({"query": QUESTION})).ok(200);
    server.post("/v1/ask", &json!({"query": "Who won the chess tournament?"})).ok(200);
    server
        .post("/v1/ask", &json!({"query": "badgers", "filters": {"sources": ["weasels"]}}))
        .fails(422, "filter");
    server.get("/v1/papers/badgers_2020").ok(200);
    let history = server.get("/v1/history").ok(200);
    let questions = history["questions"].as_array().expect("a list");
    let kept: Vec<_> = questions.iter().map(|one| (&one["question"], &one["answered"])).collect();
    assert_eq!(
        kept,
        [(&json!("Who won the chess tournament?"), &json!(false)), (&json!(QUESTION), &json!(true))]
    );
    let metrics = server.get("/metrics").body;
    for line in [
        "pipeline_requests_total{method=\"POST\",route=\"/v1/ask\",status=\"200\"} 2",
        "pipeline_requests_total{method=\"GET\",route=\"/v1/papers/{id}\",status=\"200\"} 1",
        "pipeline_request_seconds_count{route=\"/v1/ask\"} 3",
        "pipeline_requests_running 1",
        "pipeline_requests_computing 0",
    ] {
        assert!(metrics.lines().any(|own| own == line), "{line}: {metrics}");
    }
    assert_eq!(server.signal("TERM"), Some(0));
    let log = std::fs::read_to_string(place.path("server.log")).expect("a log");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.iter().any(|line| line["route"] == "/v1/ask" && line["code"] == "filter"), "{log}");
    assert!(lines.iter().all(|line| line["level"].is_string()), "{log}");
    for word in ["badgers", "chess", "weasels"] {
        assert!(!log.contains(word), "{word} is in {log}");
    }
}
