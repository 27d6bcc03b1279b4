//! Two short papers, their index, and settings that name a server.

use crate::common::{Place, Ran};
use serde_json::Value;
use std::{fmt::Write, process::Command};

/// The key that the binary is given; no output may ever hold it.
pub(crate) const KEY: &str = "sk-test/4f9a-never-to-be-seen";
/// The variable that holds it.
pub(crate) const KEY_ENV: &str = "TEST_CHAT_KEY";
/// The question that `ask` is asked.
pub(crate) const QUESTION: &str = "Did walking lower blood pressure in retired sailors?";

const PAPERS: [(&str, &str); 2] = [
    (
        "sailors.md",
        "# Walking and blood pressure in retired sailors\n\nOrvella Tandrik\n\n## Methods\n\nForty retired sailors walked \
         for thirty minutes on each day of twelve weeks. Their blood pressure was taken in the morning by two nurses of \
         the harbour clinic.\n\n## Results\n\nWalking lowered systolic blood pressure by 12 mmHg in the forty retired \
         sailors of the trial. The pulse at rest fell by four beats in every minute over the same weeks. No sailor left \
         the trial before the harbour festival.\n",
    ),
    (
        "bakers.md",
        "# Sleep of bakers on night shifts\n\nIsaune Grellith\n\n## Results\n\nBakers on night shifts slept for five \
         hours and ten minutes on an average working day. Lentil soup at midnight did not change how long the bakers \
         slept afterwards.\n",
    ),
];

/// A working folder with an index.
pub(crate) struct World {
    pub(crate) place: Place,
}

impl World {
    /// `None`, with a message, where the natives are missing.
    pub(crate) fn new() -> Option<Self> {
        let place = Place::with_natives()?;
        for (name, text) in PAPERS {
            place.write(&format!("papers/{name}"), text.as_bytes());
        }
        let model = place.model(1);
        let (code, summary) = place.json(&["ingest", "papers", "--set", &model]);
        assert_eq!((code, &summary["sources"]), (0, &2.into()), "{summary}");
        Some(Self { place })
    }

    /// Writes the settings: a server, and `more` lines of dotted keys, which come last.
    pub(crate) fn settings(&self, base_url: &str, more: &[&str]) {
        let model = self.place.model(1);
        let (key, folder) = model.split_once('=').expect("a setting");
        let mut toml = format!(
            "{key} = {folder:?}\nguardrail.topic = false\nretrieve.min_similarity = 0.0\nllm.provider = \"openai\"\n\
             llm.base_url = {base_url:?}\nllm.model = \"m\"\nllm.api_key_env = {KEY_ENV:?}\n"
        );
        // Most tests count the requests of the same question asked twice.
        if !more.iter().any(|line| line.starts_with("llm.cache ")) {
            toml.push_str("llm.cache = \"off\"\n");
        }
        // As above: verification is one more request.
        if !more.iter().any(|line| line.starts_with("guardrail.verify ")) {
            toml.push_str("guardrail.verify = \"off\"\n");
        }
        for line in more {
            let name = line.split(" = ").next().expect("a key");
            assert!(!toml.contains(&format!("\n{name} = ")), "{name} is set already");
            let _ = writeln!(toml, "{line}");
        }
        self.place.write("llm.toml", toml.as_bytes());
    }

    /// Writes a query set of `count` answerable questions and gives its name.
    pub(crate) fn queries(&self, count: usize) -> &'static str {
        let line = |number: usize| {
            serde_json::json!({"id": format!("D{number:02}"), "type": "direct", "query": format!("{QUESTION} ({number})"),
                "target_papers": ["sailors"], "expected_no_evidence": false, "tags": []})
            .to_string()
        };
        let lines: Vec<String> = (1..=count).map(line).collect();
        self.place.write("queries.jsonl", (lines.join("\n") + "\n").as_bytes());
        "queries.jsonl"
    }

    /// The command with the settings and the key.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.place.command(&[args, &["--config", "llm.toml"]].concat());
        command.env(KEY_ENV, KEY);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran(self.command(args).output().expect("the binary runs"))
    }

    /// Runs with `--format json` and gives the exit code, the document and standard error.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> (i32, Value, String) {
        let ran = self.run(&[args, &["--format", "json"]].concat());
        let document = serde_json::from_str(&ran.stdout())
            .unwrap_or_else(|e| panic!("{args:?}: no JSON: {e}\n{}\n{}", ran.stdout(), ran.stderr()));
        (ran.code(), document, ran.stderr())
    }

    /// The document of a command that succeeds.
    #[track_caller]
    pub(crate) fn done(&self, args: &[&str]) -> Value {
        let (code, document, _) = self.json(args);
        assert_eq!(code, 0, "{document}");
        document
    }

    /// `eval --mode hybrid` of `count` questions.
    #[track_caller]
    pub(crate) fn eval(&self, count: usize) -> (i32, Value, String) {
        self.json(&["eval", "--mode", "hybrid", "--queries", self.queries(count)])
    }

    /// The run log, line by line.
    pub(crate) fn log(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.place.path("logs/run_log.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
    }

    /// Whether there are rows for the next run to go on with.
    pub(crate) fn can_resume(&self) -> bool {
        let files = self.place.files("logs/reports");
        files.iter().any(|name| name.starts_with("rows.partial."))
    }
}

/// The rows of an evaluation.
pub(crate) fn rows(document: &Value) -> &[Value] {
    document["rows"].as_array().map(Vec::as_slice).expect("rows")
}
