//! Uploads, jobs and indexes that change while the server runs, and servers that end.

use super::{
    client::{Answer, Server, animals, send_signal},
    models::asking,
};
use crate::common::Place;
use serde_json::{Value, json};
use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{ScopedJoinHandle, scope, sleep},
    time::Duration,
};
use testkit::{ChatServer, Request, reply};

fn paper(animal: &str, hours: usize) -> Vec<u8> {
    format!("# A year with {animal}\n\n## Results\n\nThe {animal} slept under bridges for {hours} hours.\n")
        .into_bytes()
}

#[test]
fn an_uploaded_paper_answers_and_a_renewed_index_fails_no_request() {
    let Some(place) = animals() else { return };
    let server = Server::start(&place, &[]);
    server.post("/v1/ask", &json!({"query": "How long did the weasels sleep?"})).ok(200);
    let (ended, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                while !ended.load(Ordering::SeqCst) {
                    let found =
                        server.post("/v1/search", &json!({"query": "badgers", "mode": "bm25"})).ok(200);
                    assert_eq!(found["hits"][0]["source_id"], "badgers_2020");
                    asked.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        let answer = server.upload("/v1/ingest", &[("weasels.md", &paper("weasels", 9))], &[]).ok(202);
        let job = server.ended(&answer["id"]);
        assert_eq!((&job["status"], &job["result"]["added"]), (&json!("done"), &json!(1)), "{job}");
        assert!(!job.to_string().contains("server-data"), "{job}");
        let answered = server.post("/v1/ask", &json!({"query": "How long did the weasels sleep?"})).ok(200);
        assert!(answered["answer"].as_str().is_some_and(|text| text.contains("9 hours")), "{answered}");
        // By the command, beside the server.
        for (at, animal) in ["newts", "voles", "rooks"].into_iter().enumerate() {
            place.write(&format!("papers/{animal}.md"), &paper(animal, at + 20));
            assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
            server.until("/readyz", |ready| ready["papers"] == 10 + at);
        }
        ended.store(true, Ordering::SeqCst);
    });
    assert!(asked.load(Ordering::SeqCst) > 20, "{asked:?}");
    let sources = server.get("/v1/papers").ok(200);
    assert_eq!(sources["sources"].as_array().map(Vec::len), Some(12));
}

#[test]
fn a_server_without_papers_says_so_and_takes_some() {
    let Some(place) = Place::with_natives() else { return };
    let server = Server::start(&place, &[]);
    assert_eq!(server.get("/readyz").ok(200)["status"], "no papers");
    server.post("/v1/ask", &json!({"query": "weasels"})).fails(404, "no_papers");
    server.get("/v1/papers").fails(404, "no_papers");
    let none = server.upload("/v1/ingest", &[], &[]);
    assert!(none.status == 422 || none.status == 400, "{none:?}");
    for (name, bytes) in
        [("../weasels.pdf", b"no PDF".as_slice()), ("weasels.md", b"%PDF-1.4"), ("weasels", b"# W")]
    {
        let refused = server.upload("/v1/ingest", &[(name, bytes)], &[]);
        assert_eq!(refused.status, 415, "{refused:?}");
    }
    let answer = server.upload("/v1/ingest", &[("../../weasels.md", &paper("weasels", 9))], &[]).ok(202);
    assert_eq!(server.ended(&answer["id"])["status"], "done");
    assert!(place.files("server-data").contains(&"companies/default/default/papers/weasels.md".to_owned()));
    assert_eq!(server.get("/readyz").ok(200)["papers"], 1);
    server.post("/collections/empty/rag/initialize", &json!({"company_id": "ac"})).fails(404, "not_found");
}

/// Kills the server a few times, or as often as `PIPELINE_TEST_KILLS` says, each time while requests are on their way.
#[test]
fn what_was_acknowledged_survives_a_killed_server() {
    let Some(place) = animals() else { return };
    let kills = std::env::var("PIPELINE_TEST_KILLS").map_or(4, |text| text.parse().expect("a number"));
    let rows = json!([{"user_input": "How far?", "response": "Two miles.", "retrieved_contexts": ["They walked two miles."]}]);
    let record = json!({"company_id": "ac", "question": "q", "answer": "a", "contexts": ["a"]});
    let task = json!({"company_id": "default", "query": "How long did the badgers sleep?"});
    let jobs: Mutex<Vec<(Value, &str)>> = Mutex::default();
    let papers: Mutex<Vec<String>> = Mutex::default();
    let streams: Mutex<Vec<(String, Answer)>> = Mutex::default();
    let known = |job: &Value, kind| jobs.lock().expect("a list").push((job.clone(), kind));
    let records = AtomicUsize::new(0);
    let mut server = Server::start(&place, &[]);
    for at in 0..kills {
        let pause = RandomState::new().hash_one(at) % 1500;
        scope(|threads| {
            let server = &server;
            // What is killed before it answers has acknowledged nothing, and its thread panics.
            let requests = [
                threads.spawn(|| {
                    let (name, file) = (format!("p{at}"), format!("p{at}.md"));
                    let answer = server.upload("/v1/ingest", &[(&file, &paper(&name, 20))], &[]);
                    known(&answer.ok(202)["id"], "ingest");
                    papers.lock().expect("a list").push(name);
                }),
                threads.spawn(|| known(&server.post("/v1/evaluate", &rows).ok(202)["id"], "evaluate")),
                threads.spawn(|| {
                    server.post("/collections/col/rag/evaluate", &record).ok(200);
                    records.fetch_add(1, Ordering::SeqCst);
                }),
                threads.spawn(|| {
                    let task = server.post("/collections/default/rag/query", &task).ok(202);
                    known(&task["task_id"], "query");
                    let path = task["stream_url"].as_str().expect("an address").to_owned();
                    let mut seen = server.get(&path);
                    seen.body.truncate(seen.body.rfind("\n\n").unwrap_or(0));
                    streams.lock().expect("a list").push((path, seen));
                }),
            ];
            let wait = |request: ScopedJoinHandle<'_, ()>| request.join().is_ok();
            if at == 0 {
                assert_eq!(requests.map(wait), [true; 4], "all are acknowledged");
                send_signal("KILL", server.id());
            } else {
                sleep(Duration::from_millis(pause));
                send_signal("KILL", server.id());
                let _ = requests.map(wait);
            }
        });
        assert_eq!(server.wait(), None);
        server = Server::start(&place, &[]);
    }
    let jobs = jobs.into_inner().expect("a list");
    let papers = papers.into_inner().expect("a list");
    let streams = streams.into_inner().expect("a list");
    for (id, kind) in &jobs {
        let job = server.ended(id);
        assert_eq!((&job["status"], &job["kind"]), (&json!("done"), &json!(kind)), "{job}");
    }
    for paper in &papers {
        server.get(&format!("/v1/papers/{paper}")).ok(200);
    }
    let records_of = server.get("/collections/col/rag/evaluation/records?company_id=ac&limit=1000");
    let (kept, known) = (records_of.json()["total"].as_u64().unwrap_or(0) as usize, records.into_inner());
    assert!((known..=kills).contains(&kept), "{kept} records, {known} acknowledged");
    let mut seen_before = 0;
    for (path, seen) in &streams {
        let (seen, whole) = (seen.events(), server.get(path).events());
        assert!(whole.starts_with(&seen), "{seen:?} and then {whole:?}");
        let last = whole.last().map(|(name, _)| name.as_str());
        assert_eq!(last, Some("answer"), "{whole:?}");
        seen_before += seen.len();
    }
    println!(
        "{kills} kills; kept: {} jobs, {} papers, {known} records, {seen_before} events of {} streams",
        jobs.len(),
        papers.len(),
        streams.len()
    );
}

#[test]
fn a_server_ends_in_order_and_its_state_can_be_copied() {
    let Some(place) = animals() else { return };
    // Answers nobody before `stopping`, and no question about otters before `restarted`.
    let (stopping, restarted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (before, after) = (Arc::clone(&stopping), Arc::clone(&restarted));
    let chat = ChatServer::answering(move |request: &Request| {
        let until = if request.user().contains("did the otters sleep") { &after } else { &before };
        while !until.load(Ordering::SeqCst) {
            sleep(Duration::from_millis(10));
        }
        reply::good(request)
    });
    place.write("llm.toml", asking(&chat, "eval.judge = \"lexical\"\n").as_bytes());
    let server = Server::start(&place, &["--config", "llm.toml"]);
    let record = json!({"company_id": "ac", "question": "q", "answer": "a", "contexts": ["a"]});
    server.post("/collections/col/rag/evaluate", &record).ok(200);
    // While the server runs.
    assert_eq!(place.run(&["serve", "backup", "copy.sqlite"]).code(), 0);
    place.run(&["serve", "backup", "copy.sqlite"]).fails_with(2, &["cannot write copy.sqlite"]);
    let papers: Vec<(String, Vec<u8>)> =
        (0..30).map(|at| (format!("p{at}.md"), paper("weasels", at))).collect();
    let papers: Vec<(&str, &[u8])> =
        papers.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let job = server.upload("/v1/ingest", &papers, &[]).ok(202);
    let task = json!({"company_id": "default", "query": "How long did the otters sleep?"});
    let task = server.post("/collections/default/rag/query", &task).ok(202);
    scope(|threads| {
        let ask = || server.post("/v1/ask", &json!({"query": "How long did the badgers sleep?"}));
        let asked = threads.spawn(ask);
        chat.wait_until("both are asked", |chat| chat.requests().len() > 1);
        send_signal("TERM", server.id());
        sleep(Duration::from_millis(200));
        stopping.store(true, Ordering::SeqCst);
        // What was on its way is answered.
        assert_eq!(asked.join().expect("answered").ok(200)["model"], "m");
    });
    assert_eq!(server.wait(), Some(0));
    // Its job was given back and not only left.
    assert_eq!(place.run(&["serve", "backup", "ended.sqlite"]).code(), 0);
    let state = std::fs::read(place.path("ended.sqlite")).expect("a copy");
    let has = |word: &[u8]| state.windows(word.len()).any(|part| part == word);
    assert!(has(b"queued") && !has(b"running"));
    restarted.store(true, Ordering::SeqCst);
    let server = Server::start(&place, &["--config", "llm.toml"]);
    for id in [&job["id"], &task["task_id"]] {
        let job = server.ended(id);
        assert_eq!(job["status"], "done", "{job}");
    }
    assert_eq!(server.signal("INT"), Some(0));
    place.write("restored/state.sqlite", &std::fs::read(place.path("copy.sqlite")).expect("a copy"));
    let server = Server::start(&place, &["--data", "restored"]);
    let records = server.get("/collections/col/rag/evaluation/records?company_id=ac").ok(200);
    assert_eq!(
        (&records["total"], server.get("/v1/history").ok(200)["questions"].as_array().map(Vec::len)),
        (&json!(1), Some(0))
    );
}

#[test]
fn a_server_that_has_just_started_ends_when_it_is_asked_to() {
    let Some(place) = animals() else { return };
    for pause in [0, 40, 150] {
        let server = Server::start(&place, &[]);
        sleep(Duration::from_millis(pause));
        assert_eq!(server.signal("TERM"), Some(0), "after {pause} ms");
    }
}
