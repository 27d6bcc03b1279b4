//! `sweep` with a language model: calls that combinations share, calls that are planned, and sweeps that go on.

use crate::common::{KEPT, interrupted};
use crate::language_model::world::World;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};
use testkit::{ChatServer, Step, reply};

const VARY: [&str; 4] = ["sweep", "--vary", "rerank.keep=1,2", "--metric"];
const METRIC: &str = "no_evidence_accuracy";

fn sweep(world: &World, count: usize, more: &[&str]) -> (i32, Value, String) {
    let queries = world.queries(count);
    world.json(&[&VARY[..], &[METRIC, "--queries", queries], more].concat())
}

fn calls(planned: &Value) -> Vec<(&str, u64)> {
    let stages = planned["stages"].as_array().expect("stages");
    let mut out: Vec<(&str, u64)> = stages
        .iter()
        .filter_map(|stage| Some((stage["stage"].as_str()?, stage["calls"].as_u64()?)))
        .collect();
    out.sort_unstable();
    out
}

#[test]
fn calls_are_shared_planned_and_counted_as_if_alone() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(reply::good);
    let priced =
        ["llm.price_input = 1.0", "llm.price_output = 4.0", "rerank.method = \"llm\"", "llm.cache = \"on\""];
    world.settings(&server.base_url(), &priced);
    let more = ["--vary", "generate.high_confidence=0.7,0.8"];
    let (code, planned, _) = sweep(&world, 3, &[&more[..], &["--dry-run"]].concat());
    assert_eq!((code, server.requests().len()), (0, 0), "{planned}");
    // Five combinations, that of the start included; a plan knows no replies.
    assert_eq!(calls(&planned), [("generate", 15), ("rerank", 15)], "{planned}");
    assert!(planned["cost"].as_f64() > Some(0.0), "{planned}");
    let text =
        world.run(&[&VARY[..], &[METRIC, "--queries", "queries.jsonl", "--dry-run"]].concat()).stdout();
    assert!(
        text.contains("3 questions from queries.jsonl, 3 combinations") && text.contains("expected cost $"),
        "{text}"
    );

    let (code, done, stderr) = sweep(&world, 3, &more);
    assert_eq!(code, 0, "{done} {stderr}");
    // Reranking once for each question, and an answer for each number of kept chunks: the cache gives the others.
    assert_eq!((server.requests().len(), &done["calls_cached"]), (12, &json!(18)), "{done}");
    for one in done["combinations"].as_array().expect("combinations") {
        assert_eq!(one["calls"], 6, "{one}");
        // 7 tokens read and 2 written by each call.
        assert_eq!((&one["prompt_tokens"], &one["completion_tokens"]), (&json!(42), &json!(12)), "{one}");
        let cost = one["cost"].as_f64().expect("a price");
        assert!((cost - (42.0 + 4.0 * 12.0) / 1e6).abs() < 1e-12, "{one}");
    }
    let ran = world.run(&[&VARY[..], &[METRIC, "--queries", "queries.jsonl"]].concat());
    assert!(ran.stdout().contains("tokens") && ran.stdout().contains("$0.0001"), "{}", ran.stdout());
}

#[test]
fn kept_replies_cost_as_if_sent_and_are_not_timed() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(reply::good);
    world.settings(
        &server.base_url(),
        &["llm.cache = \"on\"", "llm.price_input = 1.0", "llm.price_output = 4.0"],
    );
    let (_, first, _) = sweep(&world, 3, &[]);
    let asked = server.requests().len();
    let (code, again, _) = sweep(&world, 3, &[]);
    assert_eq!((code, server.requests().len()), (0, asked), "{again}");
    assert_eq!(
        (&again["calls_sent"], again["calls_cached"].as_u64() > Some(0)),
        (&json!(0), true),
        "{again}"
    );
    let of = |done: &Value, key: &str| done["combinations"][0][key].clone();
    assert_eq!(of(&first, "cost"), of(&again, "cost"));
    assert_eq!(of(&first, "calls"), of(&again, "calls"));
    assert_eq!((of(&again, "latency_ms"), of(&again, "timed")), (Value::Null, json!(0)), "{again}");
    assert!(again["notes"].to_string().contains("--no-cache"), "{again}");
}

#[test]
fn the_model_can_be_varied() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(reply::good);
    world.settings(&server.base_url(), &["llm.small.model = \"m-small\""]);
    let queries = world.queries(2);
    let sent = |key: &str| -> BTreeSet<String> {
        let of = |request: &testkit::Request| request.body[key].to_string();
        server.requests().iter().map(of).collect()
    };
    let sweep = |vary: &[&str]| {
        let args = ["sweep", "--metric", METRIC, "--queries", queries];
        let (code, done, stderr) = world.json(&[&args[..], vary].concat());
        assert_eq!(code, 0, "{done} {stderr}");
        done["combinations"].as_array().map(Vec::len)
    };
    // An empty name is the model of [llm], which is the start.
    assert_eq!(sweep(&["--vary", "generate.model=small,\"\""]), Some(2));
    assert_eq!(sent("model"), BTreeSet::from(["\"m\"".to_owned(), "\"m-small\"".to_owned()]));
    assert_eq!(server.requests().len(), 4);
    let more = ["--vary", "llm.model=m,m-other", "--vary", "llm.temperature=0:1:0.5"];
    assert_eq!(sweep(&more), Some(6));
    assert_eq!((sent("model").len(), sent("temperature").len()), (3, 3));
    assert_eq!(server.requests().len(), 4 + 12);
}

#[test]
fn a_sweep_that_is_stopped_loses_no_reply() {
    let Some(world) = World::new() else { return };
    let (asked, hang) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(true)));
    let (count, hangs) = (Arc::clone(&asked), Arc::clone(&hang));
    let server = ChatServer::answering(move |request| {
        if count.fetch_add(1, Ordering::SeqCst) == 4 && hangs.load(Ordering::SeqCst) {
            Step::Hang
        } else {
            reply::good(request)
        }
    });
    world.settings(&server.base_url(), &["eval.workers = 1", "llm.cache = \"on\""]);
    let queries = world.queries(3);
    let command = world.command(&[&VARY[..], &[METRIC, "--queries", queries]].concat());
    let (ran, _) = interrupted(command, || asked.load(Ordering::SeqCst) >= 5);
    ran.fails_with(2, &KEPT);
    hang.store(false, Ordering::SeqCst);
    let (code, done, stderr) = sweep(&world, 3, &[]);
    assert_eq!(code, 0, "{done} {stderr}");
    // Four replies had come.
    let asked = server.requests().len();
    assert_eq!((&done["calls_cached"], asked), (&json!(4), 5 + 5), "{done}");
    let (_, again, _) = sweep(&world, 3, &[]);
    let means = |done: &Value| done["combinations"][0]["summary"].clone();
    assert_eq!((means(&again), server.requests().len()), (means(&done), asked));
}

#[test]
fn a_question_that_fails_is_left_out_and_asked_again() {
    let Some(world) = World::new() else { return };
    let broken = Arc::new(AtomicBool::new(true));
    let now = Arc::clone(&broken);
    let server = ChatServer::answering(move |request| {
        if now.load(Ordering::SeqCst) && request.user().contains("(2)") {
            Step::said("no JSON at all")
        } else {
            reply::good(request)
        }
    });
    let settings = ["eval.workers = 1", "eval.retries = 0", "llm.give_up_after = 0", "llm.cache = \"on\""];
    world.settings(&server.base_url(), &settings);
    let (code, done, stderr) = sweep(&world, 3, &[]);
    assert_eq!((code, &done["failed"], &done["left_out"]), (1, &json!(3), &json!(["D02"])), "{done}");
    assert_eq!(
        (&done["questions"], &done["combinations"][1]["summary"]["n"]),
        (&json!(2), &json!(2)),
        "{done}"
    );
    assert!(stderr.contains("3 of 9 rows failed"), "{stderr}");
    broken.store(false, Ordering::SeqCst);
    let before = server.requests().len();
    let (code, done, _) = sweep(&world, 3, &[]);
    assert_eq!((code, &done["failed"]), (0, &json!(0)), "{done}");
    assert_eq!(server.requests().len() - before, 3);
}

#[test]
fn a_sweep_stops_before_it_costs_too_much() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(reply::good);
    world.settings(&server.base_url(), &["llm.price_input = 1000.0", "llm.price_output = 0.0"]);
    let queries = world.queries(2);
    let ran = world.run(&[&VARY[..], &[METRIC, "--queries", queries, "--max-cost", "0.01"]].concat());
    ran.fails_with(2, &["--max-cost", "$0.01"]);
    assert_eq!(server.requests().len(), 0);
}
