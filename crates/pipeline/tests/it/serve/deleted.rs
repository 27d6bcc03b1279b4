//! What can be deleted: papers, records, questions, jobs.

use super::{
    client::{Server, animals},
    tenants::key,
};
use crate::common::{Place, natives};
use serde_json::{Value, json};

#[test]
fn a_paper_that_was_uploaded_can_be_deleted_and_added_again() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &[]);
    let delete = |path: &str| server.send("DELETE", path, &[], b"");
    let paper = b"# A year with weasels\n\n## Results\n\nThe weasels slept under bridges for 9 hours.\n";
    for _ in 0..2 {
        let job = server.upload("/v1/ingest", &[("weasels.md", paper)], &[]).ok(202);
        assert_eq!(server.ended(&job["id"])["result"]["added"], 1);
        server.get("/v1/papers/weasels").ok(200);
        let job = delete("/v1/papers/weasels").ok(202);
        assert_eq!(server.ended(&job["id"])["status"], "done");
        server.until("/v1/papers", |all| !all.to_string().contains("weasels"));
        delete("/v1/papers/weasels").fails(404, "not_found");
    }
    // That of `pipeline ingest` is not the server's.
    delete("/v1/papers/badgers_2020").fails(422, "not_uploaded");
    server.get("/v1/papers/badgers_2020").ok(200);
    server.post("/v1/search", &json!({"query": "badgers"})).ok(200);
    let questions = || server.get("/v1/history").ok(200)["questions"].as_array().map(Vec::len);
    assert_eq!(questions(), Some(1));
    assert_eq!(delete("/v1/history").ok(200)["deleted"], 1);
    assert_eq!(questions(), Some(0));
}

#[test]
fn the_last_paper_can_be_deleted_though_its_file_is_gone_and_one_of_many_cannot() {
    let place = Place::new(natives());
    let server = Server::start(&place, &[]);
    let delete = |path: &str| server.send("DELETE", path, &[], b"");
    let paper = b"# A year with weasels\n\n## Results\n\nThe weasels slept under bridges for 9 hours.\n";
    let job = server.upload("/v1/ingest", &[("weasels.md", paper)], &[]).ok(202);
    assert_eq!(server.ended(&job["id"])["result"]["added"], 1);
    // As after a request that ended between the two steps.
    let file = place.path("server-data/companies/default/default/papers/weasels.md");
    std::fs::remove_file(file).expect("removed");
    for deleted in [(); 2].map(|()| delete("/v1/papers/weasels")) {
        // The second one may find that it is gone.
        if deleted.status != 404 {
            assert_eq!(server.ended(&deleted.ok(202)["id"])["status"], "done");
        }
    }
    assert_eq!(server.get("/v1/papers").ok(200)["sources"], json!([]));
    let found = server.post("/v1/search", &json!({"query": "weasels"})).body;
    assert!(!found.contains("bridges"), "{found}");
    let corpus = br#"{"_id": "d1", "title": "Weasels", "text": "The weasels slept for 9 hours."}"#;
    let job = server.upload("/v1/ingest", &[("corpus.jsonl", corpus)], &[]).ok(202);
    assert_eq!(server.ended(&job["id"])["result"]["added"], 1);
    let all = server.get("/v1/papers").ok(200);
    let id = all["sources"][0]["source_id"].as_str().expect("an id");
    let refused = delete(&format!("/v1/papers/{id}")).fails(422, "shared_file");
    assert_eq!(refused["value"], "corpus.jsonl");
}

#[test]
fn records_and_jobs_can_be_deleted_and_every_record_is_reachable() {
    let place = Place::new(natives());
    let [reads, writes, other] =
        [("ac", "read"), ("ac", "write"), ("b", "write")].map(|(tenant, role)| key(&place, tenant, role));
    let server = Server::start(&place, &[]);
    let record = json!({"company_id": "ac", "question": "q", "answer": "a", "contexts": ["a"]});
    for _ in 0..5 {
        server.with_key(&writes, "POST", "/collections/c/rag/evaluate", &record).ok(200);
    }
    let of = "/collections/c/rag/evaluation/records";
    let ids = |rest: &str| -> Vec<String> {
        let path = format!("{of}?company_id=ac&limit=2{rest}");
        let found = server.with_key(&reads, "GET", &path, &Value::Null).ok(200);
        let records = found["records"].as_array().expect("a list").iter();
        records.map(|record| record["question_id"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids(""), ["q_005", "q_004"]);
    assert_eq!(ids("&before=q_004"), ["q_003", "q_002"]);
    assert_eq!(ids("&before=q_002"), ["q_001"]);
    let delete = |key: &str, path: &str| server.with_key(key, "DELETE", path, &Value::Null);
    let path = format!("{of}/q_003?company_id=ac");
    delete(&reads, &path).fails(403, "role");
    delete(&other, &path).fails(404, "not_found");
    delete(&writes, &path).ok(200);
    delete(&writes, &path).fails(404, "not_found");
    assert_eq!(ids("&before=q_005"), ["q_004", "q_002"]);
    // The number of the newest is not given again.
    delete(&writes, &format!("{of}/q_005?company_id=ac")).ok(200);
    server.with_key(&writes, "POST", "/collections/c/rag/evaluate", &record).ok(200);
    assert_eq!(ids(""), ["q_006", "q_004"]);
    let rows = json!([{"user_input": "q", "response": "a", "retrieved_contexts": ["a"]}]);
    let job = server.with_key(&writes, "POST", "/v1/evaluate", &rows).ok(202);
    let path = format!("/v1/jobs/{}", job["id"].as_str().expect("an id"));
    delete(&other, &path).fails(404, "not_found");
    delete(&writes, &path).ok(200);
    server.with_key(&reads, "GET", &path, &Value::Null).fails(404, "not_found");
    let left = place.files("server-data");
    assert!(!left.iter().any(|file| file.contains("answers/")), "{left:?}");
}
