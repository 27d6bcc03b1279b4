//! Uploads, jobs and indexes that change while the server runs, and servers that end.

use super::client::{Server, animals};
use crate::common::{Place, natives};
use serde_json::{Value, json};
use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread::{scope, sleep},
    time::Duration,
};

fn paper(animal: &str, hours: usize) -> Vec<u8> {
    format!("# A year with {animal}\n\n## Results\n\nThe {animal} slept under bridges for {hours} hours.\n")
        .into_bytes()
}

#[test]
fn an_uploaded_paper_answers_and_a_renewed_index_fails_no_request() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &[]);
    server
        .post("/v1/ask", &json!({"query": "How long did the weasels sleep?"}))
        .ok(200);
    let (ended, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                while !ended.load(Ordering::SeqCst) {
                    let found = server
                        .post("/v1/search", &json!({"query": "badgers", "mode": "bm25"}))
                        .ok(200);
                    assert_eq!(found["hits"][0]["source_id"], "badgers_2020");
                    asked.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        let answer = server
            .upload("/v1/ingest", &[("weasels.md", &paper("weasels", 9))], &[])
            .ok(202);
        let job = server.ended(&answer["id"]);
        assert_eq!(
            (&job["status"], &job["result"]["added"]),
            (&json!("done"), &json!(1)),
            "{job}"
        );
        assert!(!job.to_string().contains("server-data"), "{job}");
        let answered = server
            .post("/v1/ask", &json!({"query": "How long did the weasels sleep?"}))
            .ok(200);
        assert!(
            answered["answer"]
                .as_str()
                .is_some_and(|text| text.contains("9 hours")),
            "{answered}"
        );
        // By the command, beside the server.
        for (at, animal) in ["newts", "voles", "rooks"].into_iter().enumerate() {
            place.write(&format!("papers/{animal}.md"), &paper(animal, at + 20));
            assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
            server.until("/readyz", |ready| ready["papers"] == 10 + at);
        }
        ended.store(true, Ordering::SeqCst);
    });
    assert!(asked.load(Ordering::SeqCst) > 20, "{asked:?}");
    let sources = server.get("/v1/sources").ok(200);
    assert_eq!(sources["sources"].as_array().map(Vec::len), Some(12));
}

#[test]
fn a_server_without_papers_says_so_and_takes_some() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    let server = Server::start(&place, &[]);
    assert_eq!(server.get("/readyz").ok(200)["status"], "no papers");
    server
        .post("/v1/ask", &json!({"query": "weasels"}))
        .fails(404, "no_papers");
    server.get("/v1/sources").fails(404, "no_papers");
    let none = server.upload("/v1/ingest", &[], &[]);
    assert!(none.status == 422 || none.status == 400, "{none:?}");
    for (name, bytes) in [
        ("../weasels.pdf", b"no PDF".as_slice()),
        ("weasels.md", b"%PDF-1.4"),
        ("weasels", b"# W"),
    ] {
        let refused = server.upload("/v1/ingest", &[(name, bytes)], &[]);
        assert_eq!(refused.status, 422, "{refused:?}");
    }
    let answer = server
        .upload("/v1/ingest", &[("../../weasels.md", &paper("weasels", 9))], &[])
        .ok(202);
    assert_eq!(server.ended(&answer["id"])["status"], "done");
    assert!(
        place
            .files("server-data")
            .contains(&"companies/default/default/papers/weasels.md".to_owned())
    );
    assert_eq!(server.get("/readyz").ok(200)["papers"], 1);
    server
        .post("/collections/empty/rag/initialize", &json!({"company_id": "ac"}))
        .fails(404, "not_found");
}

#[test]
fn what_was_acknowledged_survives_a_killed_server() {
    let Some(place) = animals() else { return };
    let mut server = Server::start(&place, &[]);
    let mut jobs: Vec<(Value, &str)> = Vec::new();
    let rows = json!([{"user_input": "How far?", "response": "Two miles.", "retrieved_contexts": ["They walked two miles."]}]);
    let mut records = 0;
    // Killed at several moments of a job.
    for (at, pause) in [0_u64, 30, 120, 400].into_iter().enumerate() {
        let animal = ["weasels", "newts", "voles", "rooks"][at];
        let name = format!("{animal}.md");
        let job = server
            .upload("/v1/ingest", &[(&name, &paper(animal, 20 + at))], &[])
            .ok(202);
        jobs.push((job["id"].clone(), "ingest"));
        jobs.push((
            server.post("/v1/evaluate", &rows).ok(202)["id"].clone(),
            "evaluate",
        ));
        let record = json!({"company_id": "ac", "question": "q", "answer": "a", "contexts": ["a"]});
        server.post("/collections/col/rag/evaluate", &record).ok(200);
        records += 1;
        let task = json!({"company_id": "default", "query": "How long did the badgers sleep?"});
        let task = server.post("/collections/default/rag/query", &task).ok(202);
        jobs.push((task["task_id"].clone(), "query"));
        sleep(Duration::from_millis(pause));
        assert_eq!(server.signal("KILL"), None);
        server = Server::start(&place, &[]);
    }
    for (id, kind) in &jobs {
        let job = server.ended(id);
        assert_eq!(
            (&job["status"], &job["kind"]),
            (&json!("done"), &json!(kind)),
            "{job}"
        );
    }
    let records_of = server
        .get("/collections/col/rag/evaluation/records?company_id=ac")
        .ok(200);
    assert_eq!(records_of["total"], records);
    assert_eq!(server.get("/readyz").ok(200)["papers"], 12);
    let (id, _) = jobs.last().expect("jobs");
    let stream = server
        .get(&format!("/rag/stream/{}", id.as_str().expect("an id")))
        .events();
    assert_eq!(
        stream.last().map(|(name, _)| name.as_str()),
        Some("answer"),
        "{stream:?}"
    );
}

#[test]
fn a_server_ends_in_order_and_its_state_can_be_copied() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &[]);
    let record = json!({"company_id": "ac", "question": "q", "answer": "a", "contexts": ["a"]});
    server.post("/collections/col/rag/evaluate", &record).ok(200);
    // While the server runs.
    assert_eq!(place.run(&["serve", "backup", "copy.sqlite"]).code(), 0);
    place
        .run(&["serve", "backup", "copy.sqlite"])
        .fails_with(2, &["cannot write copy.sqlite"]);
    let papers: Vec<(String, Vec<u8>)> = (0..30)
        .map(|at| (format!("p{at}.md"), paper("weasels", at)))
        .collect();
    let papers: Vec<(&str, &[u8])> = papers
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    let job = server.upload("/v1/ingest", &papers, &[]).ok(202);
    assert_eq!(server.signal("TERM"), Some(0));
    let server = Server::start(&place, &[]);
    // At once: the job was given back and not only left.
    let job = server.ended(&job["id"]);
    assert_eq!(job["status"], "done", "{job}");
    assert_eq!(server.signal("INT"), Some(0));
    place.write(
        "restored/state.sqlite",
        &std::fs::read(place.path("copy.sqlite")).expect("a copy"),
    );
    let server = Server::start(&place, &["--data", "restored"]);
    let records = server
        .get("/collections/col/rag/evaluation/records?company_id=ac")
        .ok(200);
    assert_eq!(
        (
            &records["total"],
            server.get("/v1/history").ok(200)["questions"]
                .as_array()
                .map(Vec::len)
        ),
        (&json!(1), Some(0))
    );
}
