//! Evaluations whose model or judge fails: how many requests that costs, how long it takes, what the next run does.

use crate::language_model::world::{KEY, KEY_ENV, QUESTION, World, rows};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use testkit::{ChatServer, Request, Step, reply};

fn errors(document: &Value) -> usize {
    rows(document).iter().filter(|row| !row["error"].is_null()).count()
}

#[test]
fn a_refused_key_ends_the_run_and_names_the_variable() {
    let Some(world) = World::new() else { return };
    let check = |step: Step, parts: &[&str]| {
        let server = ChatServer::start([step]);
        world.settings(&server.base_url(), &[]);
        let ran = world.run(&["eval", "--mode", "hybrid", "--queries", world.queries(5)]);
        ran.fails_with(2, parts);
        assert!(!ran.stderr().contains(KEY), "{}", ran.stderr());
        // One for each worker that was on its way.
        assert!(server.requests().len() <= 4, "{} requests", server.requests().len());
    };
    check(Step::error(401, &format!("wrong key {KEY}")), &["refused the key", KEY_ENV]);
    check(Step::error(403, &format!("no access with {KEY}")), &[KEY_ENV, "[redacted]"]);
    check(Step::error(404, "the model `m` does not exist"), &["llm.model", "does not serve"]);
    assert!(world.log().is_empty(), "nothing was answered");
    let server = ChatServer::answering(|request| match request.schema() {
        reply::JUDGE => Step::error(401, "wrong key"),
        _ => reply::good(request),
    });
    world.settings(&server.base_url(), &["eval.judge = \"llm\""]);
    world
        .run(&["eval", "--mode", "hybrid", "--queries", world.queries(5)])
        .fails_with(2, &["refused the key", KEY_ENV]);
}

#[test]
fn a_dead_judge_fails_rows_and_is_asked_again() {
    let Some(world) = World::new() else { return };
    let down = Arc::new(AtomicBool::new(true));
    let own = Arc::clone(&down);
    let server = ChatServer::answering(move |request| {
        if own.load(Ordering::SeqCst) && request.schema() == reply::JUDGE {
            Step::error(500, "the judge is down")
        } else {
            reply::good(request)
        }
    });
    let more = &["eval.judge = \"llm\"", "llm.max_retries = 0", "llm.give_up_after = 0", "eval.retries = 1"];
    world.settings(&server.base_url(), more);
    let (code, run, stderr) = world.eval(3);
    assert_eq!((code, errors(&run)), (1, 3), "{stderr}");
    assert!(world.can_resume() && stderr.contains("the judge is down"), "{stderr}");
    let asked = |schema: &str| server.requests().iter().filter(|r| r.schema() == schema).count();
    assert_eq!((asked(reply::GENERATE), asked(reply::JUDGE)), (3, 6), "answers are not paid for twice");
    let row = &rows(&run)[0];
    let faithful = row["scores"]["faithful"]["n_a"].as_str().unwrap_or_default();
    assert!(faithful.starts_with("pending: ") && row["pending"] == json!(true), "{row}");
    assert!(stderr.contains("3 of 3 rows are pending"), "{stderr}");
    assert_eq!(row["scores"]["citation_precision"], json!(1.0), "{row}");
    assert_eq!(
        (&row["usage"]["judge"]["failed_requests"], &row["usage"]["judge"]["requests"]),
        (&json!(2), &json!(2))
    );

    down.store(false, Ordering::SeqCst);
    let answers: Vec<Value> = rows(&run).iter().map(|row| row["answer"].clone()).collect();
    let (code, run, stderr) = world.eval(3);
    assert_eq!((code, errors(&run)), (0, 0), "{stderr}");
    assert_eq!((asked(reply::GENERATE), asked(reply::JUDGE)), (3, 9), "the stored answers are judged");
    for (row, answer) in rows(&run).iter().zip(&answers) {
        assert_eq!((&row["scores"]["faithful"], &row["answer"]), (&json!(1.0), answer), "{row}");
        let requests = |stage: &str| {
            let usage = &row["usage"][stage];
            (usage["requests"].clone(), usage["failed_requests"].clone())
        };
        assert_eq!(requests("generate"), (json!(1), json!(0)), "{row}");
        assert_eq!(requests("judge"), (json!(3), json!(2)), "both runs count: {row}");
    }
}

#[test]
fn a_prompt_that_was_cut_is_a_caveat_and_an_error_of_a_row() {
    let Some(world) = World::new() else { return };
    let cut = |request: &Request| Step::completion(&reply::answer(request).to_string(), "stop", (300, 100));
    let server = ChatServer::answering(cut);
    world.settings(&server.base_url(), &[]);
    let (code, answer, said) = world.json(&["ask", QUESTION]);
    assert_eq!(code, 0, "{answer}\n{said}");
    let notes = answer["caveats"].to_string();
    assert!(notes.contains("read 300 tokens of more than") && notes.contains("num_ctx"), "{notes}");
    world.settings(&server.base_url(), &["llm.cache = \"on\""]);
    let (code, document, _) = world.eval(1);
    let error = rows(&document)[0]["error"].to_string();
    assert!(code != 0 && error.contains("the server cut the prompt"), "{code} {document}");
}
