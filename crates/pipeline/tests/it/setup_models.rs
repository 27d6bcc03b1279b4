//! Models by name: `pipeline setup` downloads them from a hub on loopback, the other commands never ask it.

use crate::common::{Place, Ran, natives};
use serde_json::{Value, json};
use std::path::Path;
use testkit::{ChatServer, Request, Step, refusing_address};

const MODEL: &str = "intfloat/multilingual-e5-small";
const FOLDER: &str = "natives/intfloat--multilingual-e5-small";
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const QUESTION: &str = "Did walking lower blood pressure in retired sailors?";

/// A natives folder with the pinned files and no other model, a paper, and a small model in `model-7`.
fn world(natives: &Path) -> Place {
    let place = Place::new(Some(natives.to_owned()));
    let pinned = [
        "libpdfium.so",
        "libonnxruntime.so",
        "all-MiniLM-L6-v2-int8",
        "all-MiniLM-L6-v2-w8a8",
        "ms-marco-MiniLM-L12-v2-int8",
        "reader",
    ];
    std::fs::create_dir(place.path("natives")).expect("made");
    for name in pinned {
        let link = place.path("natives").join(name);
        std::os::unix::fs::symlink(natives.join(name), link).expect("linked");
    }
    place.write(
        "papers/sailors.md",
        b"# Walking and blood pressure in retired sailors\n\nOrvella Tandrik\n\n## Results\n\nWalking lowered the blood \
          pressure of retired sailors by 12 mmHg. The pulse at rest fell by four beats in every minute.\n",
    );
    place.model(7);
    place
}

fn run(place: &Place, endpoint: &str, model: &str, args: &[&str]) -> Ran {
    let model = format!("embedding.model={model}");
    let settings = ["--set", "natives.dir=natives", "--set", &model];
    let mut command = place.command(&[args, &settings].concat());
    command.env("HF_ENDPOINT", endpoint);
    Ran(command.output().expect("the binary runs"))
}

fn setup(place: &Place, endpoint: &str, model: &str) -> Ran {
    let args = ["setup", "--python", "no-such-python", "--format", "json"];
    run(place, endpoint, model, &args)
}

fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout()).unwrap_or_else(|e| panic!("{e}: {}{}", ran.stdout(), ran.stderr()))
}

/// Serves the files of the small model, the large one through a redirect, as the public hub does.
fn hub(place: &Place) -> ChatServer {
    let files = ["tokenizer.json", "model.onnx"].map(|name| place.path("model-7").join(name));
    let [tokenizer, onnx] = files.map(|file| std::fs::read(file).expect("read"));
    let sha256 = types::digest::sha256(&onnx);
    ChatServer::answering(move |request| match path(request) {
        path if path.ends_with("/tokenizer.json") => {
            Step::answer(200, tokenizer.clone()).with_header("x-repo-commit", COMMIT)
        }
        path if path.ends_with("/onnx/model.onnx") => Step::answer(302, "")
            .with_header("location", "/large/files")
            .with_header("x-linked-etag", &format!("\"{sha256}\"")),
        "/large/files" => Step::answer(200, onnx.clone()),
        _ => Step::answer(404, "Entry not found"),
    })
}

fn path(request: &Request) -> &str {
    request.head.split_whitespace().nth(1).unwrap_or_default()
}

#[test]
fn a_model_is_downloaded_by_its_name_and_then_works_offline() {
    let Some(natives) = natives() else { return };
    let place = world(&natives);
    run(&place, &refusing_address(), MODEL, &["ingest", "papers"]).fails_with(
        2,
        &[
            "the embedding model intfloat/multilingual-e5-small has not been downloaded",
            "run `pipeline setup --set embedding.model=intfloat/multilingual-e5-small` once",
        ],
    );
    place.write("natives/.download-killed/model.onnx", b"half");
    let server = hub(&place);
    let report = setup(&place, &server.base_url(), MODEL);
    assert_eq!(report.code(), 0, "{}", report.stderr());
    let report = json_of(&report);
    let names = ["tokenizer.json", "model.onnx", "model.json", "origin.json"];
    let names = names.map(|name| format!("intfloat--multilingual-e5-small/{name}"));
    assert_eq!(report["downloaded"], json!(names), "{report}");
    let asked: Vec<String> = server.requests().iter().map(|request| path(request).to_owned()).collect();
    let from = format!("/v1/{MODEL}/resolve");
    let wanted = [
        format!("{from}/main/tokenizer.json"),
        format!("{from}/{COMMIT}/onnx/model.onnx"),
        "/large/files".to_owned(),
    ];
    assert_eq!(asked, wanted);
    let read = |name: &str| -> Value {
        let bytes = std::fs::read(place.path(FOLDER).join(name)).expect("read");
        serde_json::from_slice(&bytes).expect("JSON")
    };
    let used = json!({"name": "intfloat--multilingual-e5-small", "pooling": "mean", "query_prefix": "query: ",
        "passage_prefix": "passage: ", "max_tokens": 512});
    assert_eq!(read("model.json"), used);
    assert_eq!(read("origin.json")["commit"], COMMIT);
    assert!(!place.path("natives/.download-killed").exists());

    // It is there: nothing is asked again, by set-up or by any other command.
    let again = setup(&place, &server.base_url(), MODEL);
    assert_eq!((again.code(), &json_of(&again)["downloaded"]), (0, &json!([])));
    let ingested = run(&place, &server.base_url(), MODEL, &["ingest", "papers"]);
    assert_eq!(ingested.code(), 0, "{}", ingested.stderr());
    let answer = run(&place, &server.base_url(), MODEL, &["ask", QUESTION, "--format", "json"]);
    assert_eq!(answer.code(), 0, "{}", answer.stderr());
    assert_eq!(json_of(&answer)["citations"][0]["source_id"], "sailors");
    let health = json_of(&run(&place, &server.base_url(), MODEL, &["doctor", "--format", "json"]));
    let findings = health["findings"].as_array().expect("findings");
    let own = findings.iter().find(|finding| finding["name"] == "embedding model");
    let detail = own.expect("a finding").to_string();
    assert!(detail.contains("intfloat--multilingual-e5-small-") && detail.contains("\"ok\""), "{detail}");
    assert_eq!(server.requests().len(), wanted.len());
}

#[test]
fn the_models_are_listed() {
    let place = Place::new(None);
    let (code, models) = place.json(&["setup", "--list-models"]);
    let models = models.as_array().expect("a list");
    assert!(code == 0 && models.len() > 40, "{}", models.len());
    let text = place.run(&["setup", "--list-models"]).stdout();
    let row = text.lines().find(|line| line.starts_with(MODEL)).expect("a row");
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), [MODEL, "384", "512"]);
}
