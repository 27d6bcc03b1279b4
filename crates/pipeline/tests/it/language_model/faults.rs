//! Every fault of a server, on a third of the calls: no row is lost, and each is right or says what went wrong.

use crate::language_model::world::{World, rows};
use serde_json::json;
use testkit::{ChatServer, Request, Step, reply};

const QUESTIONS: usize = 20;

/// A fault: its name, what the server does, and a part of the error that remains; empty if the calls recover.
struct Fault {
    name: &'static str,
    step: fn(&Request) -> Step,
    error: &'static str,
}

fn changed(request: &Request, change: impl Fn(&mut serde_json::Value)) -> Step {
    let mut answer = reply::answer(request);
    change(&mut answer);
    Step::json(&answer)
}

/// Evaluates with the fault on every third call, and prints a line of the table.
#[track_caller]
fn check(fault: &Fault) {
    let Some(world) = World::new() else { return };
    let step = fault.step;
    let server = ChatServer::answering(move |request| {
        if request.number % 3 == 0 {
            step(request)
        } else {
            reply::good(request)
        }
    });
    let settings = [
        "llm.give_up_after = 0",
        "llm.timeout_seconds = 2",
        "eval.stop_after = 0",
        "guardrail.repair = false",
    ];
    world.settings(&server.base_url(), &settings);
    let (code, document, stderr) = world.eval(QUESTIONS);
    let name = fault.name;
    assert_eq!(rows(&document).len(), QUESTIONS, "{name}: {document}");
    let errors: Vec<&str> = rows(&document)
        .iter()
        .filter_map(|row| row["error"].as_str())
        .collect();
    assert_eq!(code, i32::from(!errors.is_empty()), "{name}: {stderr}");
    for row in rows(&document) {
        let answered = row["scores"]["answered"]["value"].is_number() || row["outcome"] != json!(null);
        assert!(answered || row["error"].is_string(), "{name}: {row}");
    }
    for error in &errors {
        assert!(
            !fault.error.is_empty() && error.contains(fault.error),
            "{name}: {error}"
        );
        let clean = |c: char| !c.is_control() && c != '\u{202e}';
        assert!(
            error.chars().all(clean) && error.len() < 2_000,
            "{name}: {error:?}"
        );
    }
    let right = QUESTIONS - errors.len();
    assert!(right >= QUESTIONS / 2, "{name}: only {right} rows are right");
    println!(
        "| {name} | {right} | {} | {} | {} |",
        errors.len(),
        server.requests().len(),
        errors.first().unwrap_or(&"")
    );
}

#[test]
fn refusals_that_pass() {
    for fault in [
        Fault {
            name: "429",
            step: |_| Step::error(429, "slow down"),
            error: "",
        },
        Fault {
            name: "429 with Retry-After",
            step: |_| Step::error(429, "slow down").with_header("Retry-After", "1"),
            error: "",
        },
        Fault {
            name: "500",
            step: |_| Step::error(500, "oops"),
            error: "",
        },
        Fault {
            name: "503 with HTML",
            step: |_| Step::answer(503, "<html>down</html>"),
            error: "",
        },
    ] {
        check(&fault);
    }
}

#[test]
fn connections_that_break() {
    for fault in [
        Fault {
            name: "reset",
            step: |_| Step::Close,
            error: "",
        },
        Fault {
            name: "cut body",
            step: |_| Step::Cut(b"{\"choices\"".to_vec()),
            error: "",
        },
        Fault {
            name: "empty body",
            step: |_| Step::answer(200, ""),
            error: "cannot be read",
        },
        Fault {
            name: "hang",
            step: |_| Step::Hang,
            error: "did not answer within",
        },
    ] {
        check(&fault);
    }
}

#[test]
fn bodies_that_are_no_reply() {
    for fault in [
        Fault {
            name: "slow bytes",
            step: |_| Step::Slow(vec![b' '; 400], 20),
            error: "did not answer within",
        },
        Fault {
            name: "HTML",
            step: |_| Step::answer(200, "<html><body>Sign in</body></html>"),
            error: "cannot be read",
        },
        Fault {
            name: "50 MB",
            step: |_| Step::answer(200, vec![b' '; 50_000_000]),
            error: "4 MiB",
        },
        Fault {
            name: "redirect",
            step: |_| Step::answer(302, "").with_header("Location", "http://elsewhere.example/v1"),
            error: "redirects",
        },
    ] {
        if fault.name == "redirect" {
            a_redirect_stops_the_run(&fault);
        } else {
            check(&fault);
        }
    }
}

/// Every call would be redirected: the run stops at once, says why, and goes on later.
fn a_redirect_stops_the_run(fault: &Fault) {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(fault.step);
    world.settings(&server.base_url(), &[]);
    let queries = world.queries(QUESTIONS);
    let ran = world.run(&["eval", "--mode", "hybrid", "--queries", queries]);
    assert!(
        ran.code() == 2 && ran.stderr().contains(fault.error),
        "{}",
        ran.stderr()
    );
    assert!(server.requests().len() <= 4, "one call for each worker");
    println!(
        "| redirect | 0 | 0 | {} | the run stops |",
        server.requests().len()
    );
}

#[test]
fn replies_that_break_the_schema() {
    for fault in [
        Fault {
            name: "no JSON",
            step: |_| Step::said("Certainly! Here is your answer."),
            error: "do not follow the answer's schema",
        },
        Fault {
            name: "schema violation",
            step: |request| changed(request, |answer| answer["no_evidence"] = json!("maybe")),
            error: "do not follow the answer's schema",
        },
        Fault {
            name: "invented ids",
            step: |request| {
                changed(request, |answer| {
                    answer["claims"][0]["evidence"][0]["chunk_id"] = json!("invented__results__000");
                })
            },
            error: "",
        },
        Fault {
            name: "cut at the token limit",
            step: |_| Step::cut_short("{\"claims\": [{\"evidence"),
            error: "llm.max_tokens",
        },
        Fault {
            name: "terminal escapes",
            step: |_| Step::said("\u{1b}[2J\u{202e}no JSON\u{7}"),
            error: "do not follow the answer's schema",
        },
    ] {
        check(&fault);
    }
}
