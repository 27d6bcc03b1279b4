//! Claims that a language model verifies.

use crate::language_model::world::{QUESTION, World, rows};
use serde_json::{Value, json};
use testkit::{ChatServer, Request, Step, reply};

const SUPPORTED: &str =
    "Walking lowered systolic blood pressure by 12 mmHg in the forty retired sailors of the trial.";
/// The words of the paper in another order, with another meaning.
const DOUBTFUL: &str =
    "The forty retired sailors of the trial lowered systolic blood pressure by walking 12 mmHg.";
const ON: &str = "guardrail.verify = \"auto\"";

/// An answer with a second sentence on the same passage.
fn two_claims(request: &Request, second: &str) -> Value {
    let mut answer = reply::answer(request);
    let mut claim = answer["claims"][0].clone();
    claim["sentence"] = json!(second);
    answer["claims"].as_array_mut().expect("claims").push(claim);
    answer
}

/// Verdicts: `verdict` on every claim whose text contains `on`.
fn verdicts(request: &Request, on: &str, verdict: &str, fault: &str) -> Value {
    let claims = request.user().split("<claim ").skip(1).enumerate();
    let each = claims.map(|(at, claim)| {
        let (verdict, fault) = if claim.contains(on) { (verdict, fault) } else { ("supported", "none") };
        json!({"number": at + 1, "reason": "The excerpt says what walking did.", "fault": fault, "verdict": verdict})
    });
    json!({"claims": each.collect::<Vec<_>>()})
}

fn schemas(server: &ChatServer) -> Vec<String> {
    let requests = server.requests();
    requests.iter().map(|request| request.schema().to_owned()).collect()
}

#[test]
fn a_supported_answer_is_verified_in_one_call_and_says_so() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(reply::good);
    world.settings(&server.base_url(), &[ON]);
    let answer = world.done(&["ask", QUESTION]);
    assert_eq!(schemas(&server), [reply::GENERATE, reply::VERIFY]);
    let claim = &answer["claims"][0];
    assert_eq!(
        (&claim["claim"], &claim["verdict"], &claim["supported"], &claim["reason"]),
        (&json!(SUPPORTED), &json!("supported"), &json!(true), &Value::Null)
    );
    let asked = server.requests()[1].user().to_owned();
    assert!(
        asked.contains("<claim number=\"1\" cites=\"1\">") && asked.contains("forty retired sailors"),
        "{asked}"
    );
    let record = world.log().pop().expect("a record");
    assert_eq!(record["usage_by_stage"]["verify"]["requests"], 1);
    assert_eq!(record["models"]["verifier"], "m");
    assert_eq!(record["claims"][0]["verdict"], "supported");
    let ran = world.run(&["ask", QUESTION]);
    assert!(ran.stdout().contains("1 of 1 claims verified by m"), "{}", ran.stdout());
}

#[test]
fn a_contradicted_claim_goes_back_once_and_the_revision_is_verified() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(|request| match request.schema() {
        reply::VERIFY => Step::json(&verdicts(request, DOUBTFUL, "contradicted", "direction")),
        _ if request.user().contains("<question_problems>") => reply::good(request),
        _ => Step::json(&two_claims(request, DOUBTFUL)),
    });
    world.settings(&server.base_url(), &[ON]);
    let answer = world.done(&["ask", QUESTION]);
    assert_eq!(schemas(&server), [reply::GENERATE, reply::VERIFY, reply::GENERATE, reply::VERIFY]);
    let shown = server.requests()[2].user().to_owned();
    assert!(shown.contains(DOUBTFUL) && shown.contains("the direction differs"), "{shown}");
    assert!(!answer["answer"].to_string().contains("by walking 12 mmHg"), "{answer}");
    assert!(answer["caveats"].to_string().contains("revised its answer"), "{answer}");
    assert_eq!(answer["claims"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_verifier_that_fails_leaves_the_offline_checks_and_is_counted() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(|request| match request.schema() {
        reply::VERIFY => Step::json(&json!({"claims": "all of them"})),
        _ => reply::good(request),
    });
    world.settings(&server.base_url(), &[ON]);
    let (code, answer, _) = world.json(&["ask", QUESTION]);
    assert_eq!((code, &answer["fallbacks"]), (0, &json!(["verify"])), "{answer}");
    assert!(answer["caveats"].to_string().contains("No language model verified the answer"), "{answer}");
    let (code, document, stderr) = world.eval(1);
    assert_eq!((code, &rows(&document)[0]["fallbacks"]), (0, &json!(["verify"])), "{document}");
    assert!(stderr.contains("set guardrail.model to another one"), "{stderr}");
}
