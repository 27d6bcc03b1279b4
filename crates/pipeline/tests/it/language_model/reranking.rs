//! Reranking by a language model: long lists, replies that are corrected, and failures.

use crate::language_model::world::{QUESTION, World, rows};
use serde_json::{Value, json};
use testkit::{ChatServer, Step, reply};

const LLM: &str = "rerank.method = \"llm\"";

#[test]
fn a_failure_falls_back_aloud_and_is_counted() {
    let Some(world) = World::new() else { return };
    // Only the second question cannot be reranked.
    let server = ChatServer::answering(|request| {
        if request.schema() == reply::RERANK && !request.user().contains("(1)") {
            Step::said("I cannot grade these.")
        } else {
            reply::good(request)
        }
    });
    world.settings(&server.base_url(), &[LLM]);
    let (code, answer, _) = world.json(&["ask", QUESTION]);
    assert_eq!((code, &answer["fallbacks"]), (0, &json!(["rerank"])), "{answer}");
    assert!(answer["caveats"].to_string().contains("reranked by sentence because llm:m failed"), "{answer}");
    let record = world.log().pop().expect("a record");
    assert_eq!(
        (&record["fallbacks"], &record["models"]["reranker"]),
        (&json!(["rerank"]), &json!("sentence")),
        "{record}"
    );

    let (code, run, stderr) = world.eval(3);
    assert_eq!(code, 0, "{stderr}");
    let fell_back: Vec<&Value> = rows(&run).iter().map(|row| &row["fallbacks"]).collect();
    assert_eq!(fell_back, [&Value::Null, &json!(["rerank"]), &json!(["rerank"])], "{run}");
    world.settings(&server.base_url(), &[LLM, "rerank.on_failure = \"error\""]);
    world
        .run(&["ask", QUESTION])
        .fails_with(2, &["2 replies that do not grade the candidates", "rerank.on_failure"]);
}
