//! Every crate says what it is for, and what it does not do.

use super::Failure;
use crate::repo::Repo;

/// Lines that a crate has to say at least.
const LINES: usize = 3;
/// Words that say what is not done.
const NOT: [&str; 7] = ["not", "never", "no", "nothing", "neither", "nor", "none"];

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let mut out = Vec::new();
    for package in &repo.packages {
        let roots = ["lib.rs", "main.rs"].map(|name| format!("{}/src/{name}", package.folder));
        let found: Vec<&String> = roots.iter().filter(|path| repo.text(path).is_some()).collect();
        if found.is_empty() {
            let hint = "add src/lib.rs or src/main.rs to git";
            out.push(Failure::new(&package.folder, "the crate has neither a lib.rs nor a main.rs", hint));
        }
        for path in found {
            if let Some(what) = fault(repo.text(path).unwrap_or_default()) {
                let hint =
                    "open the file with `//!` lines: its purpose, its place in the flow, what it does not do";
                out.push(Failure::new(path, what, hint));
            }
        }
    }
    out
}

fn fault(text: &str) -> Option<String> {
    let docs: Vec<&str> = text.lines().map_while(|l| l.strip_prefix("//!")).collect();
    let said = docs.iter().filter(|l| !l.trim().is_empty()).count();
    if said < LINES {
        return Some(format!("the crate opens with {said} lines of documentation, fewer than {LINES}"));
    }
    let mut words = docs.iter().flat_map(|l| l.split(|c: char| !c.is_alphabetic()));
    let says_not = words.any(|w| NOT.contains(&w.to_lowercase().as_str()));
    (!says_not).then(|| "the crate does not say what it does not do".to_owned())
}

#[cfg(test)]
mod tests {
    use crate::rules::test::{faults, package, repo};

    #[test]
    fn crates_introduce_themselves() {
        let check = |text: &str, good: bool| {
            let mut repo = repo(&[("crates/a/src/lib.rs", text)]);
            repo.packages = vec![package("a", &[])];
            assert_eq!(faults(super::check, &repo).is_empty(), good, "{text:?}");
        };
        check("//! Adds.\n//!\n//! Two at a time.\n//! It does not subtract.\n", true);
        check("//! Adds.\n//! Two at a time.\n//! It subtracts.\n", false);
        check("//! Adds.\n//!\n//! Not more.\n", false);
        check("use std::fmt;\n//! Adds.\n//! Two.\n//! Not three.\n", false);
        check("", false);
        let mut empty = repo(&[]);
        empty.packages = vec![package("a", &[])];
        assert_eq!(faults(super::check, &empty), ["crates/a"]);
    }
}
