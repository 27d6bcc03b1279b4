//! Reranking by a language model: long lists, replies that are corrected, and failures.

use crate::language_model::world::{QUESTION, World, rows};
use serde_json::{Value, json};
use testkit::{ChatServer, Request, Step, reply};

const LLM: &str = "rerank.method = \"llm\"";

/// Adds a paper that fills several chunks.
fn add_long_paper(world: &World) {
    let section = |number: usize| {
        let sentences: Vec<String> = (1..=40)
            .map(|n| {
                format!(
                    "In group {number} the walking of retired sailors lowered their blood pressure on day {n} of the trial."
                )
            })
            .collect();
        format!("## Part {number}\n\n{}\n\n", sentences.join(" "))
    };
    let text: String = (1..=8).map(section).collect();
    let paper = format!("# A long trial of walking sailors\n\nOlm Vandre\n\n{text}");
    world.place.write("papers/long.md", paper.as_bytes());
    let model = world.place.model(1);
    let (code, summary) = world.place.json(&["ingest", "papers", "--set", &model]);
    assert_eq!((code, &summary["sources"]), (0, &json!(3)), "{summary}");
}

fn of_schema(server: &ChatServer, schema: &str) -> Vec<Request> {
    let mut requests = server.requests();
    requests.retain(|request| request.schema() == schema);
    requests
}

#[test]
fn a_dry_run_counts_the_windows_of_a_long_list() {
    let Some(world) = World::new() else { return };
    add_long_paper(&world);
    let server = ChatServer::answering(reply::good);
    world.settings(&server.base_url(), &[LLM, "rerank.window_tokens = 2500"]);
    let queries = world.queries(1);
    let (code, planned, _) = world.json(&["eval", "--mode", "hybrid", "--queries", queries, "--dry-run"]);
    assert_eq!(code, 0, "{planned}");
    let before = of_schema(&server, reply::RERANK).len();
    let (code, run, _) = world.json(&["eval", "--mode", "hybrid", "--queries", queries]);
    assert_eq!(code, 0, "{run}");
    let made = of_schema(&server, reply::RERANK).len() - before;
    let stages = planned["stages"].as_array().expect("stages");
    let rerank = stages.iter().find(|stage| stage["stage"] == "rerank");
    assert_eq!(rerank.map(|stage| &stage["calls"]), Some(&json!(made)), "{planned}");
    assert!(made > 1);
}

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
