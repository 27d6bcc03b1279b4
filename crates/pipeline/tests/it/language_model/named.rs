//! Several language models, each for its stage.

use crate::language_model::world::{World, rows};
use serde_json::json;
use testkit::{ChatServer, Request, reply};

fn schemas(server: &ChatServer) -> Vec<String> {
    server.requests().iter().map(|request: &Request| request.schema().to_owned()).collect()
}

#[test]
fn each_stage_asks_the_model_that_it_names() {
    let Some(world) = World::new() else { return };
    let (writer, judge) = (ChatServer::answering(reply::good), ChatServer::answering(reply::good));
    let address = format!("llm.strict.base_url = {:?}", judge.base_url());
    world.settings(
        &writer.base_url(),
        &[&address, "llm.strict.model = \"other\"", "eval.judge = \"llm\"", "eval.judge_model = \"strict\""],
    );
    let (code, document, stderr) = world.eval(2);
    assert_eq!(code, 0, "{document}");
    assert_eq!(schemas(&writer), [reply::GENERATE, reply::GENERATE]);
    assert_eq!(schemas(&judge), [reply::JUDGE, reply::JUDGE]);
    assert_eq!(judge.requests()[0].body["model"], "other");
    assert_eq!(
        judge.requests()[0].header("authorization"),
        writer.requests()[0].header("authorization"),
        "from [llm]"
    );
    assert!(!stderr.contains("prefer their own"), "{stderr}");
    assert!(rows(&document).iter().all(|row| row["error"].is_null()), "{document}");

    let (_, _, stderr) =
        world.json(&["eval", "--mode", "hybrid", "--queries", "queries.jsonl", "--set", "eval.judge_model="]);
    assert!(stderr.contains("set eval.judge_model to another one"), "{stderr}");
}

#[test]
fn the_variables_of_other_evaluations_name_a_model_unless_the_settings_do() {
    let Some(world) = World::new() else { return };
    let server = ChatServer::answering(|_| testkit::Step::error(500, "no Ollama here"));
    let url = server.base_url();
    let ollama = url.trim_end_matches("/v1");
    world.settings("http://127.0.0.1:9/v1", &[]);
    let model = world.place.model(1);
    let asked = |variables: &[(&str, &str)], more: &[&str]| {
        let args = [&["config", "show", "--format", "json", "--set", &model], more].concat();
        let mut command = world.place.command(&args);
        command.envs(variables.iter().copied());
        let ran = crate::common::Ran(command.output().expect("the binary runs"));
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
        let shown: serde_json::Value = serde_json::from_str(&ran.stdout()).expect("JSON");
        let text = shown.to_string();
        (text.contains("llama3.1:8b"), text.contains(ollama))
    };
    assert_eq!(asked(&[], &[]), (false, false));
    assert_eq!(asked(&[("RAG_EVAL_OLLAMA_BASE_URL", ollama)], &[]), (true, true));
    assert_eq!(asked(&[("RAG_EVAL_DATASET", "x"), ("RAG_EVAL_PROVIDER", "")], &[]), (false, false));
    let own = ["--set", "llm.provider=openai", "--set", "llm.model=mine"];
    assert_eq!(asked(&[("RAG_EVAL_OLLAMA_BASE_URL", ollama)], &own), (false, false));
    let mut command = world.place.command(&["config", "show"]);
    let ran = crate::common::Ran(command.env("RAG_EVAL_PROVIDER", "bedrock").output().expect("runs"));
    assert!(ran.code() == 2 && ran.stderr().contains("RAG_EVAL_PROVIDER"), "{}", ran.stderr());
    assert_eq!(json!(server.requests().len()), 0);
}
