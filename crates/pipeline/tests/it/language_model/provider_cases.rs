//! Bodies of replies and errors as servers send them, from `../shared/data/cases/4*` and `5*` beside the project, where
//! that folder is.

use crate::common::root;
use crate::language_model::world::{KEY_ENV, World};
use std::{fs, path::Path};
use testkit::{ChatServer, Request, Step, reply};

const QUESTION: &str = "Does magnesium shorten sleep onset?";

/// What a server holds against a request; `None` for a body that is always sent.
fn dislikes(folder: &str, file: &str) -> Option<fn(&Request) -> bool> {
    let role = |request: &Request| !request.system().is_empty();
    let schema = |request: &Request| request.body["response_format"].is_object();
    Some(match (&folder[..2], file) {
        ("42", _) | ("45", "temperature-400-list.json") => |request| request.body["temperature"].is_number(),
        ("43", _) => role,
        ("45", _) => schema,
        ("47", _) => |request| request.number == 0,
        _ => return None,
    })
}

/// Serves one file as its name says, asks, and says what is wrong.
fn run(world: &World, folder: &str, path: &Path) -> Result<(), String> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let body = fs::read(path).map_err(|error| error.to_string())?;
    // A prompt is cut only where it is long.
    let cut = folder.starts_with("50");
    let status = if file.contains("400") { 400 } else { 200 };
    let (kind, shown) = (dislikes(folder, &file), file.clone());
    let server = ChatServer::answering(move |request| {
        if kind.is_none_or(|dislikes| dislikes(request)) {
            return Step::answer(status, body.clone());
        }
        let answer = reply::answer(request);
        if shown.starts_with("anthropic") {
            Step::anthropic(&serde_json::json!([{"type": "tool_use", "input": answer}]), "tool_use")
        } else {
            Step::json(&answer)
        }
    });
    let provider =
        ["openai", "anthropic", "ollama"].into_iter().find(|name| file.starts_with(name)).unwrap_or("openai");
    let streams = if path.extension().is_some_and(|own| own == "txt") { "always" } else { "never" };
    let base = server.base_url();
    let set = [
        format!("llm.provider={provider}"),
        format!("llm.base_url={}", if provider == "ollama" { base.trim_end_matches("/v1") } else { &base }),
        "llm.model=m".to_owned(),
        format!("llm.api_key_env={KEY_ENV}"),
        "llm.cache=off".to_owned(),
        "guardrail.verify=off".to_owned(),
        "guardrail.topic=false".to_owned(),
        "retrieve.threshold=0".to_owned(),
        format!("rerank.keep={}", if cut { 10 } else { 6 }),
        world.place.model(1),
    ];
    let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set.as_str()]).collect();
    let args = [
        "ask",
        QUESTION,
        "--index",
        if cut { "long" } else { "cases" },
        "--format",
        "json",
        "--stream",
        streams,
    ];
    let ran = crate::common::Ran(
        world.place.command(&[args.as_slice(), &set].concat()).output().map_err(|error| error.to_string())?,
    );
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout()).map_err(|_| ran.stderr())?;
    let caveats = answer["caveats"].to_string();
    if !cut && (ran.code() != 0 || kind.is_none() && !answer["answer"].to_string().contains("11 minutes")) {
        return Err(format!("exit {}: {answer}\n{}", ran.code(), ran.stderr()));
    }
    if (status == 400) != caveats.contains("m at http") && !cut
        || cut != caveats.contains("the server cut the prompt: m at")
    {
        return Err(format!("notes: {caveats}"));
    }
    Ok(())
}

#[test]
fn replies_of_the_cases_are_answers() {
    let cases = root().join("../shared/data/cases");
    let Ok(folders) = fs::read_dir(&cases) else {
        eprintln!("skipped: no {}", cases.display());
        return;
    };
    let Some(world) = World::new() else { return };
    let model = world.place.model(1);
    let papers = cases.join("papers").display().to_string();
    let week = |n: usize| {
        format!("In week {n} the adults on magnesium slept {n} minutes longer than those on starch. ")
    };
    let weeks: String = (1..300).map(week).collect();
    let long = format!("# Weeks of magnesium and sleep\n\nOlm Vandre\n\n## Results\n\n{weeks}\n");
    world.place.write("more/weeks.md", long.as_bytes());
    for (index, folder) in [("cases", papers.as_str()), ("long", "more")] {
        let (code, summary) = world.place.json(&["ingest", folder, "--index", index, "--set", &model]);
        assert_eq!(code, 0, "{summary}");
    }
    let mut names: Vec<String> =
        folders.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.contains("-llm-"));
    names.sort();
    let mut wrong = Vec::new();
    for folder in &names {
        let mut files: Vec<_> = fs::read_dir(cases.join(folder)).expect("a folder").flatten().collect();
        files.retain(|file| file.file_name() != "README");
        files.sort_by_key(std::fs::DirEntry::file_name);
        for file in files {
            let done = run(&world, folder, &file.path());
            let name = format!("{folder}/{}", file.file_name().display());
            println!("{} {name}", if done.is_ok() { "pass" } else { "fail" });
            wrong.extend(done.err().map(|why| format!("{name}: {why}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!names.is_empty());
}
