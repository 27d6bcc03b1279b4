//! The rules, one file each.

mod cycles;
mod edges;
pub(crate) mod lines;
mod map;

use crate::repo::Repo;

/// Something that a rule does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The file, and the line where one is to blame.
    pub(crate) path: String,
    /// What is wrong there.
    pub(crate) what: String,
    /// What to do.
    pub(crate) hint: String,
}

impl Failure {
    pub(crate) fn new(path: impl Into<String>, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { path: path.into(), what: what.into(), hint: hint.into() }
    }
}

/// A rule: what in the repository breaks it, in the order of paths.
pub(crate) type Rule = fn(&Repo) -> Vec<Failure>;

/// Every rule and its name.
pub(crate) const ALL: [(&str, Rule); 4] =
    [("edges", edges::check), ("cycles", cycles::check), ("map", map::check), ("lines", lines::check)];

#[cfg(test)]
pub(crate) mod test {
    //! Repositories that exist only in memory.

    use super::Rule;
    use crate::repo::{Dependency, File, Package, Repo};

    pub(crate) fn repo(files: &[(&str, &str)]) -> Repo {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        Repo { files: files.iter().map(file).collect(), packages: Vec::new() }
    }

    /// A package in `crates/NAME`; a dependency that starts with `dev:` is one of tests.
    pub(crate) fn package(name: &str, dependencies: &[&str]) -> Package {
        let dependency = |d: &&str| Dependency {
            name: d.trim_start_matches("dev:").to_owned(),
            dev: d.starts_with("dev:"),
        };
        Package {
            name: name.to_owned(),
            folder: format!("crates/{name}"),
            dependencies: dependencies.iter().map(dependency).collect(),
        }
    }

    /// The paths that the rule finds fault with.
    pub(crate) fn faults(rule: Rule, repo: &Repo) -> Vec<String> {
        rule(repo).into_iter().map(|f| f.path).collect()
    }
}
