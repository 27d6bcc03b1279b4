//! `sweep` with a language model.

use crate::language_model::world::World;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use testkit::{ChatServer, Step, reply};

const VARY: [&str; 4] = ["sweep", "--vary", "rerank.keep=1,2", "--metric"];
const METRIC: &str = "no_evidence_accuracy";

fn sweep(world: &World, count: usize, more: &[&str]) -> (i32, Value, String) {
    let queries = world.queries(count);
    world.json(&[&VARY[..], &[METRIC, "--queries", queries], more].concat())
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
    let more = ["--vary", "llm.model=m,m-other", "--vary", "llm.temperature=0,0.5,1"];
    assert_eq!(sweep(&more), Some(6));
    assert_eq!((sent("model").len(), sent("temperature").len()), (3, 3));
    assert_eq!(server.requests().len(), 4 + 12);
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
    assert_eq!((code, &done["left_out"]), (1, &json!(["D02"])), "{done}");
    assert_eq!(
        (&done["questions"], &done["combinations"][1]["summary"]["n"]),
        (&json!(2), &json!(2)),
        "{done}"
    );
    assert!(stderr.contains("1 of 3 rows failed"), "{stderr}");
    broken.store(false, Ordering::SeqCst);
    let before = server.requests().len();
    let (code, done, _) = sweep(&world, 3, &[]);
    assert_eq!((code, &done["left_out"]), (0, &json!([])), "{done}");
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
