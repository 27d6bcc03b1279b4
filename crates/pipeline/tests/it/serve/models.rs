//! A language model writes the answers and judges them: a fake server answers, and refuses.

use super::client::{Server, animals};
use serde_json::{Value, json};
use testkit::{ChatServer, Step, reply};

const QUESTION: &str = "How long did the badgers sleep?";

#[test]
fn drafts_are_streamed_and_a_judge_that_is_refused_costs_no_answer() {
    let Some(place) = animals() else { return };
    let chat = ChatServer::answering(|request| {
        if request.schema() != reply::GENERATE {
            return Step::error(429, "slow down");
        }
        let answer = reply::answer(request);
        if request.body["stream"] == true {
            Step::streamed(&answer)
        } else {
            Step::json(&answer)
        }
    });
    let settings = format!(
        "llm.provider = \"openai\"\nllm.base_url = {:?}\nllm.model = \"m\"\nllm.api_key_env = \"none\"\nllm.max_retries = 0\n\
         llm.cache = \"off\"\nguardrail.verify = \"off\"\neval.judge = \"llm\"\n",
        chat.base_url()
    );
    place.write("llm.toml", settings.as_bytes());
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
    assert_eq!(
        (name.as_str(), &answer["model"]),
        ("answer", &json!("m")),
        "{events:?}"
    );
    let quote = answer["citations"][0]["relevant_quote"]
        .as_str()
        .expect("a quote");
    let quote = quote.trim_end_matches('.');
    assert!(drafted.contains(quote), "{drafted:?} is not {quote:?}");
    let at = |wanted: &str| {
        events
            .iter()
            .position(|(name, data)| name == wanted || data["stage"] == wanted)
    };
    assert!(
        at("retrieve") < at("draft") && at("draft") < at("generate"),
        "{events:?}"
    );
    // The judge is refused: the overview is there, the scores say why they are not.
    let asked = json!({"question": QUESTION, "overview_only": true, "include_rag_evaluation": true});
    let found = server.post("/api/search/", &asked);
    assert_eq!(found.headers["x-judge"], "m");
    let found = found.ok(200);
    assert!(
        found["overview"]
            .as_str()
            .is_some_and(|text| text.contains(quote)),
        "{found}"
    );
    let judged = &found["rag_evaluation"];
    for part in ["relevance", "groundedness"] {
        let why = judged[part]["explanation"].as_str().unwrap_or_default();
        assert_eq!(why, "N/A: the judge is rate-limited", "{found}");
        assert_eq!(judged[part]["score"], Value::Null, "{found}");
    }
    assert_eq!(judged["overall_pass"], Value::Null);
    assert_eq!(
        found["accuracy_metrics"]["citation_verification"]["verification_rate"], 1.0,
        "{found}"
    );
    let asked = chat.requests().len();
    let plain = json!({"question": QUESTION, "overview_only": true});
    server.post("/api/search/", &plain).ok(200);
    assert_eq!(
        chat.requests().len(),
        asked + 1,
        "no judge is asked unless the client asks for one"
    );
    let record =
        json!({"company_id": "ac", "question": "q", "answer": "Mice ran.", "contexts": ["Mice ran."]});
    let kept = server.post("/collections/c/rag/evaluate", &record).ok(200);
    assert_eq!(kept["metrics"]["faithfulness"], Value::Null, "{kept}");
    let records = server.get("/collections/c/rag/evaluation/records?company_id=ac");
    // Where the model is and how it is reached, the log says.
    assert!(!records.body.contains(&chat.base_url()), "{records:?}");
    let log = std::fs::read_to_string(place.path("server.log")).expect("a log");
    assert!(
        log.contains("\"what\":\"judge\"") && log.contains(&chat.base_url()),
        "{log}"
    );
}

#[test]
fn a_judge_that_cannot_be_loaded_costs_no_answer() {
    let Some(place) = animals() else { return };
    let server = Server::start(
        &place,
        &["--set", "eval.judge=nli", "--set", "eval.nli_model=gone"],
    );
    let plain = json!({"question": QUESTION, "overview_only": true});
    let plain = server.post("/api/search/", &plain).ok(200);
    let asked = json!({"question": QUESTION, "overview_only": true, "include_rag_evaluation": true});
    let found = server.post("/api/search/", &asked).ok(200);
    assert_eq!(
        (&found["overview"], &found["accuracy_metrics"]),
        (&plain["overview"], &plain["accuracy_metrics"])
    );
    let judged = &found["rag_evaluation"];
    assert_eq!(
        judged["groundedness"],
        json!({"score": null, "explanation": "N/A: the judge cannot be used"}),
        "{found}"
    );
    assert_eq!(judged["overall_pass"], Value::Null);
}
