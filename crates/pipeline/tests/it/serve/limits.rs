//! What a client can do to a server: little.

use super::{
    client::{Server, animals, receive},
    models::waiting,
};
use crate::common::{Place, natives};
use serde_json::json;
use std::{
    io::Write as _,
    net::TcpStream,
    sync::atomic::Ordering,
    thread::{scope, sleep},
    time::{Duration, Instant},
};

const JSON: &str = "Content-Type: application/json";

#[test]
fn strangers_are_refused() {
    let place = Place::new(natives());
    let server = Server::start(&place, &[]);
    for host in ["example.org", "127.0.0.1.example.org:80", "10.1.2.3", ""] {
        let host = format!("Host: {host}");
        server.send("GET", "/healthz", &[&host], b"").fails(403, "other_host");
    }
    server.send("GET", "/healthz", &["Host: localhost"], b"").ok(200);
    for origin in ["http://example.org", "null", "http://127.0.0.1:1"] {
        let origin = format!("Origin: {origin}");
        let answer = server.send("POST", "/v1/search", &[&origin, JSON], br#"{"query": "a"}"#);
        answer.fails(403, "other_origin");
        assert!(!answer.headers.keys().any(|name| name.starts_with("access-control")), "{answer:?}");
    }
    let own = format!("Origin: http://{}", server.address);
    server.send("GET", "/healthz", &[&own], b"").ok(200);
    // A picture in a page of another site; a link is followed.
    let (site, link) = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate");
    let picture = server.send("GET", "/v1/papers", &[site, "Sec-Fetch-Mode: no-cors"], b"");
    picture.fails(403, "other_origin");
    assert_eq!(picture.headers["cross-origin-resource-policy"], "same-origin");
    let object = server.send("GET", "/v1/papers", &[site, link, "Sec-Fetch-Dest: object"], b"");
    object.fails(403, "other_origin");
    let followed = [site, link, "Sec-Fetch-Dest: document"];
    server.send("GET", "/healthz", &followed, b"").ok(200);
    server.get("/v1/nothing").fails(404, "no_route");
    // A method that a client makes up is no label of its own.
    server.send("MADEUP", "/v1/ask", &[], b"").fails(405, "method");
    let metrics = server.get("/metrics").body;
    assert!(metrics.contains("method=\"other\"") && !metrics.contains("MADEUP"), "{metrics}");
}

#[test]
fn pages_of_an_origin_that_is_named_may_use_the_server() {
    let place = Place::new(natives());
    let ran = place.run(&["serve", "--listen", "127.0.0.1:0", "--origin", "https://example.org/a"]);
    ran.fails_with(2, &["an origin is a scheme, a host"]);
    let server = Server::start(&place, &["--origin", "https://papers.example.org"]);
    let asked = |origin: &str| {
        let origin = format!("Origin: {origin}");
        let wants = ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type"];
        let preflight = server.send("OPTIONS", "/v1/search", &[&origin, wants[0], wants[1]], b"");
        (preflight, server.send("GET", "/healthz", &[&origin], b""))
    };
    let (preflight, answer) = asked("https://papers.example.org");
    assert_eq!((preflight.status, answer.status), (200, 200));
    for answer in [&preflight, &answer] {
        assert_eq!(answer.headers["access-control-allow-origin"], "https://papers.example.org");
    }
    let (preflight, answer) = asked("https://papers.example.org.evil.org");
    preflight.fails(403, "other_origin");
    answer.fails(403, "other_origin");
}

#[test]
fn what_is_too_large_or_wrong_is_refused() {
    let place = Place::new(natives());
    let server = Server::start(&place, &[]);
    let long = json!({"query": "a".repeat(300 << 10)}).to_string();
    server.send("POST", "/v1/search", &[JSON], long.as_bytes()).fails(413, "too_large");
    // 2 GB that are announced and never come.
    let mut stream = server.connect();
    let head = format!(
        "POST /v1/search HTTP/1.1\r\nHost: {}\r\n{JSON}\r\nContent-Length: 2000000000\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let started = Instant::now();
    let _ = (0..64).try_for_each(|_| stream.write_all(&vec![b' '; 65536]));
    assert_eq!(receive(stream).status, 413);
    assert!(started.elapsed() < Duration::from_secs(10));
    let bomb = format!("X-Bomb: {}", "a".repeat(1 << 20));
    assert_eq!(server.send("GET", "/healthz", &[&bomb], b"").status, 431);
    let body = |text: &str| server.send("POST", "/v1/search", &[JSON], text.as_bytes());
    body("").fails(400, "bad_json");
    body(&"[".repeat(100_000)).fails(400, "bad_json");
    body("[]").fails(422, "bad_field");
    body(r#"{"query": "a", "odd": 1}"#).fails(422, "bad_field");
    body(r#"{"query": "a", "count": 101}"#).fails(422, "out_of_range");
    // Read, then refused for want of papers: in JSON, 3.0 is 3.
    body(r#"{"query": "a", "count": 3.0}"#).fails(404, "no_papers");
    server.send("POST", "/v1/search", &[], br#"{"query": "a"}"#).fails(415, "not_json");
    server.get("/v1/history?limit=0").fails(422, "out_of_range");
    server.get("/v1/history?odd=1").fails(422, "bad_query");
    for path in ["/v1/papers/..%2f..%2fetc", "/v1/jobs/%00", "/collections/..%2fx/rag/status?company_id=a"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
    }
    server.get("/collections/a/rag/status?company_id=../b").fails(422, "bad_query");
    // What would take minutes to score.
    let (answer, passage) = ("They walked. ".repeat(2400), "They slept in the hay. ".repeat(40_000));
    let asked = json!({"query": "q", "response": answer, "retrieved_docs": [passage]});
    server.post("/api/evaluate/", &asked).fails(422, "too_long_to_score");
    let row = json!({"user_input": "q", "response": answer, "retrieved_contexts": [passage]});
    server.post("/v1/evaluate", &json!([row])).fails(422, "too_long_to_score");
    let row =
        |at: usize| json!({"user_input": format!("q{at}"), "response": "a", "retrieved_contexts": ["a"]});
    let rows: Vec<_> = (0..5001).map(row).collect();
    server.post("/v1/evaluate", &json!(rows)).fails(422, "too_many_rows");
    server.get("/healthz").ok(200);
}

#[test]
fn a_full_server_says_when_to_come_back() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &["--max-waiting", "1"]);
    let ask = || server.post("/v1/ask", &json!({"query": "How long did the badgers sleep?"}));
    ask().ok(200);
    let answers: Vec<_> = scope(|threads| {
        let asked: Vec<_> = (0..16).map(|_| threads.spawn(ask)).collect();
        asked.into_iter().map(|one| one.join().expect("answered")).collect()
    });
    let (well, full): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert!(!well.is_empty() && !full.is_empty(), "{} answered", well.len());
    for answer in full {
        answer.fails(503, "busy");
        assert_eq!(answer.headers["retry-after"], "1");
    }
    // What does not compute is answered all the same.
    server.get("/healthz").ok(200);
    ask().ok(200);
}

#[test]
fn many_streams_wait_without_a_thread_each() {
    let Some(place) = animals() else { return };
    let (_chat, answered) = waiting(&place);
    let server = Server::start(&place, &["--config", "llm.toml"]);
    server.post("/v1/search", &json!({"query": "badgers"})).ok(200);
    let threads = || std::fs::read_dir(format!("/proc/{}/task", server.id())).map(Iterator::count);
    let before = threads().unwrap_or(0);
    let task = json!({"company_id": "default", "query": "How long did the badgers sleep?"});
    let task = server.post("/collections/default/rag/query", &task).ok(202);
    let path = task["stream_url"].as_str().expect("an address").to_owned();
    let streams: Vec<_> = (0..300)
        .map(|_| {
            let mut stream = server.connect();
            let head =
                format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
            stream.write_all(head.as_bytes()).expect("sent");
            stream
        })
        .collect();
    // Each was told of the stages before the model, and of nothing after it.
    let open = |stream: &TcpStream| {
        let mut seen = [0; 4096];
        let count = stream.peek(&mut seen).expect("open");
        let text = String::from_utf8_lossy(&seen[..count]).into_owned();
        assert!(!text.contains("event: answer"), "{text}");
        text.contains("\"stage\":\"rerank\"")
    };
    let started = Instant::now();
    while !streams.iter().all(open) {
        assert!(started.elapsed() < Duration::from_mins(1), "not all are served");
        sleep(Duration::from_millis(20));
    }
    let during = threads().unwrap_or(0);
    assert!(during < before + 100, "{before} threads, then {during}");
    answered.store(true, Ordering::SeqCst);
    for stream in streams {
        let events = receive(stream).events();
        assert_eq!(events.last().map(|(name, _)| name.as_str()), Some("answer"), "{events:?}");
    }
}
