//! Runs the built binary in a folder of its own.

#![allow(unreachable_pub, reason = "one program")]

pub mod animals;
pub mod model;

use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// The model whose tokenizer fast models have, and how many word pieces that knows.
const MODEL: &str = "all-MiniLM-L6-v2-w8a8";
const PIECES: usize = 30_522;

/// The project's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root exists")
}

/// Where the fetched natives lie, or `None` with a message when they are not there.
pub fn natives() -> Option<PathBuf> {
    let folder = std::env::var_os("PIPELINE_NATIVES").map_or_else(|| root().join(".natives"), PathBuf::from);
    if folder.join("libpdfium.so").exists() && folder.join(MODEL).join("tokenizer.json").exists() {
        return Some(folder);
    }
    eprintln!("skipped: {} lacks libraries or models; scripts/test.sh downloads them", folder.display());
    None
}

/// A working folder in which the binary is run.
pub struct Place {
    folder: tempfile::TempDir,
    natives: Option<PathBuf>,
}

impl Place {
    pub fn new(natives: Option<PathBuf>) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), natives }
    }

    /// One with natives; `None`, with a message, where they are missing.
    pub fn with_natives() -> Option<Self> {
        Some(Self::new(Some(natives()?)))
    }

    /// The same, and the setting of a fast embedding model.
    pub fn fast() -> Option<(Self, String)> {
        let place = Self::with_natives()?;
        let model = place.model(1);
        Some((place, model))
    }

    /// The same with sample papers, which are indexed.
    pub fn indexed(papers: &[&str]) -> Option<(Self, String)> {
        let (place, model) = Self::fast()?;
        for paper in papers {
            place.paper(&format!("{paper}.pdf"));
        }
        place.done(&["ingest", "papers", "--set", &model]);
        Some((place, model))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Copies a sample paper to `papers/`.
    pub fn paper(&self, name: &str) {
        self.write(
            &format!("papers/{name}"),
            &std::fs::read(root().join("corpus").join(name)).expect("a paper"),
        );
    }

    /// Makes a fast embedding model of this seed and gives the setting that names it.
    pub fn model(&self, seed: u64) -> String {
        let folder = self.path(&format!("model-{seed}"));
        let tokenizer = self.natives.as_deref().expect("natives").join(MODEL).join("tokenizer.json");
        model::write(&folder, &tokenizer, PIECES, seed);
        format!("embedding.model={}", folder.display())
    }

    /// Every file below a folder, by its path from there.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let top = self.path(folder);
        let mut open = vec![top.clone()];
        let mut files = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(&top).expect("below it");
                    files.push(name.to_string_lossy().into_owned());
                }
            }
        }
        files.sort();
        files
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("has one")).expect("made");
        std::fs::write(path, bytes).expect("written");
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pipeline"));
        command.args(args).current_dir(self.folder.path());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PIPELINE_")) {
            command.env_remove(name);
        }
        // An absent folder stands for a machine without natives; the default would find the project's own.
        command.env("PIPELINE_NATIVES", self.natives.clone().unwrap_or_else(|| self.path("no-natives")));
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran(self.command(args).output().expect("the binary runs"))
    }

    /// Runs with `--format json` and gives the document.
    pub fn json(&self, args: &[&str]) -> (i32, Value) {
        let ran = self.run(&[args, &["--format", "json"]].concat());
        let value = serde_json::from_slice(&ran.0.stdout)
            .unwrap_or_else(|e| panic!("{args:?}: no JSON: {e}\n{}\n{}", ran.stdout(), ran.stderr()));
        (ran.code(), value)
    }

    /// The document of a command that succeeds.
    #[track_caller]
    pub fn done(&self, args: &[&str]) -> Value {
        let (code, document) = self.json(args);
        assert_eq!(code, 0, "{document:#}");
        document
    }

    /// Runs a command that succeeds.
    #[track_caller]
    pub fn passes(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
        ran
    }

    /// Every way in which a document breaks the schema of this name.
    pub fn faults(&self, name: &str, document: &Value) -> Vec<String> {
        let schema: Value = serde_json::from_str(&self.run(&["schema", name]).stdout()).expect("a schema");
        let schema = jsonschema::validator_for(&schema).expect("a schema");
        schema.iter_errors(document).map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
    }

    /// Holds a document to its schema, which knows all of its keys.
    #[track_caller]
    pub fn conforms(&self, name: &str, document: &Value) {
        assert_eq!(self.faults(name, document), Vec::<String>::new(), "{name}: {document:#}");
        let mut more = document.clone();
        more["odd"] = serde_json::json!(1);
        assert!(!self.faults(name, &more).is_empty(), "{name}");
    }
}

pub fn wait_for(what: &str, mut there: impl FnMut() -> bool) {
    let started = Instant::now();
    while !there() {
        assert!(started.elapsed() < Duration::from_mins(2), "{what} does not come");
        sleep(Duration::from_millis(5));
    }
}

/// What an interrupted run says whose replies are in the cache.
pub const KEPT: [&str; 2] = [
    "stopping; replies of language models are kept",
    "stopped; run the same command again: it takes replies of language models from the cache",
];

/// Sends Ctrl-C, and gives how the run ended and how long that took.
#[track_caller]
pub fn ctrl_c(child: Child) -> (Ran, Duration) {
    let sent = Instant::now();
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.expect("kill runs").success());
    let ran = Ran(child.wait_with_output().expect("waited for"));
    (ran, sent.elapsed())
}

/// Runs the command, with Ctrl-C a moment after `ready`.
#[track_caller]
pub fn interrupted(mut command: Command, ready: impl FnMut() -> bool) -> (Ran, Duration) {
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("runs");
    wait_for("the moment", ready);
    sleep(Duration::from_millis(200));
    ctrl_c(child)
}

pub struct Ran(pub Output);

impl Ran {
    pub fn code(&self) -> i32 {
        self.0.status.code().unwrap_or(-1)
    }
    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }
    /// Holds exit code and a part of standard error together.
    #[track_caller]
    pub fn fails_with(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code(), code, "stdout: {}\nstderr: {}", self.stdout(), self.stderr());
        for part in parts {
            assert!(self.stderr().contains(part), "{part:?} is not in: {}", self.stderr());
        }
        assert!(!self.stderr().contains("panicked"), "{}", self.stderr());
    }
}
