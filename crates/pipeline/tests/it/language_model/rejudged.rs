//! Stored answers that a language model judges: what it is asked, what that costs, and what the next command does.

use crate::language_model::world::World;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use testkit::{ChatServer, Step, reply};

const REJUDGE: [&str; 3] = ["runs", "rejudge", "first"];

#[test]
fn only_the_judge_is_asked_and_only_for_what_is_missing() {
    let Some(world) = World::new() else { return };
    let down = Arc::new(AtomicBool::new(true));
    let own = Arc::clone(&down);
    let server = ChatServer::answering(move |request| {
        // The judge is down, except for the first question.
        let judged = request.schema() == reply::JUDGE;
        if judged && own.load(Ordering::SeqCst) && !request.user().contains("(1)") {
            Step::error(500, "the judge is down")
        } else {
            reply::good(request)
        }
    });
    let priced = ["llm.price_input = 1000.0", "llm.price_output = 0.0"];
    let more = ["llm.max_retries = 0", "llm.give_up_after = 0", "eval.retries = 0"];
    let judge = |name: &str| {
        let judge = format!("eval.judge = \"{name}\"");
        let lines = [&priced[..], &more[..], &[judge.as_str()]].concat();
        world.settings(&server.base_url(), &lines);
    };
    judge("lexical");
    let queries = world.queries(3);
    world.done(&["eval", "--mode", "hybrid", "--queries", queries, "--name", "first"]);
    let asked = |schema: &str| server.requests().iter().filter(|r| r.schema() == schema).count();
    assert_eq!((asked(reply::GENERATE), asked(reply::JUDGE)), (3, 0));

    judge("llm");
    let (code, plan, _) = world.json(&[&REJUDGE[..], &["--dry-run"]].concat());
    assert_eq!((code, &plan["rows"], &plan["generated"]), (0, &json!(3), &json!(0)), "{plan}");
    let stages = plan["stages"].as_array().expect("stages");
    assert_eq!(stages.len(), 1, "{plan}");
    assert_eq!((&stages[0]["stage"], &stages[0]["calls"]), (&json!("judge"), &json!(3)));
    assert!(plan["prompt_cost"].as_f64() > Some(0.0));
    assert_eq!(world.log().len(), 3, "nothing is written");

    let ran = world.run(&[&REJUDGE[..], &["--max-cost", "0.01"]].concat());
    ran.fails_with(2, &["--max-cost", "$0.01"]);
    assert_eq!((asked(reply::GENERATE), asked(reply::JUDGE)), (3, 0));

    let (code, done, stderr) = world.json(&REJUDGE);
    assert_eq!((code, &done["failed"]), (1, &json!(2)), "{stderr}");
    assert!(stderr.contains("run the same command again") && world.can_resume(), "{stderr}");
    assert_eq!((asked(reply::GENERATE), asked(reply::JUDGE)), (3, 3));

    down.store(false, Ordering::SeqCst);
    let (code, again, stderr) = world.json(&REJUDGE);
    assert_eq!((code, &again["failed"], &again["resumed"]), (0, &json!(0), &json!(1)), "{stderr}");
    assert_eq!(again["run"]["run_id"], done["run"]["run_id"], "the same run goes on");
    assert_eq!((asked(reply::GENERATE), asked(reply::JUDGE)), (3, 5));
    assert!(!world.can_resume());
    let (_, shown, _) = world.json(&["runs", "show", "latest", "D01"]);
    let row = &shown["answers"][0];
    assert_eq!(row["row"]["scores"]["faithful"], json!(1.0), "{row:#}");
    // What the answer cost is still known; the judge's part is on top.
    let usage = |stage: &str| row["row"]["usage"][stage]["requests"].clone();
    assert_eq!((usage("generate"), usage("judge")), (json!(1), json!(1)), "{row:#}");
    let old: Vec<Value> = answers(&world, "first");
    assert_eq!(answers(&world, "latest"), old);
}

/// The answers of a run, in its order.
fn answers(world: &World, run: &str) -> Vec<Value> {
    let ran = world.run(&["runs", "export", run, "--format", "ragas"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let text = ran.stdout();
    let each = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    each.map(|sample| sample["response"].clone()).collect()
}
