//! Files and folders that programs write, this one above all: they are never papers.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use types::INDEX_MARKER;

/// A file or folder that the settings of the program name as its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The path; it need not exist.
    pub path: PathBuf,
    /// What it is, for people: "the run log".
    pub what: &'static str,
}

/// Outputs by their real paths.
pub(super) struct Outputs(Vec<Output>);

impl Outputs {
    pub(super) fn new(outputs: &[Output]) -> Self {
        let real = |output: &Output| {
            let path = fs::canonicalize(&output.path).ok()?;
            Some(Output { path, ..output.clone() })
        };
        Self(outputs.iter().filter_map(real).collect())
    }

    /// What the settings say that this file or folder is; `real` is canonical.
    pub(super) fn named(&self, real: &Path) -> Option<&'static str> {
        let output = self.0.iter().find(|output| output.path == real)?;
        Some(output.what)
    }

    /// The output that a path lies in, if it does.
    pub(super) fn enclosing(&self, root: &Path) -> Option<&'static str> {
        let real = fs::canonicalize(root).ok()?;
        if let Some(output) = self.0.iter().find(|output| real.starts_with(&output.path)) {
            return Some(output.what);
        }
        let around =
            real.ancestors().skip(1).find_map(|folder| recognise(folder).filter(|kind| kind.is_ours()));
        around.map(Kind::what)
    }
}

/// A folder that a program writes, recognised by what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Index,
    Report,
    Cache,
    Python,
}

/// By these an index of an earlier version is recognised, which has no marker.
const INDEX_PAIR: [&str; 2] = ["CURRENT", "generations"];
/// The files of a report.
const REPORT: [&str; 3] = ["eval.json", "rows.jsonl", "report.md"];
/// A folder of files that can be made again says so with this file (bford.info/cachedir).
const CACHE_TAG: &str = "CACHEDIR.TAG";
const CACHE_SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
/// At the top of every Python environment.
const PYTHON: &str = "pyvenv.cfg";

impl Kind {
    /// In words for people: the reason why it is not searched.
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Index => "an index of this program",
            Self::Report => "a report of this program",
            Self::Cache => "a cache or build folder (it holds CACHEDIR.TAG)",
            Self::Python => "a Python environment (it holds pyvenv.cfg)",
        }
    }

    /// Whether this program writes it. Folders of other programs are searched when the user names them.
    pub(super) fn is_ours(self) -> bool {
        matches!(self, Self::Index | Self::Report)
    }
}

/// What a folder is by what it holds.
pub(super) fn recognise(folder: &Path) -> Option<Kind> {
    let holds = |name: &str| folder.join(name).symlink_metadata().is_ok();
    if holds(INDEX_MARKER) || INDEX_PAIR.into_iter().all(holds) {
        Some(Kind::Index)
    } else if REPORT.into_iter().all(holds) {
        Some(Kind::Report)
    } else if holds(CACHE_TAG) && is_tagged(&folder.join(CACHE_TAG)) {
        Some(Kind::Cache)
    } else {
        holds(PYTHON).then_some(Kind::Python)
    }
}

fn is_tagged(tag: &Path) -> bool {
    let mut head = [0; CACHE_SIGNATURE.len()];
    let regular = fs::metadata(tag).is_ok_and(|meta| meta.is_file());
    regular
        && File::open(tag).and_then(|mut file| file.read_exact(&mut head)).is_ok()
        && head == *CACHE_SIGNATURE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Links, discover};

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        for name in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("has one")).expect("made");
            let text = if name.ends_with(CACHE_TAG) { CACHE_SIGNATURE } else { b"x" };
            fs::write(path, text).expect("written");
        }
        dir
    }

    fn found(dir: &Path, roots: &[&str], outputs: &[Output]) -> (Vec<String>, Vec<String>) {
        let roots: Vec<PathBuf> = roots.iter().map(|r| dir.join(r)).collect();
        let found = discover(&roots, outputs, &Links::default(), |_| true);
        let name = |path: &Path| {
            let below = path.strip_prefix(dir).expect("below it");
            below.display().to_string()
        };
        (
            found.files.iter().map(|f| name(&f.path)).collect(),
            found.outputs.iter().map(|o| format!("{}: {}", name(&o.path), o.reason)).collect(),
        )
    }

    #[test]
    fn folders_that_programs_write_are_named_once_and_not_searched() {
        let dir = folder(&[
            "a.pdf",
            "index/PIPELINE_INDEX",
            "index/generations/3/ids.txt",
            "logs/reports/run-1/eval.json",
            "logs/reports/run-1/rows.jsonl",
            "logs/reports/run-1/report.md",
            "target/CACHEDIR.TAG",
            "target/doc/notes.md",
            "env/pyvenv.cfg",
            "env/lib/words.txt",
            "generations/b.md",
            "half/report.md",
        ]);
        let (files, outputs) = found(dir.path(), &[""], &[]);
        assert_eq!(files, ["a.pdf", "generations/b.md", "half/report.md"]);
        assert_eq!(
            outputs,
            [
                "env: a Python environment (it holds pyvenv.cfg)",
                "index: an index of this program",
                "logs/reports/run-1: a report of this program",
                "target: a cache or build folder (it holds CACHEDIR.TAG)",
            ]
        );
        // Folders of other programs are searched when the user names them; our own never.
        assert_eq!(found(dir.path(), &["target"], &[]).0, ["target/doc/notes.md"]);
        assert_eq!(found(dir.path(), &["target/doc"], &[]).0.len(), 1);
        for root in ["index", "index/generations/3", "index/generations/3/ids.txt", "logs/reports/run-1"] {
            let (files, outputs) = found(dir.path(), &[root], &[]);
            assert_eq!((files.len(), outputs.len()), (0, 1), "{root}: {files:?} {outputs:?}");
        }
    }

    #[test]
    fn what_settings_name_is_not_searched_even_as_a_link() {
        let dir = folder(&["a.pdf", "out/notes.md", "log.jsonl"]);
        std::os::unix::fs::symlink(dir.path().join("out"), dir.path().join("link")).expect("linked");
        let named = |path: &str, what| Output { path: dir.path().join(path), what };
        let outputs = [named("out", "reports"), named("log.jsonl", "the run log"), named("nowhere", "x")];
        let (files, named) = found(dir.path(), &[""], &outputs);
        assert_eq!(files, ["a.pdf"]);
        assert_eq!(named, ["log.jsonl: the run log", "link: reports"]);
        assert_eq!(found(dir.path(), &["out/notes.md"], &outputs).1, ["out/notes.md: reports"]);
    }

    #[test]
    fn a_tag_without_its_signature_hides_nothing() {
        let dir = folder(&["a.md"]);
        fs::write(dir.path().join(CACHE_TAG), "mine").expect("written");
        assert_eq!(found(dir.path(), &[""], &[]).0, ["a.md"]);
    }
}
