//! Names the commit in the binary, where there is one.

use std::process::Command;

fn main() {
    // Only what names the commit is watched, by its own path: a path that is not there would rebuild every time.
    let branch = git(&["rev-parse", "--symbolic-full-name", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", "packed-refs", branch.as_str()] {
        let path =
            git(&["rev-parse", "--git-path", name]).filter(|path| std::path::Path::new(path).is_file());
        if let Some(path) = path {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    println!("cargo:rerun-if-changed=build.rs");
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo:rustc-env=PIPELINE_COMMIT={commit}");
    let date = git(&["log", "-1", "--format=%cs"]).unwrap_or_default();
    println!("cargo:rustc-env=PIPELINE_COMMIT_DATE={date}");
    // Only the binary has a version: its manifest names it.
    let manifest = "../pipeline/Cargo.toml";
    println!("cargo:rerun-if-changed={manifest}");
    let text = std::fs::read_to_string(manifest).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("version = \""));
    let version = line.and_then(|rest| rest.split('"').next()).unwrap_or("unknown");
    println!("cargo:rustc-env=PIPELINE_VERSION={version}");
}

/// What git prints, or `None` without git, without a repository, or for nothing.
fn git(args: &[&str]) -> Option<String> {
    let done = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(done.stdout).ok()?;
    let text = text.trim();
    (done.status.success() && !text.is_empty()).then(|| text.to_owned())
}
