//! `sweep` with a language model.

use crate::language_model::world::World;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use testkit::{ChatServer, Step, reply};

const VARY: [&str; 4] = ["sweep", "--vary", "rerank.top_n=1,2", "--metric"];
const METRIC: &str = "no_evidence_accuracy";

fn sweep(world: &World, count: usize, more: &[&str]) -> (i32, Value, String) {
    let queries = world.queries(count);
    world.json(&[&VARY[..], &[METRIC, "--queries", queries], more].concat())
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
