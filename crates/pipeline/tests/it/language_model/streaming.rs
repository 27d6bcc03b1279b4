//! Answers that are shown while they are written.

use crate::language_model::world::{QUESTION, World};
use testkit::{ChatServer, Step, reply};

#[test]
fn sentences_are_shown_while_they_are_written_and_the_answer_is_the_same() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(|request| {
        let answer = reply::answer(request);
        if request.body["stream"] == true { Step::streamed(&answer) } else { Step::json(&answer) }
    });
    world.settings(&server.base_url(), &[]);
    let plain = world.json(&["ask", QUESTION]).1;
    assert_eq!(server.requests()[0].body["stream"], false, "standard error is no terminal");
    let ran = world.run(&["ask", QUESTION, "--stream", "always", "--format", "json"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let request = &server.requests()[1];
    assert_eq!(
        (&request.body["stream"], &request.body["stream_options"]["include_usage"]),
        (&true.into(), &true.into())
    );
    let said = ran.stderr();
    assert!(
        said.contains("Draft, not checked yet: Walking lowered systolic blood pressure by 12 mmHg in the forty retired sailors of the trial.\n"),
        "{said}"
    );
    let streamed: serde_json::Value = serde_json::from_str(&ran.stdout()).expect("JSON");
    for key in ["answer", "citations", "confidence", "caveats", "usage", "claims"] {
        assert_eq!(streamed[key], plain[key], "{key}");
    }
    assert!(!world.run(&["ask", QUESTION, "--stream", "never"]).stderr().contains("Draft"));
}

#[test]
fn a_stream_that_cannot_be_read_is_asked_for_as_a_whole_reply_and_one_that_breaks_off_is_an_error() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(|request| {
        let events = "data: {\"choices\":[{\"delta\":{\"content\":\"{\\\"claims\\\": [\"}}]}\n\n";
        let streams = request.body["stream"] == true;
        if streams { Step::answer(200, events) } else { reply::good(request) }
    });
    world.settings(&server.base_url(), &[]);
    let (code, answer, _) = world.json(&["ask", QUESTION, "--stream", "always"]);
    assert_eq!((code, server.requests().len()), (0, 2), "{answer}");
    assert!(answer["caveats"].to_string().contains("whole replies"), "{answer}");
    let server = ChatServer::answering(|_| {
        let line = r#"data: {"choices":[{"delta":{"content":"{\"claims\": [{\"sentence\": \"Sails \\u001b[31m red"},"finish_reason":null}]}"#;
        Step::answer(200, format!("{line}\n\n"))
    });
    world.settings(&server.base_url(), &["llm.max_retries = 0"]);
    let ran = world.run(&["ask", QUESTION, "--stream", "always"]);
    assert_eq!(ran.code(), 2, "{}", ran.stdout());
    let said = ran.stderr();
    assert!(said.contains("Draft, not checked yet: Sails") && !said.contains('\u{1b}'), "{said:?}");
}
