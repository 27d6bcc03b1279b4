//! What becomes of good and of odd replies at `ask`.

use crate::language_model::world::{QUESTION, World};
use serde_json::json;
use testkit::{ChatServer, Step, reply};

#[test]
fn a_model_answers_and_its_cost_is_logged() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(reply::good);
    world.settings(&server.base_url(), &[]);
    let answer = world.done(&["ask", QUESTION]);
    assert_eq!(
        (&answer["model"], answer["citations"].as_array().map(Vec::len)),
        (&json!("m"), Some(1)),
        "{answer}"
    );
    let usage = json!({"requests": 1, "failed_requests": 0, "prompt_tokens": 7, "completion_tokens": 2});
    assert_eq!(answer["usage"], usage);
    let log = world.log();
    assert_eq!(log[0]["usage_by_stage"], json!({"generate": usage}));
    let requests = server.requests();
    assert_eq!((requests.len(), requests[0].schema()), (1, reply::GENERATE));
    assert!(requests[0].user().contains(QUESTION));
}

#[test]
fn replies_that_cannot_be_used_are_errors_that_say_what_to_do() {
    let Some(world) = World::new() else { return };
    let check = |step: Step, more: &[&str], requests: usize, parts: &[&str]| {
        let server = ChatServer::start([step]);
        world.settings(&server.base_url(), more);
        world.run(&["ask", QUESTION]).fails_with(2, parts);
        assert_eq!(server.requests().len(), requests, "{parts:?}");
    };
    let once = &["llm.max_retries = 0"];
    check(Step::said("The papers say so."), &[], 2, &["do not follow the answer's schema"]);
    check(Step::cut_short("{\"answer\": \"It"), &[], 1, &["llm.max_tokens"]);
    check(Step::error(500, "oops"), once, 1, &["HTTP 500", "oops"]);
    check(Step::Hang, &["llm.question_seconds = 4"], 1, &["llm.question_seconds", "4 s"]);
}

#[test]
fn a_small_budget_reads_less_and_a_dry_run_sends_nothing() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(reply::good);
    world.settings(&server.base_url(), &["llm.price_input = 1.0", "llm.price_output = 4.0"]);
    let tokens = |more: &[&str]| {
        let (code, plan, _) = world.json(&[&["ask", QUESTION, "--dry-run"][..], more].concat());
        let modes = (&plan["questions"], &plan["generated"], &plan["modes"]);
        assert_eq!((code, modes), (0, (&json!(1), &json!(1), &json!(["hybrid"]))), "{plan}");
        assert!(plan["prompt_cost"].as_f64().is_some_and(|cost| cost > 0.0), "{plan}");
        plan["stages"][0]["prompt_tokens"].as_u64().expect("tokens")
    };
    let (whole, small) = (tokens(&[]), tokens(&["--budget", "small"]));
    assert!(small < whole && small <= 2_000, "{small} of {whole}");
    assert_eq!(server.requests().len(), 0, "nothing is sent");
    assert!(world.log().is_empty(), "nothing is logged");
}
