//! What `doctor` says of the language model.

use crate::{
    common::{Place, Ran},
    language_model::world::{KEY_ENV, World},
};
use serde_json::{Value, json};
use testkit::{ChatServer, Step, refusing_address};

/// The finding, and the requests that it took.
fn finding(world: &World, server: &ChatServer, more: &[&str]) -> (Value, usize) {
    let (_, document, _) = world.json(&[&["doctor"], more].concat());
    let findings = document["findings"].as_array().expect("findings");
    let own = findings.iter().find(|f| f["name"] == "language model").expect("a finding");
    (own.clone(), server.requests().len())
}

#[test]
fn doctor_asks_the_model_once() {
    let Some(world) = World::new() else { return };
    let check = |steps: Vec<Step>, health: &str, requests: usize, parts: &[&str]| {
        let server = ChatServer::start(steps);
        world.settings(&server.base_url(), &[]);
        let (found, asked) = finding(&world, &server, &[]);
        assert_eq!((&found["health"], asked), (&json!(health), requests), "{found}");
        for part in parts {
            assert!(found.to_string().contains(part), "{part} in {found}");
        }
    };
    check(vec![Step::said("Sure!")], "ok", 1, &["m-1 answered in "]);
    check(vec![Step::error(401, "no")], "problem", 1, &["refused the key", KEY_ENV]);
    check(vec![Step::error(404, "no")], "problem", 1, &["check llm.model"]);
    check(vec![Step::error(500, "oops")], "problem", 1, &["HTTP 500"]);
}

#[test]
fn doctor_offline_asks_nobody_and_a_closed_port_is_a_problem() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::start([Step::error(500, "oops")]);
    world.settings(&server.base_url(), &[]);
    let (found, asked) = finding(&world, &server, &["--offline"]);
    assert_eq!((&found["health"], asked), (&json!("ok"), 0), "{found}");
    world.settings(&refusing_address(), &[]);
    let ran = world.run(&["doctor"]);
    assert_eq!(ran.code(), 1);
    assert!(
        ran.stdout().contains("cannot reach") && ran.stdout().contains("llm.base_url"),
        "{}",
        ran.stdout()
    );
}

#[test]
fn a_server_that_runs_on_this_machine_is_pointed_out() {
    let Some((place, model)) = Place::fast() else { return };
    let models = json!({ "models": [{ "name": "nomic-embed-text" }, { "name": "qwen3:4b" }] });
    let server = ChatServer::answering(move |_| Step::answer(200, models.to_string()));
    let base = server.base_url();
    let host = base.trim_start_matches("http://").trim_end_matches("/v1");
    let run = |host: &str, args: &[&str]| {
        Ran(place.command(args).env("OLLAMA_HOST", host).output().expect("the binary runs"))
    };
    let options = format!(
        "--set llm.provider=ollama --set llm.base_url=http://{host} --set llm.model=qwen3:4b --set generate.method=select"
    );
    assert!(run(host, &["doctor"]).stdout().contains(&options));
    let listed = run(host, &["setup", "--llm"]).stdout();
    assert!(listed.contains(&options) && listed.contains("select"), "{listed}");
    // Another machine is not asked.
    let asked = server.requests().len();
    assert!(!run("192.0.2.1", &["setup", "--llm"]).stdout().contains("ollama"), "{listed}");
    assert_eq!(server.requests().len(), asked);
    // Only the first question says so.
    place.write("papers/a.md", b"# Badgers\n\n## Results\n\nThe badgers slept for 3 hours.\n");
    place.passes(&["ingest", "papers", "--set", &model]);
    let ask = ["ask", "How long did the badgers sleep?", "--set", &model];
    let first = run(host, &ask).stderr();
    assert!(first.contains("ollama runs on this machine") && first.contains(&options), "{first}");
    assert!(!run(host, &ask).stderr().contains("ollama"));
}
