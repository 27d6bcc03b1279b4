//! Each required dependency is used outside tests.

use super::Failure;
use super::edges::TESTS_ONLY;
use crate::repo::{File, Repo};

/// The dependencies that the project is specified to use.
const REQUIRED: [&str; 10] = [
    "pdfium-render",
    "tiktoken-rs",
    "tantivy",
    "hnsw_rs",
    "fastembed",
    "ort",
    "reqwest",
    "tokio",
    "serde",
    "rayon",
];

pub(crate) fn check(repo: &Repo) -> Vec<Failure> {
    let mut out = Vec::new();
    for name in REQUIRED {
        let users: Vec<_> = repo
            .packages
            .iter()
            .filter(|p| !TESTS_ONLY.contains(&p.name.as_str()))
            .filter(|p| p.dependencies.iter().any(|d| d.normal && d.name == name))
            .collect();
        let hint = "use it outside tests";
        if users.is_empty() {
            let what = format!("{name} is a normal dependency of no crate");
            out.push(Failure::new("Cargo.toml", what, hint));
        } else if !users
            .iter()
            .any(|p| repo.rust_below(&format!("{}/src", p.folder)).any(|f| mentions(f, name)))
        {
            let users: Vec<&str> = users.iter().map(|p| p.name.as_str()).collect();
            let what = format!(
                "{name} is a dependency of {} but no source outside tests names it",
                users.join(", ")
            );
            out.push(Failure::new("Cargo.toml", what, hint));
        }
    }
    out
}

/// Whether a file names the package in a path, outside tests and comments.
fn mentions(file: &File, package: &str) -> bool {
    if file.path.ends_with("/tests.rs") || file.path.contains("/tests/") {
        return false;
    }
    let name = package.replace('-', "_");
    let code = file.text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = code.lines().filter(|l| !l.trim_start().starts_with("//"));
    lines.into_iter().any(|line| {
        line.match_indices(&name).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = &line[at + name.len()..];
            let starts = before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '-')));
            starts
                && (after.starts_with("::")
                    || (after.starts_with(';') && line.trim_start().starts_with("use ")))
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::test::{package, repo};

    #[test]
    fn the_card_is_used() {
        let check = |source: (&str, &str), dependencies: &[&str], want: bool| {
            let mut repo = repo(&[source]);
            repo.packages = vec![package("index", dependencies)];
            let found = super::check(&repo);
            let used = !found.iter().any(|f| f.what.starts_with("hnsw_rs "));
            assert_eq!(used, want, "{source:?}: {found:?}");
        };
        let lib = "crates/index/src/lib.rs";
        check((lib, "use hnsw_rs::prelude::Hnsw;"), &["hnsw_rs"], true);
        check((lib, "fn f() { let h = hnsw_rs::hnsw::Hnsw::new(); }"), &["hnsw_rs"], true);
        check((lib, "use hnsw_rs::prelude::Hnsw;"), &["dev:hnsw_rs"], false);
        check((lib, "// use hnsw_rs::prelude::Hnsw;"), &["hnsw_rs"], false);
        check((lib, "fn f() {}\n#[cfg(test)]\nmod tests { use hnsw_rs::x; }"), &["hnsw_rs"], false);
        check(("crates/index/tests/a.rs", "use hnsw_rs::x;"), &["hnsw_rs"], false);
        check((lib, "use my_hnsw_rs::x;"), &["hnsw_rs"], false);
        check((lib, ""), &[], false);
    }
}
