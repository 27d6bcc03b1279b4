//! What must not keep a server from answering, or from ending.

use super::client::{Server, animals};
use crate::common::{Place, natives, wait_for};
use serde_json::json;
use std::{io::Write as _, process::Stdio, thread::sleep, time::Duration};

#[test]
fn a_server_that_has_just_started_ends_when_it_is_asked_to() {
    let Some(place) = animals() else { return };
    for pause in [0, 40, 150] {
        let server = Server::start(&place, &[]);
        sleep(Duration::from_millis(pause));
        assert_eq!(server.signal("TERM"), Some(0), "after {pause} ms");
    }
}

#[test]
fn a_log_that_nobody_reads_stops_no_request() {
    let place = Place::new(natives());
    let server = Server::start_logging(&place, &[], Stdio::piped());
    // More lines than a pipe holds.
    for _ in 0..600 {
        server.get("/healthz").ok(200);
    }
    assert_eq!(server.signal("TERM"), Some(0));
}

/// Bytes that a process had in memory at most.
fn most_memory(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib << 10)
}

#[test]
fn a_field_that_nothing_reads_takes_no_memory() {
    let place = Place::new(natives());
    let server = Server::start(&place, &[]);
    let filled = |head: &str, bytes: usize| {
        let unknown = "[0],".repeat(bytes / 4 - 100);
        format!("{head}, \"unknown\": [{unknown}0]}}").into_bytes()
    };
    let kind = "Content-Type: application/json";
    let row = r#"{"user_input": "q", "response": "a", "retrieved_contexts": ["a"]"#;
    server.send("POST", "/v1/evaluate", &[kind], &filled(row, 64 << 20)).fails(422, "too_many_values");
    let row = r#"{"company_id": "ac", "question": "q", "answer": "a", "contexts": ["a"]"#;
    server
        .send("POST", "/collections/c/rag/evaluate", &[kind], &filled(row, 8 << 20))
        .fails(422, "too_many_values");
    if let Some(most) = most_memory(server.id()) {
        assert!(most < 400 << 20, "{most} bytes");
    }
}

#[test]
fn what_would_take_minutes_to_score_is_refused() {
    let place = Place::new(natives());
    let server = Server::start(&place, &[]);
    let (answer, passage) = ("They walked. ".repeat(2400), "They slept in the hay. ".repeat(40_000));
    let asked = json!({"query": "q", "response": answer, "retrieved_docs": [passage]});
    server.post("/api/evaluate/", &asked).fails(422, "too_long_to_score");
    let row = json!({"user_input": "q", "response": answer, "retrieved_contexts": [passage]});
    server.post("/v1/evaluate", &json!([row])).fails(422, "too_long_to_score");
    let row =
        |at: usize| json!({"user_input": format!("q{at}"), "response": "a", "retrieved_contexts": ["a"]});
    let rows: Vec<_> = (0..5001).map(row).collect();
    server.post("/v1/evaluate", &json!(rows)).fails(422, "too_many_rows");
}

#[test]
fn what_one_tenant_holds_leaves_something_to_another() {
    let place = Place::new(natives());
    let key = |tenant: &str| {
        let args = ["serve", "keys", "add", "--tenant", tenant, "--role", "write"];
        place.run(&args).stdout().trim().to_owned()
    };
    let (one, other) = (key("one"), key("other"));
    let server = Server::start(&place, &[]);
    let score = |key: &str| server.with_key(key, "POST", "/v1/evaluate", &json!({}));
    // Room for eight files of answers, none of which comes.
    let _announced: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = server.connect();
            let head = format!(
                "POST /v1/evaluate HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {one}\r\n\
                 Content-Type: application/json\r\nContent-Length: 9\r\n\r\n",
                server.address
            );
            stream.write_all(head.as_bytes()).expect("sent");
            stream
        })
        .collect();
    wait_for("a full share", || score(&one).status == 503);
    for _ in 0..20 {
        assert_eq!(score(&other).status, 422);
    }
    score(&one).fails(503, "busy");
}
