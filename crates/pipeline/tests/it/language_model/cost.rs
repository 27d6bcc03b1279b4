//! Calls that are not made twice, that are planned, and that are paid for only up to a limit.

use crate::language_model::world::{World, rows};
use serde_json::{Value, json};
use testkit::{ChatServer, Step, reply};

const CACHED: &str = "llm.cache = \"on\"";
const JUDGED: &str = "eval.judge = \"llm\"";

/// Rows without what a call costs and how long it takes.
fn answers(document: &Value) -> Vec<Value> {
    let mut rows = rows(document).to_vec();
    for row in &mut rows {
        let row = row.as_object_mut().expect("a row");
        for key in ["usage", "latency_ms"] {
            row.shift_remove(key);
        }
    }
    rows
}

#[test]
fn a_second_evaluation_makes_no_call_and_gives_the_same_rows() {
    let Some(world) = World::new() else { return };
    // The first answer breaks the schema, so that it is asked for twice.
    let server = ChatServer::answering(|request| {
        if request.number == 0 { Step::said("{\"answer\": ") } else { reply::good(request) }
    });
    world.settings(&server.base_url(), &[CACHED, JUDGED, "eval.workers = 1"]);
    let (code, first, _) = world.eval(3);
    assert_eq!(code, 0, "{first}");
    let asked = server.requests().len();
    assert_eq!(asked, 7, "three answers, three verdicts and a correction");
    let (code, second, _) = world.eval(3);
    assert_eq!((code, server.requests().len()), (0, asked), "{second}");
    assert_eq!(answers(&first), answers(&second));
    assert_eq!(rows(&second)[0]["usage"], Value::Null, "nothing was spent");
    let ran = world.run(&["eval", "--mode", "hybrid", "--queries", "queries.jsonl"]);
    assert!(
        ran.stdout().contains("7 calls to language models, 7 answered from the cache"),
        "{}",
        ran.stdout()
    );

    // Asked again on request.
    let ran = world.run(&["eval", "--mode", "hybrid", "--queries", "queries.jsonl", "--no-cache"]);
    assert_eq!((ran.code(), server.requests().len()), (0, asked + 6));
}

#[test]
fn a_dry_run_counts_calls_and_sends_nothing() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(reply::good);
    let priced = ["llm.price_input = 1.0", "llm.price_output = 4.0"];
    world.settings(
        &server.base_url(),
        &[&[CACHED, JUDGED, "rerank.method = \"llm\"", "guardrail.verify = \"auto\""], priced.as_slice()]
            .concat(),
    );
    let planned = |world: &World| {
        let queries = world.queries(3);
        world.done(&["eval", "--mode", "both", "--queries", queries, "--dry-run"])
    };
    let plan = planned(&world);
    assert_eq!(server.requests().len(), 0, "nothing is sent");
    assert!(world.log().is_empty() && world.place.files("logs").is_empty(), "nothing is written");
    assert_eq!(
        (&plan["rows"], &plan["generated"], &plan["cached"]),
        (&json!(6), &json!(6), &json!(0)),
        "{plan}"
    );
    let stages = plan["stages"].as_array().expect("stages");
    let calls: Vec<_> =
        stages.iter().map(|stage| (stage["stage"].as_str(), stage["calls"].as_u64())).collect();
    assert_eq!(
        calls,
        [
            (Some("generate"), Some(6)),
            (Some("judge"), Some(6)),
            (Some("rerank"), Some(6)),
            (Some("verify"), Some(6))
        ]
    );
    let number = |value: &Value| value.as_f64().expect("a number");
    let sum = |key: &str| stages.iter().map(|stage| number(&stage[key])).sum::<f64>();
    let cost = sum("prompt_tokens") / 1e6;
    assert!((number(&plan["prompt_cost"]) - cost).abs() < 1e-9, "{plan}");
    assert!(number(&plan["cost_at_most"]) > cost);

    // What was asked since is in the cache.
    let (code, _, _) = world.json(&["eval", "--mode", "both", "--queries", "queries.jsonl"]);
    assert_eq!(code, 0);
    let real = server.requests().len();
    // Both modes give the same answers, which are verified once.
    assert_eq!(real, 24 - 3, "the plan was right");
    let plan = planned(&world);
    assert_eq!((&plan["cached"], &plan["stages"]), (&json!(24), &json!([])), "{plan}");
    assert_eq!(server.requests().len(), real);
    let text = world.run(&["eval", "--queries", "queries.jsonl", "--dry-run", "--no-cache"]).stdout();
    assert!(text.contains("the prompts cost $"), "{text}");
}

#[test]
fn a_dry_run_without_a_model_costs_nothing() {
    let Some(world) = World::new() else { return };
    world.settings("http://127.0.0.1:9/v1", &["generate.method = \"extractive\""]);
    let queries = world.queries(2);
    let text = world.run(&["eval", "--queries", queries, "--dry-run"]).stdout();
    assert!(text.contains("costs nothing"), "{text}");
}

#[test]
fn a_run_stops_before_it_costs_too_much_and_goes_on_later() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(|request| match reply::good(request) {
        Step::Answer { .. } => Step::completion(&reply::answer(request).to_string(), "stop", (500, 100)),
        other => other,
    });
    let settings =
        ["eval.workers = 1", "llm.max_tokens = 100", "llm.price_input = 1000.0", "llm.price_output = 0.0"];
    world.settings(&server.base_url(), &settings);
    let queries = world.queries(4);
    // Each call costs $0.50, and at most about $2 by the length of its prompt.
    let ran = world.run(&["eval", "--mode", "hybrid", "--queries", queries, "--max-cost", "2.6"]);
    assert_eq!(ran.code(), 2, "{}", ran.stdout());
    assert!(ran.stderr().contains("--max-cost") && ran.stderr().contains("$2.60"), "{}", ran.stderr());
    let asked = server.requests().len();
    assert!((1..4).contains(&asked), "{asked}");
    assert!(world.can_resume());
    let (code, document, _) =
        world.json(&["eval", "--mode", "hybrid", "--queries", queries, "--max-cost", "9"]);
    assert_eq!((code, rows(&document).len(), server.requests().len()), (0, 4, 4), "{document}");
    let markdown = std::fs::read_dir(world.place.path("logs/reports")).expect("reports").flatten();
    let report =
        markdown.map(|entry| entry.path().join("report.md")).find(|path| path.exists()).expect("a report");
    let report = std::fs::read_to_string(report).expect("a report");
    assert!(report.contains("Total cost: \\$2.00."), "{report}");

    world.settings("https://models.example/v1", &[]);
    let ran = world.run(&["eval", "--queries", queries, "--max-cost", "1"]);
    assert!(ran.code() == 2 && ran.stderr().contains("llm.price_input"), "{}", ran.stderr());
}
