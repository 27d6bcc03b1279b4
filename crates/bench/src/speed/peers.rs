//! Programs in Python that do the same work.

use super::sample::Sample;
use crate::error::BenchError;
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Where the scripts lie: beside the sources, because this program does not ship.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers");

/// A Python with the peers installed.
#[derive(Debug, Clone)]
pub(super) struct Peers {
    python: PathBuf,
}

impl Peers {
    /// The peers of a virtual environment, or `None` with a note when they are not there.
    pub(super) fn find(python: &Path) -> Option<Self> {
        if python.is_file() {
            return Some(Self {
                python: python.to_owned(),
            });
        }
        eprintln!(
            "note: no Python peers at {}; scripts/bench.sh installs them; only the pipeline is measured",
            python.display()
        );
        None
    }

    /// Runs a script; `input` goes to its standard input.
    pub(super) fn run(&self, script: &str, args: &[String], input: &str) -> Result<Sample, BenchError> {
        let failed = |reason: String| BenchError::Peer {
            script: script.to_owned(),
            reason,
        };
        let mut command = Command::new(&self.python);
        command.arg(Path::new(SCRIPTS).join(script)).args(args);
        if let Some(tables) = self.python.parent().and_then(Path::parent) {
            command.env("TIKTOKEN_CACHE_DIR", tables.join("tiktoken"));
        }
        let mut child = command
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| failed(e.to_string()))?;
        // All scripts read their input to its end before they write. One that died shows in its status.
        if let Some(mut pipe) = child.stdin.take() {
            let _ = pipe.write_all(input.as_bytes());
        }
        let output = child.wait_with_output().map_err(|e| failed(e.to_string()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said
                .lines()
                .rev()
                .find(|l| !l.trim().is_empty())
                .unwrap_or("")
                .trim();
            return Err(failed(format!("{}: {last}", output.status)));
        }
        serde_json::from_slice(&output.stdout).map_err(|e| failed(e.to_string()))
    }
}
