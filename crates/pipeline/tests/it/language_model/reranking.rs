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
fn a_long_list_is_reranked_in_windows_and_a_dry_run_counts_them() {
    let Some(world) = World::new() else { return };
    add_long_paper(&world);
    let server = ChatServer::answering(reply::good);
    let calls = |more: &[&str]| {
        world.settings(&server.base_url(), &[&[LLM], more].concat());
        let before = of_schema(&server, reply::RERANK).len();
        let (code, answer, _) = world.json(&["ask", QUESTION]);
        assert_eq!(code, 0, "{answer}");
        (of_schema(&server, reply::RERANK).split_off(before), answer)
    };
    // As shipped, the candidates of a question fit one call.
    let (one, answer) = calls(&[]);
    assert_eq!(one.len(), 1);
    assert!(!answer["caveats"].to_string().contains("rerank."), "{answer}");
    let candidates = reply::excerpts(&one[0]).len();
    assert!(candidates > 4, "{candidates}");

    let small = "rerank.window_tokens = 2500";
    let (several, answer) = calls(&[small]);
    assert!(several.len() > 1, "{}", several.len());
    let shown: usize = several.iter().map(|request| reply::excerpts(request).len()).sum();
    assert_eq!(shown, candidates, "each candidate is in one window");
    assert_eq!(
        (&answer["fallbacks"], &answer["usage"]["requests"]),
        (&Value::Null, &json!(several.len() + 1)),
        "{answer}"
    );

    let queries = world.queries(1);
    let (code, planned, _) = world.json(&["eval", "--mode", "hybrid", "--queries", queries, "--dry-run"]);
    assert_eq!(code, 0, "{planned}");
    let before = of_schema(&server, reply::RERANK).len();
    let (code, run, _) = world.json(&["eval", "--mode", "hybrid", "--queries", queries]);
    assert_eq!(code, 0, "{run}");
    let made = of_schema(&server, reply::RERANK).len() - before;
    let stages = planned["stages"].as_array().expect("stages");
    let rerank = stages.iter().find(|stage| stage["stage"] == "rerank");
    assert_eq!(
        rerank.map(|stage| &stage["calls"]),
        Some(&json!(made)),
        "{planned}"
    );
    assert!(made > 1);

    // One chunk alone is longer than a window: a section is one chunk now.
    let model = world.place.model(1);
    let (code, summary) = world.place.json(&[
        "ingest",
        "papers",
        "--set",
        &model,
        "--set",
        "chunk.max_tokens=1500",
    ]);
    assert_eq!(code, 0, "{summary}");
    let (_, answer) = calls(&["rerank.window_tokens = 2000"]);
    assert!(
        answer["caveats"]
            .to_string()
            .contains("raise rerank.window_tokens"),
        "{answer}"
    );
}

#[test]
fn a_reply_that_breaks_the_schema_is_corrected_once() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(|request| {
        if request.number == 0 {
            Step::said("{\"scores\": [7, 3]}")
        } else {
            reply::good(request)
        }
    });
    world.settings(&server.base_url(), &[LLM]);
    let (code, answer, _) = world.json(&["ask", QUESTION]);
    assert_eq!((code, &answer["fallbacks"]), (0, &Value::Null), "{answer}");
    let asked = of_schema(&server, reply::RERANK);
    assert_eq!(asked.len(), 2);
    assert!(
        asked[1]
            .user()
            .contains("Your last reply could not be used: it is not the JSON asked for"),
        "{}",
        asked[1].user()
    );
    assert_eq!(answer["usage"]["failed_requests"], json!(1));
}

#[test]
fn grades_that_are_missing_repeated_or_invented_are_said() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(|request| {
        if request.schema() != reply::RERANK {
            return reply::good(request);
        }
        let grade = |excerpt: i64, relevance: f64| json!({"excerpt": excerpt, "relevance": relevance});
        Step::json(&json!({"scores": [grade(2, 8.0), grade(2, 1.0), grade(77, 9.0), grade(-1, 12.0)]}))
    });
    world.settings(&server.base_url(), &[LLM]);
    let (code, answer, _) = world.json(&["ask", QUESTION]);
    let caveats = answer["caveats"].to_string();
    assert_eq!(code, 0, "{answer}");
    for says in [
        "excerpts without a grade, which count as 0",
        "further grades of a graded excerpt, which do not count: 1",
        "grades of excerpts that do not exist, which were left out: 2",
    ] {
        assert!(caveats.contains(says), "{says}: {caveats}");
    }
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
    assert!(
        answer["caveats"]
            .to_string()
            .contains("reranked by sentence because llm:m failed"),
        "{answer}"
    );
    let record = world.log().pop().expect("a record");
    assert_eq!(
        (&record["fallbacks"], &record["models"]["reranker"]),
        (&json!(["rerank"]), &json!("sentence")),
        "{record}"
    );

    let (code, run, stderr) = world.eval(3);
    assert_eq!(code, 0, "{stderr}");
    let fell_back: Vec<&Value> = rows(&run).iter().map(|row| &row["fallbacks"]).collect();
    assert_eq!(
        fell_back,
        [&Value::Null, &json!(["rerank"]), &json!(["rerank"])],
        "{run}"
    );
    let ran = world.run(&["eval", "--mode", "hybrid", "--queries", "queries.jsonl"]);
    let counted = ran.stdout();
    let line = counted
        .lines()
        .find(|line| line.contains("reranked by the fallback"));
    assert!(line.is_some_and(|line| line.contains("2 rows of 3")), "{counted}");

    world.settings(&server.base_url(), &[LLM, "rerank.on_failure = \"error\""]);
    world.run(&["ask", QUESTION]).fails_with(
        2,
        &["2 replies that do not grade the candidates", "rerank.on_failure"],
    );

    // A server that is down.
    let reranker = format!("llm.grader.base_url = {:?}", refusing_address());
    let more = [
        LLM,
        reranker.as_str(),
        "llm.grader.model = \"g\"",
        "rerank.model = \"grader\"",
    ];
    world.settings(&server.base_url(), &more);
    let (code, answer, _) = world.json(&["ask", QUESTION]);
    assert_eq!((code, &answer["fallbacks"]), (0, &json!(["rerank"])), "{answer}");
}

#[test]
fn a_refused_key_is_an_error_whatever_the_fallback() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(|request| {
        if request.schema() == reply::RERANK {
            Step::error(401, "no")
        } else {
            reply::good(request)
        }
    });
    world.settings(&server.base_url(), &[LLM]);
    world.run(&["ask", QUESTION]).fails_with(2, &["refused the key"]);
    assert_eq!(server.requests().len(), 1);
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
        assert!(
            caveats.contains("chosen offline") && caveats.contains(says),
            "{caveats}"
        );
        let text = answer["answer"].as_str().expect("text");
        assert!(
            text.contains("Walking lowered systolic blood pressure by 12 mmHg"),
            "{text}"
        );
        assert_eq!(answer["usage"]["requests"], json!(requests));
    };
    check(Step::cut_short("{\"parts\": [{\"sen"), 1, "llm.max_tokens");
    check(
        Step::said("Sentence 1, I think."),
        2,
        "do not follow the answer's schema",
    );

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
    assert!(
        words.contains("chosen offline, because the language model failed"),
        "{text}"
    );

    let server = ChatServer::start([Step::error(401, "no")]);
    world.settings(&server.base_url(), &["generate.method = \"select\""]);
    world.run(&["ask", QUESTION]).fails_with(2, &["refused the key"]);
}
