//! A key that a server repeats reaches neither files nor streams.

use crate::common::Ran;
use crate::language_model::world::{KEY, QUESTION, World};
use serde_json::{Value, json};
use testkit::{ChatServer, Request, Step, reply};

/// Puts the key as the server got it, plain and escaped, into every text of a reply.
fn echo(request: &Request) -> Step {
    let header = request.header("authorization").unwrap_or_default().to_owned();
    let mut value = match request.schema() {
        reply::GENERATE => reply::answer(request),
        reply::RERANK => reply::grades(request),
        _ => reply::verdicts(request),
    };
    match request.schema() {
        reply::GENERATE => {
            value["evidence_quality"] = json!(header);
            value["caveats"] = json!([header, "ESCAPED"]);
            // What a revision only repeats is left out.
            let is = if request.user().contains("<question_problems>") { "stays" } else { "is" };
            let sentence = &mut value["claims"][0]["sentence"];
            *sentence = json!(format!("{} The key {is} {header}.", sentence.as_str().expect("a sentence")));
        }
        reply::JUDGE => {
            for claim in value["claims"].as_array_mut().into_iter().flatten() {
                claim["verdict"] = json!("unsupported");
                claim["reason"] = json!(header);
            }
        }
        _ => {}
    }
    let text = value.to_string().replace("ESCAPED", &KEY.replace('-', "\\u002d").replace('/', "\\/"));
    let body = json!({"model": format!("m of {header}"), "choices": [{"message": {"content": text}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1}});
    Step::answer(200, body.to_string())
}

/// Whether a text holds the key, or the larger part of it.
fn holds(text: &str) -> bool {
    [KEY, "4f9a-never", "never-to-be-seen", "4f9a\\u002dnever"].iter().any(|part| text.contains(part))
}

#[test]
fn a_key_that_others_can_read_is_named_once() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(echo);
    let queries = world.queries(2);
    let run = |base_url: &str, args: &[&str]| {
        world.settings(base_url, &["eval.judge = \"llm\"", "rerank.method = \"llm\""]);
        let mut command = world.command(args);
        // The way to another machine leads through the server.
        command.env("http_proxy", server.base_url()).env_remove("no_proxy").env_remove("NO_PROXY");
        Ran(command.output().expect("the binary runs"))
    };
    let (other, eval) = ("http://models.example:8000/v1", ["eval", "--mode", "hybrid", "--queries", queries]);
    let warned = run(other, &eval).stderr();
    assert!(!server.requests().is_empty(), "{warned}");
    assert_eq!(warned.matches("goes to http://models.example:8000 over plain http").count(), 1, "{warned}");
    assert!(warned.contains("use https"), "{warned}");
    let doctor = run(other, &["doctor", "--offline"]).stdout();
    assert!(doctor.contains("note  API key") && doctor.contains("over plain http"), "{doctor}");
    let quiet = run(&server.base_url(), &eval);
    assert!(!quiet.stderr().contains("plain http"), "{}", quiet.stderr());
}

#[test]
fn an_echoed_key_is_written_nowhere() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(echo);
    world.settings(
        &server.base_url(),
        &["eval.judge = \"llm\"", "rerank.method = \"llm\"", "llm.cache = \"on\""],
    );
    let mut streams = Vec::new();
    let mut run = |args: &[&str]| {
        let ran = world.run(args);
        streams.push(format!("{args:?}\n{}\n{}", ran.stdout(), ran.stderr()));
        ran.code()
    };
    run(&["ask", QUESTION]);
    run(&["ask", QUESTION, "--format", "json"]);
    run(&["eval", "--mode", "hybrid", "--queries", world.queries(2)]);
    run(&["report"]);
    run(&["doctor"]);
    assert!(streams[1].contains("[redacted]"), "the key was there: {}", streams[1]);

    // Errors that quote what the server said.
    for step in [
        Step::error(400, &format!("bad request, authorization: Bearer {KEY}")),
        Step::error(401, &format!("wrong key {KEY}")),
        Step::said(format!("no JSON: {KEY}")),
    ] {
        let server = ChatServer::start([step]);
        world.settings(&server.base_url(), &["llm.max_retries = 0", "eval.retries = 0"]);
        for args in
            [&["ask", QUESTION][..], &["eval", "--mode", "vector", "--queries", "queries.jsonl"], &["doctor"]]
        {
            let ran = world.run(args);
            streams.push(format!("{args:?}\n{}\n{}", ran.stdout(), ran.stderr()));
        }
    }
    for stream in &streams {
        assert!(!holds(stream), "{stream}");
    }
    let files = world.place.files("");
    assert!(files.iter().any(|name| name.ends_with("report.md")), "{files:?}");
    for name in files.iter().filter(|name| !name.starts_with("model-")) {
        let bytes = std::fs::read(world.place.path(name)).expect("reads");
        assert!(!holds(&String::from_utf8_lossy(&bytes)), "the key is in {name}");
    }
    let log: Vec<Value> = world.log();
    assert!(log.iter().any(|record| { record["response_raw"]["answer"].to_string().contains("[redacted]") }));
}

#[cfg(unix)]
#[test]
fn a_key_file_must_be_closed_to_others() {
    use std::os::unix::fs::PermissionsExt;
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(reply::good);
    world.place.write("key", format!("{FILE_KEY}\n").as_bytes());
    let mode = |bits| {
        let file = world.place.path("key");
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(bits)).expect("changes the mode");
    };
    world.settings(&server.base_url(), &["llm.api_key_file = \"key\""]);
    mode(0o644);
    let ran = world.run(&["ask", QUESTION]);
    assert!(ran.code() == 2 && ran.stderr().contains("chmod 600"), "{}", ran.stderr());
    mode(0o600);
    let (code, answer, stderr) = world.json(&["ask", QUESTION]);
    assert_eq!(code, 0, "{stderr}");
    let request = server.requests().pop().expect("a request");
    assert_eq!(request.header("authorization"), Some(format!("Bearer {FILE_KEY}").as_str()));
    assert!(!format!("{answer}{:?}", world.log()).contains(FILE_KEY));
}

const FILE_KEY: &str = "sk-file/77ab-never-to-be-seen";
