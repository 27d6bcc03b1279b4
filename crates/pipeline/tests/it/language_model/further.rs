//! Further searches that the model asks for.

use crate::language_model::world::{QUESTION, World};
use serde_json::{Value, json};
use testkit::{ChatServer, Request, Step, reply};

const TWO: &str = "generate.further_searches = 2";
/// Only passages with a word of the search are found.
const BY_WORDS: &str = "retrieve.mode = \"bm25\"";
/// Of the two papers, the search for this finds that about sailors.
const CLINIC: &str = "Which people did the harbour clinic study?";
/// Finds the other one.
const BAKERS: &str = "bakers on night shifts";

/// Answers as a model that asks for these searches, and cites the paper about bakers if it is shown.
fn asking(searches: &'static [&'static str]) -> ChatServer {
    ChatServer::answering(move |request| match request.schema() {
        reply::FURTHER => Step::json(&reply::further(searches)),
        reply::GENERATE => citing_bakers(request),
        _ => reply::good(request),
    })
}

fn citing_bakers(request: &Request) -> Step {
    let excerpts = reply::excerpts(request);
    let Some(excerpt) = excerpts.iter().find(|excerpt| excerpt.source_id == "bakers") else {
        return reply::good(request);
    };
    let quote = "Bakers on night shifts slept for five hours and ten minutes on an average working day.";
    let mut answer = reply::answer(request);
    answer["claims"][0] = reply::claim("bakers", &excerpt.chunk_id, quote, quote);
    Step::json(&answer)
}

fn schemas(server: &ChatServer) -> Vec<String> {
    let requests = server.requests();
    requests
        .iter()
        .map(|request| request.schema().to_owned())
        .collect()
}

#[test]
fn a_further_search_finds_what_the_first_one_missed() {
    let Some(world) = World::new() else { return };
    let server = asking(&[
        BAKERS,
        "  ",
        CLINIC,
        "BAKERS on night shifts!",
        "harbour festival",
    ]);
    world.settings(&server.base_url(), &[BY_WORDS]);
    let (code, answer, _) = world.json(&["ask", CLINIC]);
    assert_eq!(
        (code, &answer["citations"][0]["source_id"]),
        (0, &json!("sailors")),
        "{answer}"
    );
    assert_eq!(answer.get("further_searches"), None);
    assert_eq!(
        schemas(&server),
        [reply::GENERATE],
        "by default, the model is not asked"
    );

    world.settings(&server.base_url(), &[BY_WORDS, TWO, "rerank.method = \"llm\""]);
    let (code, answer, _) = world.json(&["ask", CLINIC]);
    assert_eq!(
        (code, &answer["citations"][0]["source_id"]),
        (0, &json!("bakers")),
        "{answer}"
    );
    let searches = &answer["further_searches"];
    assert_eq!(
        searches[0],
        json!({"query": BAKERS, "found": 2, "new": 2, "kept": ["bakers__results__000", "bakers__body__000"]}),
        "{answer}"
    );
    // What it found, the first search had found.
    assert_eq!(
        (&searches[1]["query"], &searches[1]["new"], &searches[1]["kept"]),
        (&json!("harbour festival"), &json!(0), &json!([]))
    );
    assert_eq!(searches.as_array().map(Vec::len), Some(2), "{answer}");
    assert_eq!(
        schemas(&server)[1..],
        [reply::RERANK, reply::FURTHER, reply::RERANK, reply::GENERATE]
    );
    let requests = server.requests();
    assert!(requests[2].user().contains(CLINIC) && !requests[2].user().contains("Bakers"));
    assert!(requests[2].system().contains("at most 2"));
    assert!(
        requests[3].user().contains(CLINIC),
        "reranked for the question as asked"
    );

    let record = world.log().pop().expect("a record");
    assert_eq!(&record["further_searches"], searches);
    let spent = |stage: &str| record["usage_by_stage"][stage]["requests"].clone();
    assert_eq!(
        (spent("rerank"), spent("plan"), spent("generate")),
        (json!(2), json!(1), json!(1))
    );
    assert!(
        record["prompt_version"].to_string().contains("+further-"),
        "{record}"
    );
    let text = world.run(&["ask", CLINIC]).stdout();
    let said = format!("earched also for “{BAKERS}”: 2 found, 2 new, 2 kept");
    assert!(text.replace('\n', " ").contains(&said), "{text}");
    let page = world.run(&["ask", CLINIC, "--format", "markdown"]).stdout();
    assert!(page.contains(&said), "{page}");
}

#[test]
fn an_answered_question_is_not_searched_again() {
    let Some(world) = World::new() else { return };
    for method in ["llm", "select"] {
        let server = ChatServer::answering(|request| match request.schema() {
            reply::FURTHER => Step::json(&json!({"reason": "r", "answered": true, "searches": [BAKERS]})),
            _ => reply::good(request),
        });
        let method = format!("generate.method = {method:?}");
        world.settings(&server.base_url(), &[BY_WORDS, TWO, &method]);
        let (code, answer, _) = world.json(&["ask", CLINIC]);
        assert_eq!((code, answer.get("further_searches")), (0, None), "{answer}");
        assert_eq!(schemas(&server).len(), 2);
        assert_eq!(answer["usage"]["requests"], 2);
    }
    // Without a language model that answers, nothing is asked.
    world.settings(
        "http://127.0.0.1:9/v1",
        &[TWO, "generate.method = \"extractive\""],
    );
    let (code, answer, _) = world.json(&["ask", QUESTION]);
    assert_eq!((code, &answer["usage"]), (0, &Value::Null), "{answer}");
}

#[test]
fn a_question_is_rescued_before_it_is_refused() {
    let Some(world) = World::new() else { return };
    let strange = "Zorblax quintuple?";
    let server = asking(&[BAKERS]);
    world.settings(&server.base_url(), &[BY_WORDS, TWO]);
    let (code, answer, _) = world.json(&["ask", strange]);
    assert_eq!(
        (code, &answer["citations"][0]["source_id"]),
        (0, &json!("bakers")),
        "{answer}"
    );
    assert!(
        !server.requests()[0].user().contains("<excerpt "),
        "nothing was found first"
    );

    // The topic check comes after the second round; the model is asked whatever it says.
    let hedged = |refuse_below: &str| {
        let below = format!("guardrail.refuse_below={refuse_below}");
        let set = ["guardrail.topic=true", "guardrail.partial_below=0.0", &below];
        let set = set.iter().flat_map(|set| ["--set", set]);
        let args: Vec<&str> = ["ask", CLINIC].into_iter().chain(set).collect();
        let before = server.requests().len();
        let (code, answer, _) = world.json(&args);
        assert_eq!((code, &answer["no_evidence"]), (0, &json!(false)), "{answer}");
        assert_eq!(
            schemas(&server).split_off(before).pop().as_deref(),
            Some(reply::GENERATE)
        );
        let record = world.log().pop().expect("a record");
        let answerable = record["topic"]["answerable"].as_f64().expect("a number");
        (
            answer["caveats"].to_string().contains("may not answer"),
            answerable,
        )
    };
    let (doubted, with) = hedged("0.0");
    assert!(!doubted && hedged("1.0").0);
    world.settings(&server.base_url(), &[BY_WORDS]);
    let (_, without) = hedged("0.0");
    assert!(with > without);
    // Between the two, it doubts what the first search found, and not what all of them found.
    let between = f64::midpoint(with, without).to_string();
    assert!(hedged(&between).0);
    world.settings(&server.base_url(), &[BY_WORDS, TWO]);
    assert!(!hedged(&between).0);
}

#[test]
fn a_plan_that_cannot_be_used_is_said_and_the_first_passages_are_used() {
    let Some(world) = World::new() else { return };
    let planning = |step: fn() -> Step| {
        ChatServer::answering(move |request| match request.schema() {
            reply::FURTHER => step(),
            _ => reply::good(request),
        })
    };
    let server = planning(|| Step::said("I would search for soup."));
    world.settings(&server.base_url(), &[TWO]);
    let (code, answer, _) = world.json(&["ask", QUESTION]);
    assert_eq!((code, &answer["fallbacks"]), (0, &json!(["plan"])), "{answer}");
    assert_eq!(answer["citations"].as_array().map(Vec::len), Some(1));
    let caveats = answer["caveats"].to_string();
    assert!(
        caveats.contains("whether further searches are needed"),
        "{caveats}"
    );
    assert_eq!(
        schemas(&server),
        [reply::FURTHER, reply::FURTHER, reply::GENERATE]
    );
    let record = world.log().pop().expect("a record");
    assert_eq!(record["fallbacks"], json!(["plan"]));
    assert_eq!(
        record["usage_by_stage"]["plan"]["failed_requests"],
        json!(2),
        "{record}"
    );

    // What every question would meet is an error.
    let server = planning(|| Step::error(401, "no such key"));
    world.settings(&server.base_url(), &[TWO]);
    world.run(&["ask", QUESTION]).fails_with(2, &["HTTP 401"]);
    assert_eq!(schemas(&server), [reply::FURTHER]);

    // The time of a question includes the plan.
    let server = planning(|| Step::Hang);
    world.settings(&server.base_url(), &[TWO, "llm.question_seconds = 1"]);
    world
        .run(&["ask", QUESTION])
        .fails_with(2, &["llm.question_seconds", "1 s"]);
}

#[test]
fn a_dry_run_counts_the_most_calls() {
    let Some(world) = World::new() else { return };
    let server = asking(&[BAKERS]);
    world.settings(
        &server.base_url(),
        &[
            BY_WORDS,
            TWO,
            "rerank.method = \"llm\"",
            "llm.price_input = 1.0",
            "llm.price_output = 4.0",
        ],
    );
    let asked = json!({"id": "D01", "type": "direct", "query": CLINIC, "target_papers": ["sailors"],
        "expected_no_evidence": false, "tags": []});
    world.place.write("one.jsonl", format!("{asked}\n").as_bytes());
    let eval = ["eval", "--mode", "bm25", "--queries", "one.jsonl"];
    let (code, planned, _) = world.json(&[&eval[..], &["--dry-run"]].concat());
    assert_eq!((code, server.requests().len()), (0, 0), "{planned}");
    let calls = |stage: &str| {
        let stages = planned["stages"].as_array().expect("stages");
        let stage = stages.iter().find(|own| own["stage"] == stage).expect(stage);
        assert!(stage["cost"].as_f64().is_some_and(|cost| cost > 0.0), "{stage}");
        stage["calls"].clone()
    };
    assert_eq!(
        (calls("plan"), calls("generate")),
        (json!(1), json!(1)),
        "{planned}"
    );
    let (code, run, _) = world.json(&eval);
    assert_eq!(code, 0, "{run}");
    let row = &crate::language_model::world::rows(&run)[0];
    assert_eq!(row["usage"]["plan"]["requests"], json!(1), "{row}");
}
