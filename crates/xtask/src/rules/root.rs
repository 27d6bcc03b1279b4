//! The root holds what a newcomer needs to see, and nothing else.

use super::Failure;
use crate::repo::Repo;

/// Names at the root; names that start with a dot are free.
const NAMES: [&str; 17] = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "clippy.toml",
    "configs",
    "corpus",
    "crates",
    "deny.toml",
    "docs",
    "logs",
    "queries",
    "rustfmt.toml",
    "scripts",
];

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let extra = repo
        .top_level
        .iter()
        .filter(|n| !n.starts_with('.') && !NAMES.contains(&n.as_str()));
    extra
        .map(|name| {
            let hint = "move it below one of the folders, or ignore it in .gitignore if a program makes it";
            Failure::new(name, "it does not belong at the root", hint)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::test::{faults, repo};

    #[test]
    fn the_root_is_closed() {
        let check = |path: &str, good: bool| {
            let found = faults(super::check, &repo(&[(path, "")]));
            assert_eq!(found.is_empty(), good, "{path}");
        };
        check("README.md", true);
        check("crates/a/src/lib.rs", true);
        check(".github/workflows/x.yml", true);
        check("NOTES.md", false);
        check("src/main.rs", false);
        check("crates.md", false);
    }
}
