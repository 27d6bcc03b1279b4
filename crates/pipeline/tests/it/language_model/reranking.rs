//! Reranking by a language model: long lists, replies that are corrected, and failures.

use crate::language_model::world::{QUESTION, World, rows};
use serde_json::{Value, json};
use testkit::{ChatServer, Request, Step, refusing_address, reply};

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
    let ran = world.run(&["eval", "--mode", "hybrid", "--queries", "queries.jsonl"]);
    let counted = ran.stdout();
    let line = counted.lines().find(|line| line.contains("reranked by the fallback"));
    assert!(line.is_some_and(|line| line.contains("2 rows of 3")), "{counted}");

    world.settings(&server.base_url(), &[LLM, "rerank.on_failure = \"error\""]);
    world
        .run(&["ask", QUESTION])
        .fails_with(2, &["2 replies that do not grade the candidates", "rerank.on_failure"]);

    // A server that is down.
    let reranker = format!("llm.grader.base_url = {:?}", refusing_address());
    let more = [LLM, reranker.as_str(), "llm.grader.model = \"g\"", "rerank.model = \"grader\""];
    world.settings(&server.base_url(), &more);
    let (code, answer, _) = world.json(&["ask", QUESTION]);
    assert_eq!((code, &answer["fallbacks"]), (0, &json!(["rerank"])), "{answer}");
}

#[test]
fn a_choice_of_sentences_that_cannot_be_used_is_made_offline() {
    let Some(world) = World::new() else { return };
    let check = |step: Step, requests: usize, says: &str| {
        let server = ChatServer::start([step]);
        world.settings(&server.base_url(), &["generate.method = \"select\""]);
        let (code, answer, _) = world.json(&["ask", QUESTION]);
        assert_eq!(
            (code, &answer["fallbacks"], server.requests().len()),
            (0, &json!(["generate"]), requests),
            "{answer}"
        );
        let caveats = answer["caveats"].to_string();
        assert!(caveats.contains("chosen offline") && caveats.contains(says), "{caveats}");
        let text = answer["answer"].as_str().expect("text");
        assert!(text.contains("Walking lowered systolic blood pressure by 12 mmHg"), "{text}");
        assert_eq!(answer["usage"]["requests"], json!(requests));
    };
    check(Step::cut_short("{\"parts\": [{\"sen"), 1, "llm.max_tokens");
    check(Step::said("Sentence 1, I think."), 2, "do not follow the answer's schema");

    let server = ChatServer::start([Step::said("Sentence 1, I think.")]);
    world.settings(&server.base_url(), &["generate.method = \"select\""]);
    let queries = world.queries(2);
    let ran = world.run(&["eval", "--mode", "hybrid", "--queries", queries]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert!(
        ran.stdout()
            .lines()
            .any(|line| line.contains("sentences chosen by the fallback") && line.contains("2 rows of 2")),
        "{}",
        ran.stdout()
    );
    let text = world.run(&["ask", QUESTION]).stdout();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("chosen offline, because the language model failed"), "{text}");

    let server = ChatServer::start([Step::error(401, "no")]);
    world.settings(&server.base_url(), &["generate.method = \"select\""]);
    world.run(&["ask", QUESTION]).fails_with(2, &["refused the key"]);
}
