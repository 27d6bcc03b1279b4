//! Keys, roles, and that nothing of one tenant reaches another.

use super::{
    client::{Server, animals},
    models::waiting,
};
use crate::common::{Place, natives};
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, thread::scope};

/// Makes a key.
pub(super) fn key(place: &Place, tenant: &str, role: &str) -> String {
    let (code, made) = place.json(&["serve", "keys", "add", "--tenant", tenant, "--role", role]);
    assert_eq!(code, 0);
    made["key"].as_str().expect("a key").to_owned()
}

#[test]
fn without_a_key_only_this_machine_is_served() {
    let place = Place::new(natives());
    let ran = place.run(&["serve", "--listen", "0.0.0.0:0"]);
    ran.fails_with(2, &["there is no key", "pipeline serve keys add"]);
    place.run(&["serve", "keys", "add", "--tenant", "a/b"]).fails_with(2, &["is not a valid name"]);
    place.run(&["serve", "keys", "revoke", "7"]).fails_with(2, &["no valid key has the number 7"]);
}

#[test]
fn a_key_opens_what_its_role_allows_until_it_is_revoked() {
    let place = Place::new(natives());
    let [reads, writes, rules] = ["read", "write", "admin"].map(|role| key(&place, "ac", role));
    let server = Server::start(&place, &[]);
    server.get("/healthz").ok(200);
    assert_eq!(server.get("/v1/history").fails(401, "no_key")["value"], Value::Null);
    let no = json!({});
    server.with_key("pk_1_wrong", "GET", "/v1/history", &no).fails(401, "no_key");
    server.with_key(&reads, "GET", "/v1/history", &no).ok(200);
    server.with_key(&writes, "GET", "/v1/history", &no).ok(200);
    let record = json!({"company_id": "ac", "question": "q", "answer": "a", "contexts": ["a"]});
    let path = "/collections/c/rag/evaluate";
    server.with_key(&reads, "POST", path, &record).fails(403, "role");
    server.with_key(&writes, "POST", path, &record).ok(200);
    server.with_key(&writes, "GET", "/metrics", &no).fails(403, "role");
    // They are of all tenants.
    server.with_key(&rules, "GET", "/metrics", &no).fails(403, "role");
    let operator = key(&place, "default", "admin");
    assert_eq!(server.with_key(&operator, "GET", "/metrics", &no).status, 200);
    let listed = place.json(&["serve", "keys", "list"]).1;
    assert_eq!(listed["keys"][1]["role"], "write");
    assert!(!listed.to_string().contains(&writes[5..]), "{listed}");
    assert_eq!(place.run(&["serve", "keys", "revoke", "2"]).code(), 0);
    server.with_key(&writes, "GET", "/v1/history", &no).fails(401, "no_key");
    server.with_key(&reads, "GET", "/v1/history", &no).ok(200);
    // 200 at once, then 50 a second.
    let mut refused = (0..400).map(|_| server.with_key(&reads, "GET", "/v1/history", &no));
    let refused = refused.find(|answer| answer.status == 429).expect("too many requests");
    refused.fails(429, "too_many_requests");
    assert!(refused.headers["retry-after"].parse::<u64>().is_ok_and(|seconds| seconds >= 1));
    server.with_key(&rules, "GET", "/v1/history", &no).ok(200);
    let log = std::fs::read_to_string(place.path("server.log")).expect("a log");
    for key in [&reads, &writes, &rules] {
        assert!(!log.contains(&key[5..]), "a key is in the log");
    }
}

#[test]
fn a_foreign_id_and_a_missing_id_look_the_same() {
    let Some(place) = animals() else { return };
    let [ours, theirs] = ["ours", "theirs"].map(|tenant| key(&place, tenant, "write"));
    let server = Server::start(&place, &[]);
    let no = json!({});
    let paper =
        b"# Weasels\n\n## Results\n\nThe weasels slept under the secret bridge for 9 hours.\n".as_slice();
    let header = format!("Authorization: Bearer {ours}");
    let upload = server.upload("/v1/ingest", &[("weasels.md", paper)], &[&header]).ok(202);
    let path = format!("/v1/jobs/{}", upload["id"].as_str().expect("an id"));
    assert_eq!(server.ended_of(&ours, &upload)["status"], "done");
    let record = json!({"company_id": "ours", "question": "q", "answer": "secret", "contexts": ["secret"]});
    server.with_key(&ours, "POST", "/collections/col/rag/evaluate", &record).ok(200);
    let task = json!({"company_id": "ours", "query": "How long did the weasels sleep?"});
    let task = server.with_key(&ours, "POST", "/collections/default/rag/query", &task).ok(202);
    let stream = task["stream_url"].as_str().expect("an address");
    assert!(server.with_key(&ours, "GET", stream, &no).body.contains("9 hours"));
    // No document tells where the files are on the server.
    let folder = place.path("");
    let folder = folder.canonicalize().expect("there");
    let asks = json!({"query": "How long did the weasels sleep?"});
    for (method, path, body) in [
        ("GET", "/v1/papers", &no),
        ("GET", "/v1/papers/weasels", &no),
        ("GET", "/v1/runs", &no),
        ("POST", "/v1/ask", &asks),
        ("POST", "/v1/search", &asks),
    ] {
        let answer = server.with_key(&ours, method, path, body).ok(200).to_string();
        assert!(path == "/v1/runs" || answer.contains("weasels.md"), "{path}: {answer}");
        assert!(
            !answer.contains(&*folder.to_string_lossy()) && !answer.contains("companies"),
            "{path}: {answer}"
        );
    }
    // Each request for something of ours beside one for nothing.
    let same = |method: &str, foreign: &str, missing: &str, body: &Value| {
        let seen = |path: &str| {
            let answer = server.with_key(&theirs, method, path, body);
            let document = answer.fails(404, "not_found");
            // What the client itself wrote.
            let value = document["value"].as_str().expect("a value");
            assert!(path.contains(value), "{answer:?}");
            let id = answer.headers["x-request-id"].as_str();
            let body = answer.body.replacen(&format!("\"{value}\""), "", 1).replacen(id, "", 1);
            (body, answer.headers.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(seen(foreign), seen(missing), "{foreign}");
    };
    same("GET", &path, "/v1/jobs/AAAAAAAAAAAAAAAAAAAAAA", &no);
    same("GET", stream, "/rag/stream/AAAAAAAAAAAAAAAAAAAAAA", &no);
    for end in ["rag/status", "rag/evaluation/summary", "rag/evaluation/records"] {
        let of =
            |collection: &str, tenant: &str| format!("/collections/{collection}/{end}?company_id={tenant}");
        same("GET", &of("col", "ours"), &of("none", "theirs"), &no);
        same("GET", &of("col", "ours"), &of("none", "nobody"), &no);
    }
    let ask = json!({"company_id": "ours", "query": "weasels"});
    same("POST", "/collections/col/rag/query", "/collections/none/rag/query", &ask);
    let init = json!({"company_id": "ours"});
    same("POST", "/collections/col/rag/initialize", "/collections/none/rag/initialize", &init);
    let foreign = server.with_key(&theirs, "POST", "/collections/col/rag/evaluate", &record);
    foreign.fails(404, "not_found");
    let header = format!("Authorization: Bearer {theirs}");
    let upload = server.upload("/v1/ingest?company_id=ours", &[("x.md", paper)], &[&header]);
    upload.fails(404, "not_found");
    // Their own lists have nothing of ours, nor of the index that the server was started with.
    let theirs_of = |path: &str| server.with_key(&theirs, "GET", path, &no);
    assert_eq!(theirs_of("/v1/history").ok(200)["questions"], json!([]));
    theirs_of("/v1/papers").fails(404, "no_papers");
    for end in ["", "/pages/1", "/pages/1/image"] {
        theirs_of(&format!("/v1/papers/weasels{end}")).fails(404, "no_papers");
    }
    server.with_key(&theirs, "POST", "/v1/ask", &json!({"query": "weasels"})).fails(404, "no_papers");
    let newts = b"# Newts\n\n## Results\n\nThe newts slept in the pond for 7 hours.\n".as_slice();
    let upload = server.upload("/v1/ingest", &[("newts.md", newts)], &[&header]).ok(202);
    assert_eq!(server.ended_of(&theirs, &upload)["status"], "done");
    theirs_of("/v1/papers/newts").ok(200);
    for end in ["", "/pages/1", "/pages/1/image"] {
        let paper = |id: &str| format!("/v1/papers/{id}{end}");
        same("GET", &paper("weasels"), &paper("nobody"), &no);
    }
    let ours_of = server.with_key(&ours, "GET", "/v1/papers", &no).ok(200);
    assert_eq!(ours_of["sources"].as_array().map(Vec::len), Some(1), "{ours_of}");
    let log = std::fs::read_to_string(place.path("server.log")).expect("a log");
    assert!(!log.contains("weasels") && !log.contains("secret"), "{log}");
}

#[test]
fn a_stream_ends_with_its_key() {
    let Some(place) = animals() else { return };
    let (chat, answered) = waiting(&place);
    let reads = key(&place, "default", "read");
    let server = Server::start(&place, &["--config", "llm.toml"]);
    let task = json!({"company_id": "default", "query": "How long did the badgers sleep?"});
    let task = server.with_key(&reads, "POST", "/collections/default/rag/query", &task).ok(202);
    let path = task["stream_url"].as_str().expect("an address");
    scope(|threads| {
        let stream = threads.spawn(|| server.with_key(&reads, "GET", path, &Value::Null));
        chat.wait_until("it is asked", |chat| !chat.requests().is_empty());
        assert_eq!(place.run(&["serve", "keys", "revoke", "1"]).code(), 0);
        let events = stream.join().expect("it ends").events();
        let ended = |name: &str| name == "answer" || name == "error";
        assert!(!events.iter().any(|(name, _)| ended(name)), "{events:?}");
    });
    answered.store(true, Ordering::SeqCst);
}
