//! What is given up when a server does not take it, and that it is said.

use crate::setup::{client, plain, settings, structured};
use llm::LlmSettings;
use serde_json::{Value, json};
use testkit::{ChatServer, Step};
use types::{ChatError, ChatModel};

#[tokio::test]
async fn a_schema_steps_down_to_the_prompt_and_stays_there() {
    let server = ChatServer::start(vec![
        Step::error(400, "response_format type json_schema is not supported"),
        Step::error(400, "m does not support tools"),
        Step::error(422, "response_format: unknown field"),
        Step::said("Here: ```{\"a\":1}```"),
    ]);
    let model = client(settings(&server.base_url()));
    let reply = model.complete(&structured()).await.expect("a reply");
    assert_eq!((reply.text.as_str(), reply.usage.requests), ("{\"a\":1}", 4));
    let notes = reply.notes;
    let formats = |from: usize| -> Vec<Value> {
        server.requests()[from..].iter().map(|s| s.body["response_format"]["type"].clone()).collect()
    };
    assert_eq!(formats(0), [json!("json_schema"), Value::Null, json!("json_object"), Value::Null]);
    let tools: Vec<bool> = server.requests().iter().map(|s| s.body.get("tools").is_some()).collect();
    assert_eq!(tools, [false, true, false, false]);
    let system = |n: usize| server.requests()[n].body["messages"][0]["content"].to_string();
    assert_eq!(system(0), "\"be brief\"");
    assert!((1..4).all(|n| system(n).contains("JSON schema")));

    let later = model.complete(&structured()).await.expect("a reply");
    assert_eq!(formats(4), [Value::Null], "it is remembered");
    assert_eq!(later.notes, notes, "every reply says what it was asked without");
    assert_eq!(notes.len(), 3, "each step is said once: {notes:?}");
    assert!(
        notes[0].contains("json_schema; tools is used") && notes[1].contains("tools; json_object is used"),
        "{notes:?}"
    );
    assert!(notes[0].contains("HTTP 400") && notes[2].contains("HTTP 422"), "{notes:?}");
}

#[tokio::test]
async fn calls_side_by_side_learn_once() {
    // Every request that still holds a temperature is rejected, whichever call sent it.
    let mut steps = vec![Step::error(400, "temperature is not supported"); 4];
    steps.push(Step::said("x"));
    let server = ChatServer::start(steps);
    let model = client(LlmSettings { max_retries: 0, ..settings(&server.base_url()) });
    let request = plain();
    let first = model.complete(&request).await;
    assert!(
        matches!(&first, Err(failed) if matches!(failed.error, ChatError::Rejected { .. })),
        "without one it is no cure: {first:?}"
    );
    let (a, b) = tokio::join!(model.complete(&request), model.complete(&request));
    for failed in [first, a, b] {
        let notes = failed.expect_err("without one it is no cure").notes;
        assert_eq!(notes.len(), 1, "{notes:?}");
    }
}
