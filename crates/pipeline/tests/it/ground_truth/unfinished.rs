//! Runs that stop: Ctrl-C, the cost limit, a server that is down; and what would be asked.

use crate::common::{KEPT, interrupted};
use crate::ground_truth::world::{args, drafted, good, place, rows, settings};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use testkit::{ChatServer, Step};

const FOUR: [&str; 6] = ["-k", "4", "--unanswerable", "0.25", "--output", "set.jsonl"];

#[test]
fn ctrl_c_loses_no_reply() {
    let Some(place) = place() else { return };
    let hang = Arc::new(AtomicBool::new(true));
    let own = Arc::clone(&hang);
    let server = ChatServer::answering(move |request| match request.number {
        2.. if own.load(Ordering::SeqCst) => Step::Hang,
        _ => good(request),
    });
    settings(&place, Some(&server.base_url()), &["eval.workers = 1"]);
    let (ran, _) = interrupted(place.command(&args(&FOUR)), || server.requests().len() == 3);
    ran.fails_with(2, &KEPT);
    assert!(!place.path("set.jsonl").exists());

    hang.store(false, Ordering::SeqCst);
    let (code, done) = place.json(&args(&FOUR));
    assert_eq!((code, &done["cached_calls"]), (0, &2.into()), "{done}");
    assert_eq!(rows(&place, "set.jsonl").len(), 4);
    // A run without a stop gives the same rows.
    let (code, _) = place.json(&args(&[&FOUR[..5], &["whole.jsonl"]].concat()));
    assert_eq!(code, 0);
    assert_eq!(rows(&place, "whole.jsonl"), rows(&place, "set.jsonl"));
}

#[test]
fn the_cost_limit_ends_a_run_that_can_go_on() {
    let Some(place) = place() else { return };
    // Each reply says that it cost 2.1 dollars.
    let server = ChatServer::answering(|request| match request.schema() {
        "drafted_question" => Step::completion(&drafted(request).to_string(), "stop", (2_000, 100)),
        _ => good(request),
    });
    let prices =
        ["llm.price_input = 1000.0", "llm.price_output = 1000.0", "llm.max_tokens = 100", "eval.workers = 1"];
    settings(&place, Some(&server.base_url()), &prices);
    let limited = [&FOUR[..], &["--max-cost", "5"]].concat();
    place.run(&args(&limited)).fails_with(2, &["cost"]);
    let before = server.requests().len();
    assert!(before > 0 && !place.path("set.jsonl").exists(), "{before}");
    let done = place.done(&args(&FOUR));
    assert!(done["cached_calls"].as_u64().is_some_and(|n| n > 0), "{done}");
    assert!(done["cost"].as_f64().is_some_and(|cost| cost > 0.0), "{done}");
}

#[test]
fn a_server_that_is_down_is_an_error_and_not_a_short_set() {
    let Some(place) = place() else { return };
    let settings_of =
        |url: &str| settings(&place, Some(url), &["llm.max_retries = 0", "eval.stop_after = 2"]);
    settings_of(&testkit::refusing_address());
    place
        .run(&args(&FOUR))
        .fails_with(2, &["2 drafts failed in a row", "run the same command again: it takes replies"]);
    assert!(!place.path("set.jsonl").exists());
    place.run(&args(&[&FOUR[..], &["--no-cache"]].concat())).fails_with(
        2,
        &[
            "llm.cache is off: if the command stops before its end, the replies that were paid for are lost",
            "nothing is kept: the same command asks everything again",
        ],
    );
    // One request fails: the draft is tried again by the next run.
    let server = ChatServer::answering(|request| match request.number {
        0 => Step::error(400, "not today"),
        _ => good(request),
    });
    settings_of(&server.base_url());
    let (code, done) = place.json(&args(&FOUR));
    assert_eq!((code, &done["failed"], &done["drafted"]), (0, &1.into(), &4.into()), "{done}");
}

#[test]
fn a_dry_run_counts_and_sends_nothing() {
    let Some(place) = place() else { return };
    let server = ChatServer::start([Step::error(500, "not to be asked")]);
    settings(&place, Some(&server.base_url()), &[]);
    let planned = place.done(&args(&["-k", "8", "--dry-run"]));
    let calls = |stage: &str| {
        let stages = planned["stages"].as_array().expect("stages");
        let found = stages.iter().find(|own| own["stage"] == stage);
        found.map_or(json!(null), |own| own["calls"].clone())
    };
    assert_eq!(calls("generate"), 8, "one for each draft: {planned}");
    assert!(planned["stages"][0]["prompt_tokens"].as_u64().is_some_and(|tokens| tokens > 2_000), "{planned}");
    let ran = place.run(&args(&["-k", "8", "--dry-run"]));
    assert!(ran.stdout().contains("8 questions about index, if no draft is dropped"), "{}", ran.stdout());
    assert!(server.requests().is_empty());
}
