//! What the rules look at: packages and files.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

/// The repository, read once.
#[derive(Debug, Default)]
pub(crate) struct Repo {
    /// Our packages, by name.
    pub(crate) packages: Vec<Package>,
    /// Every text file that git knows, by path.
    pub(crate) files: Vec<File>,
}

/// A package of the workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Its folder, relative to the root.
    pub(crate) folder: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A line of a package's dependency tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Whether it stands under `[dev-dependencies]`.
    pub(crate) dev: bool,
}

/// A text file.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|e| e == "rs")
    }
}

impl Repo {
    /// Reads the repository that this crate lies in.
    pub(crate) fn load() -> Result<Self> {
        // Set by `cargo run`; without it the current folder must lie inside the workspace.
        let start = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
        let metadata = metadata(&start)?;
        let root = metadata["workspace_root"].as_str().context("cargo metadata names no workspace_root")?;
        let packages = packages(&metadata, root)?;
        let mut repo = Self { packages, ..Self::default() };
        for path in known_to_git(Path::new(root))? {
            // A file that was deleted and not yet committed, or that is not text, is no matter of ours.
            if let Ok(text) = std::fs::read_to_string(Path::new(root).join(&path)) {
                repo.files.push(File { path, text });
            }
        }
        Ok(repo)
    }

    /// The text of a file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|f| f.path == path).map(|f| f.text.as_str())
    }

    /// The Rust files below a folder.
    pub(crate) fn rust_below(&self, folder: &str) -> impl Iterator<Item = &File> {
        let folder = format!("{folder}/");
        self.files.iter().filter(move |f| f.is_rust() && f.path.starts_with(&folder))
    }
}

fn metadata(start: &Path) -> Result<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(start).args(["metadata", "--format-version", "1", "--no-deps"]);
    serde_json::from_slice(&stdout(&mut command)?).context("cargo metadata gave no valid JSON")
}

fn packages(metadata: &Value, root: &str) -> Result<Vec<Package>> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
    let dependency = |d: &Value| Dependency { name: text(&d["name"]), dev: d["kind"] == "dev" };
    let package = |p: &Value| {
        let manifest = text(&p["manifest_path"]);
        let folder = Path::new(&manifest).parent().and_then(|f| f.strip_prefix(root).ok());
        let folder = folder.with_context(|| format!("{manifest} does not lie below {root}"))?;
        let dependencies = list(&p["dependencies"]).iter().map(dependency).collect();
        let folder = folder.to_string_lossy().replace('\\', "/");
        Ok(Package { name: text(&p["name"]), folder, dependencies })
    };
    let mut out: Vec<Package> = list(&metadata["packages"]).iter().map(package).collect::<Result<_>>()?;
    out.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(out)
}

/// Paths that git tracks or would track, sorted.
fn known_to_git(root: &Path) -> Result<BTreeSet<String>> {
    let mut command = Command::new("git");
    command.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = stdout(&mut command)?;
    let names = listed.split(|b| *b == 0).filter(|n| !n.is_empty());
    Ok(names.map(|n| String::from_utf8_lossy(n).into_owned()).collect())
}

fn stdout(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}
