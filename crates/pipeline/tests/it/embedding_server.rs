//! The binary with a server that embeds: every word of a text is one direction of its vector.

use crate::common::{Place, Ran};
use serde_json::{Value, json};
use testkit::{ChatServer, Request, Step, refusing_address};

const KEY: &str = "sk-embed/77-never-to-be-seen";
const QUESTION: &str = "Did walking lower blood pressure in retired sailors?";
const DIMENSION: usize = 96;

/// Two papers, and settings that name a server for vectors.
struct World(Place);

impl World {
    fn new() -> Self {
        let place = Place::new(None);
        place.write(
            "papers/sailors.md",
            b"# Walking and blood pressure in retired sailors\n\nOrvella Tandrik\n\n## Results\n\nWalking lowered the \
              blood pressure of retired sailors by 12 mmHg. The pulse at rest fell by four beats in every minute.\n",
        );
        place.write(
            "papers/bakers.md",
            b"# Sleep of bakers on night shifts\n\nIsaune Grellith\n\n## Results\n\nBakers on night shifts slept for five \
              hours. Lentil soup at midnight did not change how long the bakers slept.\n",
        );
        Self(place)
    }

    fn settings(&self, base_url: &str, more: &[&str]) {
        let mut toml = format!(
            "embedding.provider = \"openai\"\nembedding.base_url = {base_url:?}\nembedding.model = \"words\"\n\
             embedding.api_key_env = \"TEST_EMBED_KEY\"\n"
        );
        for line in more {
            toml.push_str(line);
            toml.push('\n');
        }
        self.0.write("own.toml", toml.as_bytes());
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = self.0.command(&[args, &["--config", "own.toml"]].concat());
        command.env("TEST_EMBED_KEY", KEY);
        Ran(command.output().expect("the binary runs"))
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> (i32, Value) {
        let ran = self.run(&[args, &["--format", "json"]].concat());
        let document = serde_json::from_str(&ran.stdout())
            .unwrap_or_else(|e| panic!("{args:?}: no JSON: {e}\n{}\n{}", ran.stdout(), ran.stderr()));
        (ran.code(), document)
    }
}

fn texts(request: &Request) -> Vec<&str> {
    let input = request.body["input"].as_array().expect("texts");
    input.iter().map(|text| text.as_str().expect("a text")).collect()
}

fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01; DIMENSION];
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2) {
        let place = word
            .bytes()
            .fold(7_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.to_ascii_lowercase().into()));
        vector[place % DIMENSION] += 1.0;
    }
    vector
}

/// The right answer, the last text first.
fn embed(request: &Request) -> Step {
    let texts = texts(request);
    let item = |(index, text): (usize, &&str)| json!({"index": index, "embedding": vector(text)});
    let data: Vec<Value> = texts.iter().enumerate().rev().map(item).collect();
    Step::answer(200, json!({"data": data, "usage": {"prompt_tokens": 1}}).to_string())
}

#[test]
fn papers_are_embedded_and_questions_answered() {
    let world = World::new();
    // More texts than one request takes.
    let day = |day| format!("On day {day}, the miller ground {day} sacks of rye. ");
    let days = (1..=40).map(day).collect::<Vec<_>>().concat();
    world.0.write("papers/miller.md", format!("# Days of a miller\n\n## Results\n\n{days}\n").as_bytes());
    let server = ChatServer::answering(|request| match request.number {
        1 => Step::error(429, "slow down").with_header("retry-after", "0"),
        2 => Step::Close,
        _ => embed(request),
    });
    world.settings(&server.base_url(), &[]);
    let (code, summary) = world.json(&["ingest", "papers"]);
    assert_eq!((code, &summary["sources"]), (0, &json!(3)), "{summary}");
    let requests = server.requests();
    assert!(requests.len() > 4, "{}", requests.len());
    assert!(requests.iter().any(|request| texts(request).len() == 32));
    for request in &requests {
        assert!(request.head.starts_with("POST /v1/embeddings "), "{}", request.head);
        assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        assert_eq!(request.body["model"], "words");
        assert!((1..=32).contains(&texts(request).len()));
    }
    assert!(requests.iter().flat_map(texts).any(|text| text.contains("[Source: ")));

    // Nothing changed: no text is sent again, and only the start asks the server.
    let (code, again) = world.json(&["ingest", "papers"]);
    assert_eq!((code, &again["stages"]["embed"]["done"]), (0, &json!(0)), "{again}");

    let (code, answer) = world.json(&["ask", QUESTION]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["citations"][0]["source_id"], "sailors", "{answer}");
    let (_, found) = world.json(&["search", QUESTION, "--mode", "vector"]);
    assert_eq!(found["hits"][0]["source_id"], "sailors", "{found}");
    assert!(found["hits"][0]["vector_score"].as_f64().expect("a score") > 0.3, "{found}");

    let (code, health) = world.json(&["doctor"]);
    let findings = health["findings"].as_array().expect("findings");
    let own = findings.iter().find(|f| f["name"] == "embedding model").expect("a finding");
    assert_eq!(own["health"], "ok", "{code} {own}");
    let before = server.requests().len();
    let (_, offline) = world.json(&["doctor", "--offline"]);
    assert!(offline.to_string().contains("not contacted"), "{offline}");
    assert_eq!(server.requests().len(), before);

    for name in world.0.files("") {
        let bytes = std::fs::read(world.0.path(&name)).expect("reads");
        assert!(!String::from_utf8_lossy(&bytes).contains("77-never"), "the key is in {name}");
    }
}

#[test]
fn an_evaluation_sends_each_question_once() {
    let world = World::new();
    let server = ChatServer::answering(embed);
    world.settings(&server.base_url(), &["embedding.query_prefix = \"query: \""]);
    assert_eq!(world.run(&["ingest", "papers"]).code(), 0);
    let line = |id: &str, query: &str| {
        json!({"id": id, "type": "direct", "query": query, "target_papers": ["sailors"],
            "expected_no_evidence": false, "tags": []})
        .to_string()
    };
    let lines = [line("D01", QUESTION), line("D02", "Did the pulse at rest fall?")].join("\n") + "\n";
    world.0.write("queries.jsonl", lines.as_bytes());
    let before = server.requests().len();
    let (code, run) = world.json(&["eval", "--mode", "both", "--queries", "queries.jsonl"]);
    assert_eq!((code, run["rows"].as_array().map(Vec::len)), (0, Some(4)), "{run}");
    let requests = server.requests();
    let asked: Vec<&str> = requests[before..].iter().flat_map(texts).collect();
    let questions = asked.iter().filter(|text| text.starts_with("query: ")).count();
    assert_eq!(questions, 2, "{asked:?}");
}

#[test]
fn a_text_that_is_refused_is_named_and_the_rest_is_indexed() {
    let world = World::new();
    let refusals: [fn(&[&str]) -> Step; 2] = [
        |_| Step::error(400, "input is too long: 900 tokens"),
        // A vector without a direction.
        |texts| {
            let item = |text: &&str| {
                let numbers = if text.contains("Lentil") { vec![0.0; DIMENSION] } else { vector(text) };
                json!({ "embedding": numbers })
            };
            Step::answer(200, json!({"data": texts.iter().map(item).collect::<Vec<_>>()}).to_string())
        },
    ];
    for (number, refusal) in refusals.into_iter().enumerate() {
        let index = format!("index{number}");
        let server = ChatServer::answering(move |request| {
            let texts = texts(request);
            if texts.iter().any(|text| text.contains("Lentil")) { refusal(&texts) } else { embed(request) }
        });
        world.settings(&server.base_url(), &["llm.max_retries = 0"]);
        let args = ["ingest", "papers", "--index", &index];
        let (code, summary) = world.json(&args);
        assert_eq!((code, &summary["sources"], &summary["chunks"]), (1, &json!(2), &json!(4)), "{summary}");
        let failed = summary["failed"].to_string();
        assert!(failed.contains("bakers.md") && failed.contains("bakers__results__000"), "{failed}");
        assert!(!failed.contains("sailors"), "{failed}");
        let good = ChatServer::answering(embed);
        world.settings(&good.base_url(), &[]);
        let (code, summary) = world.json(&args);
        assert_eq!((code, &summary["changed"]), (0, &json!(1)), "{summary}");
        let asked: usize = good.requests().iter().map(|request| texts(request).len()).sum();
        assert!((2..5).contains(&asked), "only what was missing: {asked}");
    }
}

#[test]
fn what_a_server_can_do_wrong_is_said_and_loses_nothing() {
    let world = World::new();
    let good = ChatServer::answering(embed);
    world.settings(&good.base_url(), &[]);
    assert_eq!(world.run(&["ingest", "papers"]).code(), 0);
    world.0.write("papers/new.md", b"# New\n\n## Results\n\nA new result about lentils.\n");
    let check = |step: fn(&Request) -> Step, parts: &[&str]| {
        let server = ChatServer::answering(step);
        world.settings(&server.base_url(), &["llm.max_retries = 0"]);
        let ran = world.run(&["ingest", "papers"]);
        assert_eq!(ran.code(), 2, "{}", ran.stderr());
        for part in parts {
            assert!(ran.stderr().contains(part), "{part} in {}", ran.stderr());
        }
        assert!(!ran.stderr().contains("77-never"), "{}", ran.stderr());
    };
    check(|_| Step::error(401, "wrong key 77-never"), &["refused the key", "TEST_EMBED_KEY"]);
    check(|_| Step::error(404, "no such model"), &["embedding.model and embedding.base_url"]);
    check(
        |_| Step::error(400, "maximum context length is 512 tokens"),
        &["maximum context length", "lower embedding.max_tokens"],
    );
    check(|_| Step::answer(200, json!({"data": []}).to_string()), &["0 vectors for 1 texts"]);
    world.settings(&refusing_address(), &["llm.max_retries = 0"]);
    let ran = world.run(&["ask", QUESTION]);
    assert_eq!(ran.code(), 2);
    assert!(ran.stderr().contains("cannot reach"), "{}", ran.stderr());
    assert!(ran.stderr().contains("check embedding.base_url"), "{}", ran.stderr());

    // The index is as it was.
    world.settings(&good.base_url(), &[]);
    let (code, answer) = world.json(&["ask", QUESTION]);
    assert_eq!((code, &answer["citations"][0]["source_id"]), (0, &json!("sailors")), "{answer}");
    let (code, summary) = world.json(&["ingest", "papers"]);
    assert_eq!((code, &summary["sources"]), (0, &json!(3)), "{summary}");
}
