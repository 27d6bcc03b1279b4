//! Crates depend on each other only in the direction of the design.

use super::Failure;
use crate::repo::Repo;

/// What each crate may depend on, tests included: vocabulary below, stages beside each other and unknown to
/// each other, one engine above them, binaries on top. Each list names groups of crates.
const ALLOWED: [(&str, &[&[&str]]); 22] = [
    ("text", &[]),
    ("explain", &[]),
    ("types", &[&["text", "explain"]]),
    ("question", &[&VOCABULARY]),
    ("evidence", &[&VOCABULARY, &["question"]]),
    ("ingest", &[&VOCABULARY]),
    ("models", &[&VOCABULARY]),
    ("llm", &[&VOCABULARY]),
    ("retrieve", &[&VOCABULARY, &["question"]]),
    ("testkit", &[&VOCABULARY, &["question", "retrieve"]]),
    // Its tests search it; every store scores as `retrieve` says.
    ("index", &[&VOCABULARY, &["question", "retrieve"]]),
    ("store-qdrant", &[&VOCABULARY, &["retrieve"]]),
    ("rerank", &[&VOCABULARY, &["question"]]),
    ("expand", &[&VOCABULARY]),
    ("generate", &[&VOCABULARY, &["question", "evidence"]]),
    ("guardrail", &[&VOCABULARY, &["question", "evidence"]]),
    ("eval", &[&VOCABULARY, &["evidence"]]),
    ("engine", &[&VOCABULARY, &STAGES]),
    ("lab", &[&VOCABULARY, &STAGES, &["engine", "eval"]]),
    ("server", &[&["engine", "lab", "types"]]),
    ("pipeline", &[&["engine", "lab", "server", "types"]]),
    ("xtask", &[]),
];

const VOCABULARY: [&str; 2] = ["types", "text"];
const STAGES: [&str; 12] = [
    "question",
    "evidence",
    "ingest",
    "models",
    "llm",
    "retrieve",
    "index",
    "store-qdrant",
    "rerank",
    "expand",
    "generate",
    "guardrail",
];

/// Crates that any crate may use in its tests, and none anywhere else.
const TESTS_ONLY: [&str; 1] = ["testkit"];

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let ours = |name: &str| repo.packages.iter().any(|p| p.name == name);
    let mut out = Vec::new();
    for package in &repo.packages {
        let path = format!("{}/Cargo.toml", package.folder);
        if package.folder != format!("crates/{}", package.name) {
            let what = format!("the package {} does not lie in crates/{}", package.name, package.name);
            out.push(Failure::new(&path, what, "name a package after its folder"));
        }
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == package.name) else {
            let what = format!("no rule says what the crate {} may depend on", package.name);
            out.push(Failure::new(&path, what, "give it its place in crates/xtask/src/rules/edges.rs"));
            continue;
        };
        let allowed = allowed.concat();
        for dependency in
            package.dependencies.iter().filter(|d| ours(&d.name) && !allowed.contains(&d.name.as_str()))
        {
            let tests_only = TESTS_ONLY.contains(&dependency.name.as_str());
            if tests_only && dependency.dev {
                continue;
            }
            let what = format!("{} depends on {}", package.name, dependency.name);
            let hint = if tests_only {
                "it is for tests only: move it to [dev-dependencies]".to_owned()
            } else if allowed.is_empty() {
                "this crate depends on none of ours".to_owned()
            } else {
                format!("it may depend on {}; reach the rest through a trait in types", allowed.join(", "))
            };
            out.push(Failure::new(&path, what, hint));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::test::{faults, package};

    #[test]
    fn only_the_edges_of_the_design() {
        let check = |name: &str, dependencies: &[&str], want: usize| {
            let mut packages: Vec<_> =
                ALLOWED.iter().map(|(n, _)| package(n, &[])).filter(|p| p.name != name).collect();
            packages.push(package(name, dependencies));
            let repo = Repo { packages, ..Repo::default() };
            let found = faults(super::check, &repo);
            assert_eq!(found.len(), want, "{name} on {dependencies:?}: {found:?}");
        };
        check("types", &["serde"], 0);
        check("types", &["text"], 0);
        check("text", &["types"], 1);
        check("types", &["question"], 1);
        check("rerank", &["types", "text", "thiserror"], 0);
        check("rerank", &["expand"], 1);
        check("rerank", &["dev:retrieve", "dev:proptest"], 1);
        check("rerank", &["evidence"], 1);
        check("guardrail", &["evidence"], 0);
        check("retrieve", &["index"], 1);
        check("ingest", &["engine"], 1);
        check("eval", &["engine"], 1);
        check("engine", &["retrieve", "models"], 0);
        check("engine", &["eval"], 1);
        check("lab", &["engine", "retrieve", "eval"], 0);
        check("engine", &["pipeline"], 1);
        check("pipeline", &["engine", "types", "retrieve"], 1);
        check("xtask", &["types"], 1);
        check("newcomer", &[], 1);
        check("llm", &["types", "dev:testkit"], 0);
        check("llm", &["types", "testkit"], 1);
        check("pipeline", &["testkit"], 1);
        check("testkit", &["types", "question"], 0);
        check("testkit", &["index"], 1);
    }

    #[test]
    fn the_table_has_no_cycle() {
        // Each crate may depend only on crates above its own line.
        for (at, (name, allowed)) in ALLOWED.iter().enumerate() {
            for dependency in &allowed.concat() {
                let place = ALLOWED.iter().position(|(n, _)| n == dependency);
                assert!(place.is_some_and(|p| p < at), "{name} may depend on {dependency}");
            }
        }
    }
}
