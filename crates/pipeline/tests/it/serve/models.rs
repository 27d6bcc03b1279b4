//! A language model writes the answers and judges them: a fake server answers, and refuses.

use super::{
    client::{Server, animals},
    tenants::key,
};
use crate::common::Place;
use crate::evaluate::judged::{DIMENSIONS, good};
use serde_json::{Value, json};
use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::sleep,
    time::Duration,
};
use testkit::{ChatServer, Step, reply};

const QUESTION: &str = "How long did the badgers sleep?";

/// Settings with the model of this server.
pub(super) fn asking(chat: &ChatServer, more: &str) -> String {
    format!(
        "llm.provider = \"openai\"\nllm.base_url = {:?}\nllm.model = \"m\"\nllm.api_key_env = \"none\"\nllm.max_retries = 0\n\
         guardrail.verify = \"off\"\n{more}",
        chat.base_url()
    )
}

/// A model that answers once the flag is set, and the settings with it in `llm.toml`.
pub(super) fn waiting(place: &Place) -> (ChatServer, Arc<AtomicBool>) {
    let answered = Arc::new(AtomicBool::new(false));
    let until = Arc::clone(&answered);
    let chat = ChatServer::answering(move |request| {
        while !until.load(Ordering::SeqCst) {
            sleep(Duration::from_millis(10));
        }
        reply::good(request)
    });
    place.write("llm.toml", asking(&chat, "").as_bytes());
    (chat, answered)
}

#[test]
fn drafts_are_streamed_and_a_judge_that_is_refused_costs_no_answer() {
    let Some(place) = animals() else { return };
    let chat = ChatServer::answering(|request| {
        if request.schema() != reply::GENERATE {
            return Step::error(429, "slow down");
        }
        let answer = reply::answer(request);
        if request.body["stream"] == true { Step::streamed(&answer) } else { Step::json(&answer) }
    });
    place.write("llm.toml", asking(&chat, "llm.cache = \"off\"\neval.judge = \"llm\"\n").as_bytes());
    let server = Server::start(&place, &["--config", "llm.toml"]);
    let headers = ["Content-Type: application/json", "Accept: text/event-stream"];
    let body = json!({"query": QUESTION}).to_string();
    let events = server.send("POST", "/v1/ask", &headers, body.as_bytes()).events();
    let drafted: String = events
        .iter()
        .filter(|(name, _)| name == "draft")
        .filter_map(|(_, data)| data["text"].as_str())
        .collect();
    let (name, answer) = events.last().expect("events");
    assert_eq!((name.as_str(), &answer["model"]), ("answer", &json!("m")), "{events:?}");
    let quote = answer["citations"][0]["relevant_quote"].as_str().expect("a quote");
    let quote = quote.trim_end_matches('.');
    assert!(drafted.contains(quote), "{drafted:?} is not {quote:?}");
    let at = |wanted: &str| events.iter().position(|(name, data)| name == wanted || data["stage"] == wanted);
    assert!(at("retrieve") < at("draft") && at("draft") < at("generate"), "{events:?}");
    // The judge is refused: the overview is there, the scores say why they are not.
    let asked = json!({"question": QUESTION, "overview_only": true, "include_rag_evaluation": true});
    let found = server.post("/api/search/", &asked);
    assert_eq!(found.headers["x-judge"], "m");
    let found = found.ok(200);
    assert!(found["overview"].as_str().is_some_and(|text| text.contains(quote)), "{found}");
    let judged = &found["rag_evaluation"];
    for part in ["relevance", "groundedness"] {
        let why = judged[part]["explanation"].as_str().unwrap_or_default();
        assert_eq!(why, "N/A: the judge is rate-limited", "{found}");
        assert_eq!(judged[part]["score"], Value::Null, "{found}");
    }
    assert_eq!(judged["overall_pass"], Value::Null);
    assert_eq!(found["accuracy_metrics"]["citation_verification"]["verification_rate"], 1.0, "{found}");
    let asked = chat.requests().len();
    let plain = json!({"question": QUESTION, "overview_only": true});
    server.post("/api/search/", &plain).ok(200);
    assert_eq!(chat.requests().len(), asked + 1, "no judge is asked unless the client asks for one");
    let record =
        json!({"company_id": "ac", "question": "q", "answer": "Mice ran.", "contexts": ["Mice ran."]});
    let kept = server.post("/collections/c/rag/evaluate", &record).ok(200);
    assert_eq!(kept["metrics"]["faithfulness"], Value::Null, "{kept}");
    let records = server.get("/collections/c/rag/evaluation/records?company_id=ac");
    // Where the model is and how it is reached, the log says.
    assert!(!records.body.contains(&chat.base_url()), "{records:?}");
    let log = std::fs::read_to_string(place.path("server.log")).expect("a log");
    assert!(log.contains("\"what\":\"judge\"") && log.contains(&chat.base_url()), "{log}");
}

#[test]
fn a_judge_that_cannot_be_loaded_costs_no_answer() {
    let Some(place) = animals() else { return };
    let sets = [
        "eval.judge=llm",
        "generate.method=extractive",
        "llm.provider=openai",
        "llm.model=m",
        "llm.api_key_file=gone",
    ];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let server = Server::start(&place, &sets);
    let asked = json!({"question": QUESTION, "overview_only": true, "include_rag_evaluation": true});
    let found = server.post("/api/search/", &asked).ok(200);
    assert!(found["overview"].as_str().is_some_and(|text| text.contains("3 hours")), "{found}");
    let judged = &found["rag_evaluation"];
    let cannot = json!({"score": null, "explanation": "N/A: the judge cannot be used"});
    assert_eq!((&judged["groundedness"], &judged["overall_pass"]), (&cannot, &Value::Null), "{found}");
}

/// Who is answered at once could tell what another tenant asked.
#[test]
fn a_tenant_is_not_answered_from_the_cache_of_another() {
    let Some(place) = animals() else { return };
    let chat = ChatServer::answering(|request| {
        let judged = DIMENSIONS.iter().any(|(name, ..)| *name == request.schema());
        if judged { good(request) } else { reply::good(request) }
    });
    place.write("llm.toml", asking(&chat, "rerank.method = \"llm\"\neval.judge = \"llm\"\n").as_bytes());
    let keys = ["default", "north", "south"].map(|tenant| key(&place, tenant, "write"));
    let server = Server::start(&place, &["--config", "llm.toml"]);
    let paper = b"# Weasels\n\n## Results\n\nThe weasels slept under the bridge for 9 hours.\n".as_slice();
    let scored =
        json!({"query": "How far?", "response": "Two miles.", "retrieved_docs": ["They walked two miles."]});
    let row = json!([{"user_input": "How far?", "response": "Four.", "retrieved_contexts": ["They walked four miles."]}]);
    let question = json!({"query": "How long did the weasels sleep?"});
    let mut sent = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        let ended = |job: &Value| server.ended_of(key, job);
        if at > 0 {
            let header = format!("Authorization: Bearer {key}");
            let job = server.upload("/v1/ingest", &[("weasels.md", paper)], &[&header]);
            ended(&job.ok(202));
        }
        let requests = || -> [usize; 3] {
            let requests = chat.requests();
            let of = |schema: &str| requests.iter().filter(|one| one.schema() == schema).count();
            let judged = DIMENSIONS.iter().map(|(name, ..)| of(name)).sum();
            [of(reply::GENERATE), of(reply::RERANK), judged]
        };
        let ask = || {
            let before = requests();
            server.with_key(key, "POST", "/v1/ask", &question).ok(200);
            let quick = requests()[2];
            server.with_key(key, "POST", "/api/evaluate/", &scored).ok(200);
            let quick = requests()[2] - quick;
            assert!([0, 2].contains(&quick), "relevance and groundedness are two calls, not {quick}");
            ended(&server.with_key(key, "POST", "/v1/evaluate", &row).ok(202));
            let after = requests();
            [0, 1, 2].map(|at| after[at] - before[at])
        };
        let first = ask();
        assert!(!first.contains(&0), "{first:?}");
        sent.push(first);
        assert_eq!(ask(), [0; 3], "a tenant is answered from its own cache");
    }
    // The first tenant has other papers, and the same answers to judge.
    assert_eq!((sent[1], sent[1][2]), (sent[2], sent[0][2]), "{sent:?}");
    for folder in
        ["logs/llm_cache", "server-data/companies/north/llm.cache", "server-data/companies/south/llm.cache"]
    {
        assert!(fs::read_dir(place.path(folder)).is_ok_and(|mut all| all.next().is_some()), "{folder}");
    }
}

#[test]
fn what_a_provider_repeats_of_a_question_is_not_in_the_log() {
    let Some(place) = animals() else { return };
    let chat =
        ChatServer::answering(|request| Step::error(400, &format!("this is no request: {}", request.user())));
    place.write("llm.toml", asking(&chat, "llm.cache = \"off\"\n").as_bytes());
    let server = Server::start(&place, &["--config", "llm.toml"]);
    server.post("/v1/ask", &json!({ "query": QUESTION })).fails(502, "language_model");
    assert_eq!(server.signal("TERM"), Some(0));
    let log = fs::read_to_string(place.path("server.log")).expect("a log");
    assert!(log.contains("this is no request") && log.contains("HTTP 400"), "{log}");
    for private in ["did the badgers sleep", "under hedges"] {
        assert!(!log.contains(private), "{log}");
    }
}
