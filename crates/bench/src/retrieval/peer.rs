//! Python programs that search too. Each is measured in a process of its own; one that is missing is said aloud.

use crate::error::BenchError;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    collections::BTreeMap,
    path::Path,
    process::{Command, Stdio},
};

/// Where the scripts lie: beside the sources, because this program does not ship.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers");

/// A program that could not be measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Missing {
    pub(super) peer: String,
    /// What it or the system said last.
    pub(super) reason: String,
}

/// Versions of packages.
pub(super) type Versions = BTreeMap<String, String>;

/// Runs a script of ours for one peer; says on standard error why there is no result.
pub(super) fn run<T: DeserializeOwned>(
    python: &Path,
    script: &str,
    peer: &str,
    args: &[String],
) -> Result<Result<T, Missing>, BenchError> {
    eprintln!("{peer}");
    let missing = |reason: String| {
        eprintln!("note: {peer} is not measured: {reason}");
        Err(Missing {
            peer: peer.to_owned(),
            reason,
        })
    };
    if !python.is_file() {
        let reason = format!(
            "there is no {}; make it from requirements-retrieval.txt",
            python.display()
        );
        return Ok(missing(reason));
    }
    let output = Command::new(python)
        .arg(Path::new(SCRIPTS).join(script))
        .arg(peer)
        .args(args)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null())
        .output()
        .map_err(BenchError::io("start", python))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        return Ok(missing(
            last.unwrap_or("it ended without a word").trim().to_owned(),
        ));
    }
    serde_json::from_slice(&output.stdout)
        .map(Ok)
        .map_err(|e| BenchError::Peer {
            script: format!("{script} {peer}"),
            reason: e.to_string(),
        })
}

/// The middle of some numbers; 0 without any.
pub(super) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}
